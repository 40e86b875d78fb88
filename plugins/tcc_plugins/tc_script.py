r"""The `tc-script` back end: a POSIX shell script of tc(8), ip(8) and nft(8) commands.

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
from tcc.diagnostics import Diagnostic
from tcc.ir import Policy
from tcc.lower.ingress import PREFS
from tcc.lower.kernel import lower_for_kernel
from tcc.lower.link import LoweredQdisc
from tcc.plan.state import (
    REDIRECT,
    FileItem,
    FilterItem,
    HookItem,
    Item,
    LinkItem,
    Place,
    QdiscItem,
    RulesItem,
    State,
    handle_text,
)
from tcc.plugin import Difference, Target

FILE = "tc.sh"
EXECUTABLE = 0o755

HEAD = """\
#!/bin/sh
# Written by tcc {version} from a policy with the SHA-256 {digest}.
# It may run again. While it runs, a device has the kernel's own qdisc for a moment.
set -eu
"""
NEED = (
    "command -v {0} >/dev/null ||"
    " {{ echo '{0} is not installed: it comes with {1}' >&2; exit 1; }}\n"
)
PROGRAMS = {"tc": "iproute2", "ip": "iproute2", "nft": "nftables"}
END = "TCC_RULES"
QUIETLY = " 2>/dev/null || :"


class TcScript:
    """Shell commands for what the netlink back end would send."""

    name = "tc-script"

    def lower(self, policy: Policy, target: Target) -> tuple[State, Sequence[Diagnostic]]:
        """Return one script, and what cannot be had.

        Found: those of `lower_for_kernel`.
        """
        wanted = lower_for_kernel(policy, target.facts, target.spans)
        digest = target.settings.get("policy-sha256") or digest_of(policy)
        body = "".join([*_commands(wanted.state), *_sysctls(wanted.lowered)])
        text = HEAD.format(version=__version__, digest=digest)
        for program, package in PROGRAMS.items():
            if program == "tc" or f"\n{program} " in f"\n{body}":
                text += NEED.format(program, package)
        return {Place("", FILE): FileItem(text + body, EXECUTABLE)}, wanted.found

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
    """Return one command of tc, its words quoted where the shell would see more than a word."""
    return _line("tc", *words)


def _line(*words: str) -> str:
    return " ".join(shlex.quote(word) for word in words)


def _commands(state: State) -> Iterator[str]:
    """Yield the commands in an order in which no packet is sent where nothing takes it.

    A redirect goes first and comes last: in between, what comes in passes unshaped.
    """
    items = list(state.items())
    for place, item in items:
        if isinstance(item, FilterItem):
            yield _filter("delete", place) + QUIETLY + "\n"
    for place, item in items:
        if isinstance(item, LinkItem):
            yield from _link(place.device, item)
        elif isinstance(item, QdiscItem):
            yield from _qdisc(place, item)
    for place, item in items:
        if isinstance(item, HookItem):
            yield line("qdisc", "add", "dev", place.device, item.kind) + QUIETLY + "\n"
        elif isinstance(item, RulesItem):
            yield from _rules(item)
    for place, item in items:
        if isinstance(item, FilterItem):
            yield _filter("add", place, *_words(item)) + "\n"


def _link(device: str, item: LinkItem) -> Iterator[str]:
    queues = ["numtxqueues", str(item.tx_queues)] if item.tx_queues > 1 else []
    yield _line("ip", "link", "add", "name", device, *queues, "type", item.kind) + QUIETLY + "\n"
    yield _line("ip", "link", "set", "dev", device, "up") + "\n"


def _qdisc(place: Place, item: QdiscItem) -> Iterator[str]:
    if place.at == "root":
        yield line("qdisc", "delete", "dev", place.device, "root") + QUIETLY + "\n"
    where = ["root"] if place.at == "root" else ["parent", place.at]
    settings = plugin.qdisc(item.kind).command(item.settings)
    handle = handle_text(item.handle)
    words = ["dev", place.device, *where, "handle", handle, item.kind, *settings]
    yield line("qdisc", "replace", *words) + "\n"


def _rules(item: RulesItem) -> Iterator[str]:
    """Yield one transaction of nft: the old table goes when the new one comes."""
    yield f"nft -f - <<'{END}'\n"
    yield f"add table inet {item.table}\ndelete table inet {item.table}\n{item.text}{END}\n"


def _filter(verb: str, place: Place, *words: str) -> str:
    side = "ingress" if place.at == REDIRECT else "egress"
    everything = ["protocol", "all"] if words else []
    where = ["dev", place.device, side, *everything, "pref", str(PREFS[place.at])]
    return line("filter", verb, *where, *words)


def _words(item: FilterItem) -> Iterator[str]:
    """Yield tc's words for a filter that takes every packet."""
    match item.kind:
        case "u32":
            yield from ("u32", "match", "u32", "0", "0")
        case "bpf":
            yield from ("bpf", "bytecode", "1,6 0 0 4294967295,")
        case kind:
            yield from ("handle", "1", kind)
    if item.restores is not None:
        value, valid = item.restores
        yield from ("action", "ctinfo", "dscp", str(value), str(valid))
    if item.clears_priority:
        yield from ("action", "skbedit", "priority", "0:0")
    if item.redirects:
        yield from ("action", "mirred", "egress", "redirect", "dev", item.redirects)


def _sysctls(lowered: Sequence[LoweredQdisc]) -> Iterator[str]:
    wanted = {name: value for one in lowered for name, value in one.sysctls.items()}
    for name, value in sorted(wanted.items()):
        yield f"sysctl -w {shlex.quote(f'{name}={value}')}\n"
