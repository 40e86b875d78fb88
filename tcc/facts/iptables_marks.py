"""Who uses marks in iptables, from what iptables-save(8) prints (iptables-extensions(8))."""

import shlex
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Final

from tcc.facts.model import MarkUse
from tcc.facts.nft_marks import ALL, Bits, Mark

_EXTENSIONS: Final[Mapping[str, Mark]] = {
    "mark": "packet",
    "MARK": "packet",
    "TPROXY": "packet",
    "connmark": "connection",
    "CONNMARK": "connection",
}
_MASKED: Final = {"--mark", "--set-xmark", "--set-mark", "--tproxy-mark"}
_BITS: Final = {"--or-mark", "--xor-mark", "--and-mark"}
_MOVED: Final = {"--save-mark", "--restore-mark"}


def iptables_marks(text: str, program: str) -> Iterator[MarkUse]:
    """Yield who uses marks, by table; `program` is what the rules belong to."""
    table = "?"
    for line in text.splitlines():
        if line.startswith("*"):
            table = line[1:].strip()
        elif line.startswith("-A"):
            for mark, mask in _line_marks(_words(line)):
                yield MarkUse(who=f"{program} {table}", mark=mark, mask=mask)


def _words(line: str) -> list[str]:
    """Return the words of a rule; a comment is one, whatever it says."""
    try:
        return shlex.split(line)
    except ValueError:  # a quotation without an end, which is not what iptables-save prints
        return line.split()


def _line_marks(words: Sequence[str]) -> Iterator[Bits]:
    """Yield the bits that a rule uses; an option belongs to the match or target before it."""
    mark: Mark | None = None
    for word, value in zip(words, (*words[1:], ""), strict=True):
        if word in {"-m", "-j", "--match", "--jump"}:
            mark = _EXTENSIONS.get(value)
        elif mark is None:
            continue
        elif word in _MASKED:
            yield mark, _mask(value)
        elif word in _BITS:
            bits = _number(value)
            yield mark, ~bits & ALL if word == "--and-mark" else bits
        elif word in _MOVED:
            named = {name: _number(text) for name, text in pairwise(words)
                     if name in {"--nfmask", "--ctmask", "--mask"}}  # fmt: skip
            both = named.get("--mask", ALL)
            yield "packet", named.get("--nfmask", both)
            yield "connection", named.get("--ctmask", both)


def _mask(value: str) -> int:
    _, slash, mask = value.partition("/")
    return _number(mask) if slash else ALL


def _number(text: str) -> int:
    """Return a mask; all bits where it is none that can be read."""
    try:
        return int(text, 0) & ALL
    except ValueError:
        return ALL
