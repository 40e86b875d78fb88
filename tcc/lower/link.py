"""One wish to one qdisc with everything that belongs to it, or to the reasons why not."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from tcc.diagnostics import Diagnostic, error, has_errors
from tcc.facts import Facts
from tcc.ir import Policy, Spans
from tcc.lower.choose import choose, known_kinds
from tcc.lower.wishes import wishes
from tcc.plugin import (
    QDISCS,
    Child,
    Explanation,
    Lowering,
    PluginError,
    QdiscPlugin,
    Wish,
    names,
    qdisc,
)

AUTO = "auto"


@dataclass(frozen=True, slots=True)
class LoweredQdisc:
    """What a wish became.

    `settings` is None where `found` has an error. `children` hang on classes of this qdisc.
    """

    wish: Wish
    kind: str
    settings: object | None
    children: tuple[Child, ...] = ()
    explained: tuple[Explanation, ...] = ()
    found: tuple[Diagnostic, ...] = ()
    sysctls: dict[str, str] = field(default_factory=dict)


def lower_policy(
    policy: Policy, facts: Facts | None, spans: Spans
) -> tuple[list[LoweredQdisc], list[Diagnostic]]:
    """Return the qdiscs of every link, and all that was found: of devices, then of each qdisc."""
    made, found = wishes(policy, facts, spans)
    lowered = [lower_link(wish) for wish in made]
    for one in lowered:
        found += one.found
    return lowered, found


def lower_link(wish: Wish) -> LoweredQdisc:
    """Turn one wish into a qdisc: choose the kind, lower, check.

    Found: `no-shaper`, `qdisc-missing`, `unknown-qdisc`, `inner-qdisc`, `plugin-broken`, and
    what the kind's plugin finds.
    """
    asked = wish.shaping.qdisc
    span = wish.at("qdisc")
    explained: list[Explanation] = []
    if asked is None or asked.kind == AUTO:
        kind, reason = choose(wish)
        if kind is None:
            cure = "install or load one of them (kmod-sched-cake on OpenWrt), and take facts anew"
            return LoweredQdisc(
                wish,
                AUTO,
                None,
                found=(error("no-shaper", span, f"nothing can shape: {reason}", cure),),
            )
        explained.append(Explanation("qdisc auto", kind, reason, span))
    else:
        kind = asked.kind
        explained.append(Explanation(f"qdisc {kind}", kind, "", span))
    plugin = _plugin(kind, wish)
    if isinstance(plugin, Diagnostic):
        return LoweredQdisc(wish, kind, None, (), tuple(explained), (plugin,))
    lowering = plugin.lower(wish, asked.options if asked else None)
    return _finished(wish, plugin, lowering, explained)


def _finished(
    wish: Wish, plugin: QdiscPlugin, lowering: Lowering, explained: list[Explanation]
) -> LoweredQdisc:
    """Add the checks to a lowering; the settings go where there is an error."""
    found = list(lowering.found)
    children: tuple[Child, ...] = ()
    if lowering.settings is not None:
        found += plugin.check(lowering.settings, wish)
        children = tuple(plugin.children(lowering.settings))
    found += _missing(wish, plugin.kind, children)
    broken = lowering.settings is None or has_errors(found)
    return LoweredQdisc(
        wish,
        plugin.kind,
        None if broken else lowering.settings,
        () if broken else children,
        (*explained, *lowering.explained),
        tuple(found),
        {} if broken else dict(lowering.sysctls),
    )


def _plugin(kind: str, wish: Wish) -> QdiscPlugin | Diagnostic:
    """Return the plugin of a kind that may be a root, or what is wrong with the kind."""
    span = wish.at("qdisc")
    try:
        plugin = qdisc(kind)
    except KeyError:
        known = ", ".join((AUTO, *names(QDISCS)))
        return error(
            "unknown-qdisc", span, f"no plugin knows a qdisc `{kind}`", f"there are {known}"
        )
    except PluginError as problem:
        return error("plugin-broken", span, str(problem), "`tcc plugins` lists what is installed")
    if plugin.inner_only:
        return error(
            "inner-qdisc",
            span,
            f"`{kind}` does not shape: it can only be inside another qdisc",
            f"write `qdisc tbf {{ ...; inner {kind} }}`",
        )
    return plugin


def _missing(wish: Wish, kind: str, children: Sequence[Child]) -> Iterator[Diagnostic]:
    """Yield `qdisc-missing` for each kind that the kernel did not take when it was tried."""
    known = known_kinds(wish.facts)
    if known is None:
        return
    for wanted in (kind, *(child.kind for child in children)):
        if wanted in known:
            continue
        others = ", ".join(sorted(known & set(names(QDISCS)))) or "none that there is a plugin for"
        yield error(
            "qdisc-missing",
            wish.at("qdisc"),
            f"this kernel has no {wanted}",
            f"it has {others}",
            "`qdisc auto` takes what there is",
        )
