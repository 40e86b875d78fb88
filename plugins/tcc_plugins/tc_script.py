r"""The `tc-script` back end: a POSIX shell script of tc(8) commands.

For machines that have no Python, and for people who want to see what would be done. Numbers
are plain, so that no unit of tc's can be misread; a root comes before what hangs in it.

The script may run again and then leaves the same: it takes the old root away first, because a
live qdisc keeps what tc has no words to reset (cake: mpu, memlimit and fwmark), and because sfq
and fq_codel refuse to be changed. `tcc apply` has no such gap.

    >>> print(line("qdisc", "replace", "dev", "eth 0", "root", "handle", "1:", "cake"))
    tc qdisc replace dev 'eth 0' root handle 1: cake
"""

import shlex
from collections.abc import Iterator, Sequence
from hashlib import sha256

from tcc import __version__, plugin
from tcc.diagnostics import Diagnostic, error
from tcc.ir import Path, Policy, span_at
from tcc.lower.hanging import egress_state
from tcc.lower.link import LoweredQdisc, lower_policy
from tcc.plan.state import FileItem, Item, Place, QdiscItem, State, handle_text
from tcc.plugin import Difference, Target

FILE = "tc.sh"
EXECUTABLE = 0o755

HEAD = """\
#!/bin/sh
# Written by tcc {version} from a policy with the SHA-256 {digest}.
# It may run again. While it runs, a device has the kernel's own qdisc for a moment.
set -eu
command -v tc >/dev/null || {{ echo 'tc is not installed: it comes with iproute2' >&2; exit 1; }}
"""


class TcScript:
    """Shell commands for what the netlink back end would send."""

    name = "tc-script"

    def lower(self, policy: Policy, target: Target) -> tuple[State, Sequence[Diagnostic]]:
        """Return one script, and what it cannot say.

        Found: `not-built-yet`, and those of `lower_policy`.
        """
        lowered, found = lower_policy(policy, target.facts, target.spans)
        text = HEAD.format(
            version=__version__, digest=target.settings.get("policy-sha256") or digest_of(policy)
        )
        text += "".join(_commands(egress_state(lowered)))
        text += "".join(_sysctls(lowered))
        left_out = list(_left_out(policy, lowered, target))
        return {Place("", FILE): FileItem(text, EXECUTABLE)}, [*found, *left_out]

    def observe(self, wanted: State) -> State:
        """Return nothing: where a script will run is not known here."""
        return {}

    def differences(self, wanted: Item, observed: Item) -> Sequence[Difference]:
        """Compare texts."""
        return () if wanted == observed else (Difference("text", "this one", "another one"),)


def digest_of(policy: Policy) -> str:
    """Return the SHA-256 of a policy's meaning: layout and comments do not change it."""
    return sha256(policy.model_dump_json().encode()).hexdigest()


def line(*words: str) -> str:
    """Return one command, its words quoted where the shell would see more than a word."""
    return " ".join(["tc", *(shlex.quote(word) for word in words)])


def _commands(state: State) -> Iterator[str]:
    for place, item in state.items():
        if not isinstance(item, QdiscItem):
            continue
        if place.at == "root":
            yield line("qdisc", "delete", "dev", place.device, "root") + " 2>/dev/null || :\n"
        where = ["root"] if place.at == "root" else ["parent", place.at]
        settings = plugin.qdisc(item.kind).command(item.settings)
        handle = handle_text(item.handle)
        words = ["dev", place.device, *where, "handle", handle, item.kind, *settings]
        yield line("qdisc", "replace", *words) + "\n"


def _sysctls(lowered: Sequence[LoweredQdisc]) -> Iterator[str]:
    wanted = {name: value for one in lowered for name, value in one.sysctls.items()}
    for name, value in sorted(wanted.items()):
        yield f"sysctl -w {shlex.quote(f'{name}={value}')}\n"


def _left_out(
    policy: Policy, lowered: Sequence[LoweredQdisc], target: Target
) -> Iterator[Diagnostic]:
    paths: list[tuple[Path, str]] = [
        (one.wish.path, "shaping ingress") for one in lowered if one.wish.direction == "ingress"
    ]
    paths += [(("tiers", index), "matching packets for a tier") for index in
              range(len(policy.tiers))]  # fmt: skip
    for number, link in enumerate(policy.links):
        paths += [(("links", number, "tiers", index), "matching packets for a tier") for index in
                  range(len(link.tiers))]  # fmt: skip
    for path, what in dict.fromkeys(paths):
        yield error(
            "not-built-yet",
            span_at(target.spans, path),
            f"{what} is not built yet for tc-script",
            "it takes an ifb device, filters and nftables rules besides tc's qdiscs",
            "take it out for this machine, or use `tcc generate openwrt` on OpenWrt",
        )
