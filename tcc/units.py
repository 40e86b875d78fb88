"""Quantities with their units: bit/s, bytes, nanoseconds.

Inside the compiler a rate is an integer of bit/s, a size an integer of bytes (which may
be negative: an overhead), a duration an integer of ns. While a policy is read, values are
exact fractions; they become integers once, here, by `whole`. There are no floats.

Units are those of tc(8) as far as they mean one thing: `k m g t` are powers of 1000,
`ki mi gi ti` powers of 1024; a rate is written in bits (`100mbit`) or bytes (`12.5MB/s`).
`bps` means bytes per second to tc and bits per second to everyone else, so it is refused.
"""

import re
from dataclasses import dataclass
from enum import Enum
from fractions import Fraction
from typing import NewType

BitRate = NewType("BitRate", int)
Bytes = NewType("Bytes", int)
Nanoseconds = NewType("Nanoseconds", int)

NS_PER_S = 1_000_000_000
NS_PER_MS = 1_000_000
NS_PER_US = 1_000


class Dimension(Enum):
    """What a quantity measures."""

    RATE = "rate"
    SIZE = "size"
    DURATION = "duration"
    PERCENT = "percent"
    COUNT = "count"

    def __str__(self) -> str:
        """Return the word used in messages."""
        return self.value


@dataclass(frozen=True, slots=True)
class Quantity:
    """An exact amount: bit/s, bytes, ns, a fraction of one (percent) or a bare number."""

    amount: Fraction
    dimension: Dimension


_DECIMAL = {"": 1, "k": 10**3, "m": 10**6, "g": 10**9, "t": 10**12}
_BINARY = {"ki": 2**10, "mi": 2**20, "gi": 2**30, "ti": 2**40}
_SCALES = _DECIMAL | _BINARY

# Unit words, lower case, with their factor to the base unit.
RATE_UNITS = {f"{scale}bit": factor for scale, factor in _SCALES.items()} | {
    f"{scale}b/s": 8 * factor for scale, factor in _SCALES.items()
}
# In tc's sizes k means 1024; here KB is 1000 and KiB 1024, as the words say (IEC 80000-13).
SIZE_UNITS = {f"{scale}b": factor for scale, factor in _SCALES.items()}
DURATION_UNITS = {
    "ns": 1,
    "us": 10**3,
    "ms": 10**6,
    "s": 10**9,
    "min": 60 * 10**9,
    "h": 3600 * 10**9,
}


def unit_of(word: str) -> tuple[Dimension, int] | None:
    """Return the dimension and factor of a unit word, or None when it is not one.

    Bit units are read without regard to case. A byte unit has a capital B (`KiB`, `MB/s`):
    `b` alone stands for bits to some readers and for bytes to tc.
    """
    lower = word.lower()
    if lower.endswith("bit"):
        factor = RATE_UNITS.get(lower)
        return (Dimension.RATE, factor) if factor else None
    if word.endswith("B/s"):
        factor = RATE_UNITS.get(lower)
        return (Dimension.RATE, factor) if factor else None
    if word.endswith("B"):
        factor = SIZE_UNITS.get(lower)
        return (Dimension.SIZE, factor) if factor else None
    if word == lower:
        factor = DURATION_UNITS.get(word)
        return (Dimension.DURATION, factor) if factor else None
    return None


_WRITTEN = re.compile(r"(-?[0-9]{1,30}(?:\.[0-9]{1,30})?)([A-Za-z/%]*)")


def read_quantity(text: str) -> Quantity | None:
    """Read `100mbit`, `-4B`, `95%` or `16`; None when it is not a number with a known unit."""
    written = _WRITTEN.fullmatch(text)
    if written is None:
        return None
    amount, unit = Fraction(written[1]), written[2]
    if not unit:
        return Quantity(amount, Dimension.COUNT)
    if unit == "%":
        return Quantity(amount / 100, Dimension.PERCENT)
    known = unit_of(unit)
    return Quantity(amount * known[1], known[0]) if known else None


def whole(amount: Fraction) -> int:
    """Round half up to an integer of the base unit: the one place where fractions end."""
    return (2 * amount.numerator + amount.denominator) // (2 * amount.denominator)


def _scaled(value: int, units: tuple[tuple[str, int], ...]) -> str:
    """Print `value` in the largest unit that needs at most three decimals, exactly."""
    for name, factor in units:
        if abs(value) >= factor and value * 1000 % factor == 0:
            thousandths = value * 1000 // factor
            sign, thousandths = ("-", -thousandths) if thousandths < 0 else ("", thousandths)
            head, tail = divmod(thousandths, 1000)
            return f"{sign}{head}" + (f".{tail:03}".rstrip("0") if tail else "") + name
    return f"{value}{units[-1][0]}"


def format_rate(rate: int) -> str:
    """Print bit/s exactly, as a policy would write it: `18.5mbit`."""
    return _scaled(
        rate,
        (
            ("tbit", 10**12),
            ("gbit", 10**9),
            ("mbit", 10**6),
            ("kbit", 10**3),
            ("bit", 1),
        ),
    )


def format_size(size: int) -> str:
    """Print bytes exactly: `64KiB`, `1514B`."""
    for name, factor in (("GiB", 2**30), ("MiB", 2**20), ("KiB", 2**10)):
        if size and size % factor == 0:
            return f"{size // factor}{name}"
    return f"{size}B"


def format_duration(duration: int) -> str:
    """Print ns exactly: `20ms`, `1.5s`."""
    return _scaled(duration, (("s", NS_PER_S), ("ms", NS_PER_MS), ("us", NS_PER_US), ("ns", 1)))


def bytes_in(duration: int, rate: int) -> Bytes:
    """Return how many whole bytes pass in `duration` ns at `rate` bit/s, rounded down."""
    return Bytes(duration * rate // (8 * NS_PER_S))


def time_for(size: int, rate: int) -> Nanoseconds:
    """Return how long `size` bytes take at `rate` bit/s, in ns, rounded up."""
    return Nanoseconds(-(-size * 8 * NS_PER_S // rate))
