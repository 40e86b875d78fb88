"""Who uses marks in nftables, from their JSON (libnftables-json(5)); our tables are left out."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, Literal

from tcc.facts.model import MarkUse

OURS: Final = "tcc-"
ALL: Final = 0xFFFFFFFF
Mark = Literal["packet", "connection"]
Bits = tuple[Mark, int]
_KINDS: Final[Mapping[str, Mark]] = {"meta": "packet", "ct": "connection"}
_TARGETS: Final[Mapping[str, Mark]] = {
    "mark": "packet",
    "MARK": "packet",
    "connmark": "connection",
    "CONNMARK": "connection",
}


def nft_marks(ruleset: Sequence[Mapping[str, Any]], *, foreign: bool = False) -> Iterator[MarkUse]:
    """Yield who uses marks, by table.

    Args:
        ruleset: what nft lists.
        foreign: whether to count what iptables(8) has put there, of which nft shows the name
            alone (`xt`), as use of all bits; iptables-save(8) knows it better.
    """
    for one in ruleset:
        rule = one.get("rule")
        if not isinstance(rule, Mapping) or str(rule.get("table", "")).startswith(OURS):
            continue
        who = f"nft {rule.get('family')} {rule.get('table')}"
        for statement in rule.get("expr", ()):
            for mark, mask in _used(statement, foreign):
                yield MarkUse(who=who, mark=mark, mask=mask)


def _used(statement: Any, foreign: bool) -> Iterator[Bits]:  # noqa: ANN401
    """Yield which bits one statement sets, compares, looks up or keeps elsewhere."""
    if not isinstance(statement, Mapping):
        return
    if isinstance(set_ := statement.get("mangle"), Mapping):
        yield from _set(set_)
    elif isinstance(match := statement.get("match"), Mapping):
        bits = _compared(match.get("right"))
        for mark, mask in (*_read(match.get("left")), *_read(match.get("right"))):
            yield mark, mask & bits
    elif isinstance(other := statement.get("xt"), Mapping):
        if foreign and (mark_ := _TARGETS.get(str(other.get("name")))):
            yield mark_, ALL
    else:
        yield from _read(statement)


def _set(statement: Mapping[str, Any]) -> Iterator[Bits]:
    """Yield the bits that `set` alters, and those of another mark that it takes them from."""
    key, value = statement.get("key"), statement.get("value")
    own = _mark(key)
    if own is not None:
        yield own, _altered(value)
    yield from (one for one in _read(value) if one[0] != own)


def _read(expression: Any, mask: int = ALL) -> Iterator[Bits]:  # noqa: ANN401
    """Yield the marks in an expression, each with the mask that it is taken by."""
    if isinstance(expression, list):
        for one in expression:
            yield from _read(one)
    elif isinstance(expression, Mapping):
        mark = _mark(expression)
        if mark is not None:
            yield mark, mask
            return
        masked = expression.get("&")
        if isinstance(masked, list) and len(masked) == 2:
            bits = masked[1] & ALL if isinstance(masked[1], int) else ALL
            yield from _read(masked[0], bits)
            return
        for one in expression.values():
            yield from _read(one)


def _compared(right: Any) -> int:  # noqa: ANN401
    """Return the bits that a comparison looks at: of a prefix the first ones."""
    prefix = right.get("prefix") if isinstance(right, Mapping) else None
    length = prefix.get("len") if isinstance(prefix, Mapping) else None
    return ALL << (32 - length) & ALL if isinstance(length, int) and 0 <= length <= 32 else ALL


def _mark(key: Any) -> Mark | None:  # noqa: ANN401
    if isinstance(key, Mapping):
        for kind, mark in _KINDS.items():
            inner = key.get(kind)
            if isinstance(inner, Mapping) and inner.get("key") == "mark":
                return mark
    return None


def _altered(value: Any) -> int:  # noqa: ANN401
    """Return the bits that `set` alters: all but those that it keeps by `and`."""
    if isinstance(value, Mapping):
        if isinstance(value.get("&"), list) and len(value["&"]) == 2:
            kept = value["&"][1]
            return ~kept & ALL if isinstance(kept, int) else ALL
        added = value.get("|", value.get("^"))
        if isinstance(added, list) and len(added) == 2:
            first, more = added
            bits = more & ALL if isinstance(more, int) else ALL
            if _mark(first) is not None:
                return bits
            return _altered(first) | bits
    return ALL
