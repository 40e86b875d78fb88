"""The words of qdiscs that are inside of others, from tc's to a policy's: with units."""

from collections.abc import Callable, Mapping, Sequence
from typing import Final

from tcc.tcwords.numbers import NumberError, count_of, size_of, time_of
from tcc.units import NS_PER_S, NS_PER_US, format_duration


def _size(text: str) -> str:
    return f"{size_of(text)}B"


def _time(text: str) -> str:
    return format_duration(time_of(text) * NS_PER_US)


def _seconds(text: str) -> str:
    return format_duration(count_of(text.removesuffix("sec").removesuffix("s")) * NS_PER_S)


def _count(text: str) -> str:
    return str(count_of(text.removesuffix("p")))


Reader = Callable[[str], str]
_KINDS: Final[Mapping[str, Mapping[str, Reader]]] = {
    "fq_codel": {
        "limit": _count, "flows": _count, "quantum": _size, "target": _time, "interval": _time,
        "memory_limit": _size, "ce_threshold": _time, "drop_batch": _count,
    },
    "sfq": {
        "limit": _count, "perturb": _seconds, "quantum": _size, "divisor": _count,
        "flows": _count, "depth": _count,
    },
    "pfifo": {"limit": _count},
    "bfifo": {"limit": _size},
}  # fmt: skip
_FLAGS: Final[Mapping[str, Sequence[str]]] = {"fq_codel": ("ecn", "noecn"), "sfq": ("headdrop",)}


def is_known(kind: str) -> bool:
    """Whether a policy can have this kind inside of tbf."""
    return kind in _KINDS


def inner_words(kind: str, words: Sequence[str]) -> tuple[list[str], list[str]]:
    """Return options as a policy writes them, and the words that it has none for."""
    made: list[str] = []
    unknown: list[str] = []
    left = iter(words)
    for word in left:
        if word in _FLAGS.get(kind, ()):
            made.append(word)
            continue
        reader = _KINDS[kind].get(word)
        operand = next(left, "") if reader else ""
        try:
            made.append(f"{word} {reader(operand)}" if reader else "")
        except NumberError:
            reader = None
        if reader is None:
            made = [one for one in made if one]
            unknown.append(word)
    return made, unknown


def inner_text(kind: str, words: Sequence[str]) -> str:
    """Return the clause `inner` with its block."""
    made, _ = inner_words(kind, words)
    if not made:
        return f"inner {kind}"
    return f"inner {kind} {{\n" + "\n".join(made) + "\n}"
