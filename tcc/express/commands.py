r"""A state of the kernel as commands of tc(8), ip(8) and nft(8), for scripts that make it so.

Numbers are plain, so that no unit of tc's can be misread; a root comes before what hangs in it.
The commands may run again and then leave the same: they take the old root away first, because a
live qdisc keeps what tc has no words to reset (cake: mpu, memlimit and fwmark), and because sfq
and fq_codel refuse to be changed.

    >>> print(line("qdisc", "replace", "dev", "eth 0", "root", "handle", "1:", "cake"))
    tc qdisc replace dev 'eth 0' root handle 1: cake
"""

import shlex
from collections.abc import Iterator, Sequence

from tcc import plugin
from tcc.lower.ingress import PREFS
from tcc.lower.link import LoweredQdisc
from tcc.plan.state import (
    REDIRECT,
    FilterItem,
    HookItem,
    LinkItem,
    Place,
    QdiscItem,
    RulesItem,
    State,
    handle_text,
)

SHELL = "#!/bin/sh\n"
NEED = (
    "command -v {0} >/dev/null ||"
    " {{ echo '{0} is not installed: it comes with {1}' >&2; exit 1; }}\n"
)
PROGRAMS = {"tc": "iproute2", "ip": "iproute2", "nft": "nftables"}
END = "TCC_RULES"
QUIETLY = " 2>/dev/null || :"


def script(state: State, lowered: Sequence[LoweredQdisc], head: str) -> str:
    """Return a POSIX shell script that makes `state` so, with `head` as its comments."""
    body = "".join([*commands(state), *sysctls(lowered)])
    text = SHELL + head + "set -eu\n"
    for program, package in PROGRAMS.items():
        if program == "tc" or f"\n{program} " in f"\n{body}":
            text += NEED.format(program, package)
    return text + body


def line(*words: str) -> str:
    """Return one command of tc, its words quoted where the shell would see more than a word."""
    return _line("tc", *words)


def _line(*words: str) -> str:
    return " ".join(shlex.quote(word) for word in words)


def commands(state: State) -> Iterator[str]:
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


def sysctls(lowered: Sequence[LoweredQdisc]) -> Iterator[str]:
    """Yield the commands for the kernel settings that go with some qdiscs."""
    wanted = {name: value for one in lowered for name, value in one.sysctls.items()}
    for name, value in sorted(wanted.items()):
        yield f"sysctl -w {shlex.quote(f'{name}={value}')}\n"
