"""The words of CAKE replayed as tc does it: left to right, the last word on a thing holds.

Presets of the link layer add to the overhead before them and numbers replace it, so the order
decides: `ethernet overhead 40` is 40 bytes, `overhead 40 ethernet` is 78. `raw` is never taken
back. Source: cake_parse_opt() in q_cake.c of iproute2; tc-cake(8).

    >>> replay("ethernet overhead 40".split()).said.overhead
    40
    >>> replay("overhead 40 ethernet".split()).said.overhead
    78
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Final, NamedTuple

from tcc.tcwords.numbers import NumberError, count_of, rate_of, size_of, time_of

MODES: Final = ("diffserv3", "diffserv4", "diffserv8", "besteffort", "precedence")
FLOWS: Final = (
    "flowblind", "srchost", "dsthost", "hosts", "flows", "dual-srchost", "dual-dsthost",
    "triple-isolate",
)  # fmt: skip
RTTS: Final = {
    "datacentre": 100, "lan": 1_000, "metro": 10_000, "regional": 30_000, "internet": 100_000,
    "oceanic": 300_000, "satellite": 1_000_000, "interplanetary": 1_000_000_000,
}  # fmt: skip
"""us."""


class CakeSaid(NamedTuple):
    """What a CAKE is after tc's words: the kernel's defaults where nothing was said."""

    rate: int = 0
    """bit/s; 0 is unlimited."""
    autorate: bool = False
    mode: str = "diffserv3"
    flow: str = "triple-isolate"
    nat: bool = False
    wash: bool = False
    ingress: bool = False
    ack: str = "no-ack-filter"
    split: bool = True
    rtt: int = 100_000
    """us."""
    raw: bool = True
    cells: str = "noatm"
    overhead: int = 0
    mpu: int = 0
    memlimit: int = 0
    """Bytes; 0 lets the kernel choose."""
    fwmark: int = 0


_DEFAULTS: Final = CakeSaid._field_defaults


class _Preset(NamedTuple):
    overhead: int
    cells: str | None = None
    mpu: int | None = None
    sets: bool = False


_PRESETS: Final = {
    "raw": _Preset(0, "noatm", sets=True),
    "conservative": _Preset(48, "atm", sets=True),
    "ipoa-vcmux": _Preset(8, "atm"),
    "ipoa-llcsnap": _Preset(16, "atm"),
    "bridged-vcmux": _Preset(24, "atm"),
    "bridged-llcsnap": _Preset(32, "atm"),
    "pppoa-vcmux": _Preset(10, "atm"),
    "pppoa-llc": _Preset(14, "atm"),
    "pppoe-vcmux": _Preset(32, "atm"),
    "pppoe-llcsnap": _Preset(40, "atm"),
    "pppoe-ptm": _Preset(30, "ptm"),
    "bridged-ptm": _Preset(22, "ptm"),
    "ethernet": _Preset(38, mpu=84),
    "ether-vlan": _Preset(4),
    "docsis": _Preset(18, "noatm", 64),
}
_FLAGS: Final[dict[str, tuple[str, object]]] = {
    "nat": ("nat", True), "nonat": ("nat", False),
    "wash": ("wash", True), "nowash": ("wash", False),
    "split-gso": ("split", True), "no-split-gso": ("split", False),
    "ingress": ("ingress", True), "egress": ("ingress", False),
    "autorate-ingress": ("autorate", True),
    "diffserv": ("mode", "diffserv4"),
    **{word: ("mode", word) for word in MODES},
    **{word: ("flow", word) for word in FLOWS},
    **{word: ("ack", word) for word in ("ack-filter", "ack-filter-aggressive", "no-ack-filter")},
    **{word: ("cells", word) for word in ("atm", "ptm", "noatm")},
    **{word: ("rtt", us) for word, us in RTTS.items()},
}  # fmt: skip
OVERHEADS, MPUS = range(-64, 257), range(257)
U32: Final = range(2**32)


class Note(NamedTuple):
    """Something that is odd about a command: a code, and a sentence."""

    code: str
    text: str


@dataclass
class Replay:
    """What the words came to, which settings were mentioned, and what is odd about them."""

    values: dict[str, Any] = field(default_factory=dict)
    """What differs from the kernel's defaults, by field of CakeSaid."""
    mentioned: dict[str, list[str]] = field(default_factory=dict)
    """By field, each value that was given, in order."""
    notes: list[Note] = field(default_factory=list)
    unknown: list[str] = field(default_factory=list)
    """Words that tc would refuse."""

    @property
    def said(self) -> CakeSaid:
        """What the words came to."""
        return CakeSaid(**self.values)

    def now(self, name: str) -> Any:  # noqa: ANN401  (as the field is)
        """Return what a field of CakeSaid has come to."""
        return self.values.get(name, _DEFAULTS[name])


def said_by(words: Sequence[str]) -> CakeSaid:
    """Return what canonical words say, such as those that the cake plugin writes."""
    if words[:1] == ["bandwidth"]:  # alone in differing between the sites of a fleet
        return _said_by(tuple(words[2:]))._replace(rate=rate_of(words[1]))
    return _said_by(tuple(words))


@lru_cache(maxsize=1024)
def _said_by(words: tuple[str, ...]) -> CakeSaid:
    return replay(words).said


def replay(words: Sequence[str], start: CakeSaid | None = None) -> Replay:
    """Return what `words`, those after `cake`, make of a fresh qdisc, or of `start`."""
    made = Replay(start._asdict() if start else {})
    left = iter(words)
    for word in left:
        _word(made, word, left)
    made.notes += _oddities(made)
    return made


def _word(made: Replay, word: str, left: Iterator[str]) -> None:
    if word in _FLAGS:
        name, value = _FLAGS[word]
        _set(made, name, value, word)
    elif word in _PRESETS:
        _preset(made, word, _PRESETS[word])
    elif word == "unlimited":
        _rate(made, 0, word)
    elif word in _OPERANDS:
        operand = next(left, None)
        if operand is None:
            made.notes.append(Note("operand-missing", f"`{word}` has no value"))
            return
        try:
            _OPERANDS[word](made, operand)
        except NumberError as problem:
            made.notes.append(Note("number-refused", f"{word}: {problem}; tc would refuse it"))
    elif word != "via-ethernet":
        made.unknown.append(word)


def _set(made: Replay, name: str, value: object, word: str) -> None:
    made.values[name] = value
    made.mentioned.setdefault(name, []).append(word)


def _rate(made: Replay, rate: int, word: str) -> None:
    """A rate turns autorate-ingress off, which therefore has to come after it."""
    if made.now("autorate"):
        made.notes.append(
            Note("autorate-undone", f"`{word}` after `autorate-ingress` turns that off")
        )
    _set(made, "autorate", False, word)
    made.mentioned.pop("autorate")
    _set(made, "rate", rate, word)


def _preset(made: Replay, word: str, preset: _Preset) -> None:
    before = made.now("overhead")
    overhead = preset.overhead + (0 if preset.sets else before)
    if before and not preset.sets and word != "ether-vlan" and "overhead" in made.mentioned:
        made.notes.append(
            Note(
                "overhead-added",
                f"`{word}` adds its {preset.overhead} bytes to the {before} before it: "
                f"{overhead} in all",
            )
        )
    _set(made, "overhead", overhead, word)
    if word == "raw":
        _set(made, "raw", True, word)
    elif "raw" not in made.mentioned:
        made.values["raw"] = False
    if preset.cells is not None:
        _set(made, "cells", preset.cells, word)
    if preset.mpu is not None:
        _set(made, "mpu", preset.mpu, word)


def _overhead(made: Replay, text: str) -> None:
    number = _bounded(text, OVERHEADS)
    before = made.mentioned.get("overhead", [])
    was = made.now("overhead")
    if was and was != number and before:
        made.notes.append(
            Note(
                "overhead-replaced",
                f"`overhead {number}` replaces the {was} bytes of `{before[-1]}` before it",
            )
        )
    _set(made, "overhead", number, f"overhead {text}")
    if "raw" not in made.mentioned:
        made.values["raw"] = False


def _bounded(text: str, allowed: range) -> int:
    number = count_of(text)
    if number not in allowed:
        raise NumberError(f"{text} is outside {allowed[0]}..{allowed[-1]}")
    return number


def _fits(number: int, text: str) -> int:
    if number not in U32:
        raise NumberError(f"{text} does not fit 32 bits")
    return number


_OPERANDS: Final[dict[str, Callable[[Replay, str], None]]] = {
    "bandwidth": lambda made, text: _rate(made, rate_of(text), f"bandwidth {text}"),
    "rtt": lambda made, text: _set(made, "rtt", max(1, _fits(time_of(text), text)), f"rtt {text}"),
    "overhead": _overhead,
    "mpu": lambda made, text: _set(made, "mpu", _bounded(text, MPUS), f"mpu {text}"),
    "memlimit": lambda made, text: _set(
        made, "memlimit", _fits(size_of(text), text), f"memlimit {text}"
    ),
    "fwmark": lambda made, text: _set(
        made, "fwmark", _fits(count_of(text), text), f"fwmark {text}"
    ),
}

_NAMES: Final = {
    "rate": "bandwidth", "mode": "tins", "flow": "flow isolation", "nat": "nat", "wash": "wash",
    "ingress": "direction", "ack": "ack-filter", "split": "split-gso", "rtt": "rtt", "mpu": "mpu",
    "memlimit": "memlimit", "fwmark": "fwmark",
}  # fmt: skip


def _oddities(made: Replay) -> Iterator[Note]:
    """Yield where one thing was said in two ways: the last word holds."""
    for name, label in _NAMES.items():
        given = made.mentioned.get(name, [])
        if len(set(given)) > 1:
            said = ", then ".join(f"`{word}`" for word in dict.fromkeys(given))
            yield Note("said-twice", f"{label} is given twice: {said}; the last one holds")
