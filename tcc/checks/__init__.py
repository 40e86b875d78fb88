"""Checks: what may be wrong with a policy that can be built.

One rule is one file, called as the code it finds; it gets a `View` and yields diagnostics.
`RULES` is the list of them all, in the order of the manual. A rule is imported only when
the policy has the features that it needs, which is what keeps `tcc lint` quick to start.

An error is for what would certainly cut traffic or can never work, a warning for likely
harm, a note for something to know. Pages are in `tcc.pages`.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from importlib import import_module
from typing import TYPE_CHECKING

from tcc.checks.features import features_of
from tcc.checks.view import View, view_of
from tcc.diagnostics import Diagnostic
from tcc.passes.built import Built

if TYPE_CHECKING:
    from tcc.facts import Facts

RULES: tuple[tuple[str, tuple[str, ...]], ...] = (
    # the line
    ("link-shapes-nothing", ("idle",)),
    ("line-undescribed", ("undescribed", "bandwidth")),
    ("line-unshaped", ("framing", "unrated")),
    ("unlimited-never-waits", ("unrated",)),
    ("framing-not-of-line", ("framing", "telling")),
    ("framing-without-mpu", ("numbers",)),
    ("framing-counted-twice", ("framing", "facts")),
    ("atm-beyond-adsl", ("framing", "bandwidth")),
    ("framing-guess-costly", ("guess", "bandwidth")),
    # rates
    ("bandwidth-implausible", ("slow",)),
    ("bandwidth-implausible", ("apart",)),
    ("bandwidth-implausible", ("air", "bandwidth")),
    ("bandwidth-implausible", ("fast",)),
    ("bandwidth-implausible", ("low", "framing", "role")),
    ("bandwidth-above-device", ("bandwidth", "facts")),
    ("bandwidth-above-whole", ("bandwidth", "role")),
    ("rate-units-mixed", ("bytes",)),
    ("bounds-leave-no-room", ("bounds",)),
    ("directions-swapped", ("uphill",)),
    ("cake-mq-below-need", ("cake_mq",)),
    ("cake-mq-one-queue", ("cake_mq",)),
    ("cake-mq-kernel", ("cake_mq", "facts")),
    ("gso-blocks-line", ("gso-kept",)),
    ("fifo-blocks-head", ("qdisc",)),
    ("tbf-latency-below-packet", ("tbf",)),
    ("tbf-queue-below-window", ("tbf",)),
    ("codel-target-above-interval", ("tbf",)),
    ("codel-target-below-packet", ("tbf",)),
    ("memory-below-bdp", ("memory",)),
    ("rtt-below-path", ("rtt",)),
    ("rtt-above-path", ("far",)),
    # who is behind the line
    ("role-not-of-device", ("role", "telling")),
    ("fairness-without-role", ("roleless", "fairness")),
    ("fairness-turned", ("one-sided", "role")),
    ("fairness-behind-nat", ("options", "role")),
    ("nat-without-masquerade", ("options", "role")),
    ("direction-contradicts", ("options",)),
    ("autorate-on-fixed-line", ("options", "framing")),
    ("ack-filter-on-download", ("thinned", "role")),
    ("ack-filter-on-download", ("ack_filter", "facing")),
    # devices
    ("device-inside-another", ("links",)),
    ("device-claimed-twice", ("links", "pattern")),
    ("device-is-ifb", ("ifb",)),
    ("device-is-loopback", ("lo",)),
    ("ifb-name-collision", ("links", "ingress", "openwrt")),
    # marks and tiers
    ("tier-unreachable", ("several",)),
    ("tier-never-matches", ("addresses",)),
    ("tier-never-matches", ("tier-device",)),
    ("tier-sides-swapped", ("addresses", "role")),
    ("tiers-without-tins", ("tier", "one-tin")),
    ("voice-tin-below-call", ("tier", "low")),
    ("voice-tier-too-wide", ("wide",)),
    ("tier-moved-by-cake-mq", ("video", "cake_mq")),
    ("wash-before-tiers", ("links", "dscp")),
    ("mark-mask-on-ingress", ("mark_mask", "ingress")),
    ("mark-mask-without-tins", ("mark_mask", "one-tin")),
    ("mark-masks-overlap", ("mark_mask",)),
    # objectives
    ("objective-latency-below-path", ("latency",)),
    ("objective-latency-below-packet", ("induced-latency",)),
    ("objective-latency-below-packet", ("sojourn",)),
    ("objective-rate-above-line", ("goodput",)),
    ("objective-rate-above-line", ("throughput",)),
    ("objective-above-tin-share", ("goodput", "tier")),
    ("objective-above-tin-share", ("throughput", "tier")),
    ("objective-without-bandwidth", ("utilisation",)),
    ("objective-above-load", ("utilisation", "quiet")),
    ("objective-above-load", ("goodput", "quiet")),
    ("objective-above-load", ("throughput", "quiet")),
    ("objective-fairness-above-mode", ("flow-fair", "objective")),
    ("objective-fairness-of-one", ("one-host",)),
    ("objective-loss-below-overload", ("loss", "datagrams")),
    ("objective-mos-above-codec", ("mos",)),
    ("objective-samples-few", ("latency",)),
    ("objective-samples-few", ("induced-latency",)),
    ("call-not-in-voice", ("calls", "objective")),
    # names
    ("unused-name", ("names",)),
)
"""Each rule by its code, with the features of a policy that it needs (`tcc.checks.features`).

A code that stands twice has two sets of features, of which one is enough.
"""

MARK = re.compile(r"#[ \t]*tcc[ \t]*:")
"""How a comment begins that speaks to us."""

BEYOND_TEXT = frozenset({"facts", "openwrt"})
"""Features that do not come from the policy."""
WITH_FACTS = frozenset(
    {"cake-mq-one-queue", "device-claimed-twice", "device-inside-another", "tier-moved-by-cake-mq"}
)
"""Rules that find more, or less, when the host is known."""


def decided(facts: "Facts | None", target: str | None) -> frozenset[str]:
    """Return the codes of checks that are found now if they are ever found."""
    known = {"facts"} if facts is not None else set()
    known |= {target} if target else set()
    return frozenset(
        code
        for code, needs in RULES
        if BEYOND_TEXT.intersection(needs) <= known
        and (facts is not None or code not in WITH_FACTS)
    )


def run(built: Built, facts: "Facts | None" = None, target: str | None = None) -> list[Diagnostic]:
    """Return what the checks find, in the order of the text; nothing for a broken policy.

    What depends on parameters without a value is passed over.

    Args:
        built: the policy.
        facts: the host it is for, if known.
        target: the back end it is for, if known.
    """
    if built.policy is None:
        return []
    view = view_of(built, facts, target)
    features = features_of(built, view.sides, facts, target)
    found = list(_of_rules(view, features))
    if "lowering" in features:
        lowering = import_module("tcc.checks.lowering")  # loads plugins: only when they matter
        found += lowering.of_qdiscs(view)
    order = {path: number for number, path in enumerate(built.sources)}
    found = sorted(dict.fromkeys(found), key=lambda item: _place(item, order))
    return _with_paths(found, built) if not built.trees else found


def _of_rules(view: View, features: frozenset[str]) -> Iterator[Diagnostic]:
    ran: set[str] = set()
    for code, needs in RULES:
        if code not in ran and features.issuperset(needs):
            ran.add(code)
            yield from import_module(f"tcc.checks.{code.replace('-', '_')}").check(view)


def _place(item: Diagnostic, order: dict[str, int]) -> tuple[int, int]:
    span = item.span
    return (-1, 0) if span is None else (order.get(span.path, -1), span.start)


def _with_paths(found: Sequence[Diagnostic], built: Built) -> list[Diagnostic]:
    """Give the findings about a policy in JSON the JSON paths of their places."""
    from tcc.passes.jsontext import json_path  # noqa: PLC0415  (few policies are JSON)

    paths = {span: json_path(path) for path, span in reversed(list(built.spans.items()))}
    return [replace(item, path=paths.get(item.span) if item.span else None) for item in found]


def waive(
    built: Built,
    found: Iterable[Diagnostic],
    facts: "Facts | None" = None,
    target: str | None = None,
) -> list[Diagnostic]:
    """Return findings without those that comments waive, and with those about such comments.

    Args:
        built: the policy.
        found: all findings about it.
        facts: as given to `run`.
        target: as given to `run`.
    """
    if not any(MARK.search(tree.source.text) for tree in built.trees):
        return list(found)
    waivers = import_module("tcc.checks.waivers")  # few policies have any
    kept: list[Diagnostic] = waivers.waive(built, found, decided(facts, target))
    return kept


__all__ = ["MARK", "RULES", "decided", "run", "waive"]
