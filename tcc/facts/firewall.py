"""What the firewall has that shaping meets: flowtables, and users of marks.

nftables are asked for as JSON (libnftables-json(5)), iptables by iptables-save(8), rules of
routing over netlink (include/uapi/linux/fib_rules.h). Our own tables are left out.
"""

import errno
import json
import re
import struct
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, Literal, NamedTuple

from tcc.facts.model import FlowtableFacts, MarkUse
from tcc.netlink.attributes import Field, Schema, decode
from tcc.netlink.messages import KernelRefusal, Message, Reply
from tcc.netlink.transport import RouteSocket
from tcc.netlink.wire import U32

OURS: Final = "tcc-"
ALL: Final = 0xFFFFFFFF
RTM_GETRULE: Final = 34
PATIENCE: Final = 10
"""Seconds for a program that lists rules."""
Mark = Literal["packet", "connection"]


class Firewall(NamedTuple):
    """What was found; None where it could not be looked at."""

    flowtables: tuple[FlowtableFacts, ...] | None
    marks: tuple[MarkUse, ...] | None


def firewall() -> Firewall:
    """Return what the namespace of the calling thread has."""
    text = _output(["nft", "-j", "list", "ruleset"])
    if text is None:
        return Firewall(None, None)
    ruleset = _ruleset(text)
    marks = [*nft_marks(ruleset)]
    for program in ("iptables-save", "ip6tables-save"):
        marks += iptables_marks(_output([program]) or "", program.removesuffix("-save"))
    return Firewall(tuple(flowtables(ruleset)), tuple(dict.fromkeys(marks)))


def _output(command: Sequence[str]) -> str | None:
    """Return what a program prints; None where it is not there, fails, or takes too long."""
    try:
        done = subprocess.run(
            command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False,
            timeout=PATIENCE, errors="replace",
        )  # fmt: skip
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout if done.returncode == 0 else None


def _ruleset(text: str) -> list[dict[str, Any]]:
    try:
        found = json.loads(text)["nftables"]
    except (ValueError, KeyError, TypeError):
        return []
    return [one for one in found if isinstance(one, dict)] if isinstance(found, list) else []


def flowtables(ruleset: Sequence[Mapping[str, Any]]) -> Iterator[FlowtableFacts]:
    """Yield the flowtables of a ruleset."""
    for one in ruleset:
        table = one.get("flowtable")
        if not isinstance(table, Mapping):
            continue
        devices, flags = table.get("dev", ()), table.get("flags", ())
        yield FlowtableFacts(
            table=f"{table.get('family')} {table.get('table')}",
            name=str(table.get("name")),
            devices=tuple([devices] if isinstance(devices, str) else map(str, devices)),
            hardware="offload" in ([flags] if isinstance(flags, str) else flags),
        )


def nft_marks(ruleset: Sequence[Mapping[str, Any]]) -> Iterator[MarkUse]:
    """Yield who uses marks in nftables, by table."""
    for one in ruleset:
        rule = one.get("rule")
        if not isinstance(rule, Mapping) or str(rule.get("table", "")).startswith(OURS):
            continue
        who = f"nft {rule.get('family')} {rule.get('table')}"
        for expression in rule.get("expr", ()):
            for mark, mask in _used(expression):
                yield MarkUse(who=who, mark=mark, mask=mask)


def _used(expression: Any) -> Iterator[tuple[Mark, int]]:  # noqa: ANN401
    """Yield which bits one statement sets or compares."""
    if not isinstance(expression, Mapping):
        return
    if isinstance(set_ := expression.get("mangle"), Mapping):
        mark = _mark(set_.get("key"))
        if mark is not None:
            yield mark, _altered(set_.get("value"))
    if isinstance(match := expression.get("match"), Mapping):
        left = match.get("left")
        masked = left.get("&") if isinstance(left, Mapping) else None
        if isinstance(masked, list) and len(masked) == 2:
            mark, mask = _mark(masked[0]), masked[1]
            if mark is not None:
                yield mark, mask & ALL if isinstance(mask, int) else ALL
        elif (mark := _mark(left)) is not None:
            yield mark, ALL


def _mark(key: Any) -> Mark | None:  # noqa: ANN401
    if isinstance(key, Mapping):
        for kind, mark in (("meta", "packet"), ("ct", "connection")):
            inner = key.get(kind)
            if isinstance(inner, Mapping) and inner.get("key") == "mark":
                return "packet" if mark == "packet" else "connection"
    return None


def _altered(value: Any) -> int:  # noqa: ANN401
    """Return the bits that `set` alters: all but those that it keeps by `and`."""
    if isinstance(value, Mapping):
        if isinstance(value.get("&"), list) and len(value["&"]) == 2:
            kept = value["&"][1]
            return ~kept & ALL if isinstance(kept, int) else ALL
        if isinstance(value.get("|"), list) and len(value["|"]) == 2:
            first, more = value["|"]
            bits = more & ALL if isinstance(more, int) else ALL
            if _mark(first) is not None:
                return bits
            return _altered(first) | bits
    return ALL


_TABLE = re.compile(r"\*(\S+)")
_VALUE = r"(0x[0-9a-fA-F]+|[0-9]+)"
_MASKED = re.compile(rf"--(?:set-xmark|set-mark|mark|tproxy-mark) {_VALUE}(?:/{_VALUE})?")
_BITS = re.compile(rf"--(?:or-mark|xor-mark|and-mark) {_VALUE}")
_MOVED = re.compile(rf"--(nfmask|ctmask|mask) {_VALUE}")


def iptables_marks(text: str, program: str) -> Iterator[MarkUse]:
    """Yield who uses marks in what iptables-save(8) prints (iptables-extensions(8))."""
    table = "?"
    for line in text.splitlines():
        if begins := _TABLE.match(line):
            table = begins[1]
        if "mark" not in line.lower() or not line.startswith("-A"):
            continue
        who = f"{program} {table}"
        for mark, mask in _line_marks(line):
            yield MarkUse(who=who, mark=mark, mask=mask)


def _line_marks(line: str) -> Iterator[tuple[Mark, int]]:
    connection = "CONNMARK" in line or "connmark" in line
    mark: Mark = "connection" if connection else "packet"
    for found in _MASKED.finditer(line):
        yield mark, int(found[2], 0) if found[2] else ALL
    for found in _BITS.finditer(line):
        bits = int(found[1], 0)
        yield mark, ~bits & ALL if "--and-mark" in found[0] else bits
    if "--save-mark" in line or "--restore-mark" in line:
        masks = {found[1]: int(found[2], 0) for found in _MOVED.finditer(line)}
        both = masks.get("mask", ALL)
        yield "packet", masks.get("nfmask", both)
        yield "connection", masks.get("ctmask", both)


_RULE_HEADER: Final = struct.calcsize("=8BI")
_RULE = Schema("rule", (Field(6, "PRIORITY", U32), Field(10, "FWMARK", U32),
                        Field(16, "FWMASK", U32)))  # fmt: skip
_FAMILIES: Final = (2, 10)


def rule_marks(route: RouteSocket) -> Iterator[MarkUse]:
    """Yield which rules of routing look at the packet's mark; kernels may have none at all.

    Raises:
        OSError: the kernel would not list.
    """
    for family in _FAMILIES:
        body = bytes([family]) + bytes(_RULE_HEADER - 1)
        try:
            replies = route.dump(Message(RTM_GETRULE, 0, body), Reply)
        except KernelRefusal as problem:  # built without CONFIG_IP_MULTIPLE_TABLES
            if problem.errno not in {errno.EAFNOSUPPORT, errno.EOPNOTSUPP}:
                raise
            continue
        for reply in replies:
            told = dict(decode(_RULE, reply.data, reply.start + _RULE_HEADER, reply.stop))
            mask = told.get("FWMASK", 0)
            if isinstance(mask, int) and mask:
                yield MarkUse(who=f"ip rule {told.get('PRIORITY', 0)}", mark="packet", mask=mask)
