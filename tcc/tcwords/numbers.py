"""Numbers as tc(8) reads them, exactly.

Sources: get_rate64(), get_size() and get_time() of iproute2 (lib/utils.c, tc/tc_util.c), and
tc(8), "UNITS". `bps` is bytes per second to tc.

    >>> rate_of("1.5mbit"), rate_of("100kbps"), rate_of("9")
    (1500000, 800000, 9)
    >>> size_of("15k"), time_of("50ms"), time_of("5000")
    (15360, 50000, 5000)
"""

import re
from fractions import Fraction
from typing import Final

BITS: Final = 8
_WRITTEN = re.compile(
    r"\+?(0[xX][0-9a-fA-F]+|(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?)(.*)"
)
_PLAIN = re.compile(r"(?!0[xX])([0-9]{1,18})([a-zA-Z]{0,8})", re.ASCII)
"""Nearly every number; one with a leading zero is decimal to tc all the same."""
_SCALES: Final = {"": 0, "k": 1, "m": 2, "g": 3, "t": 4}
_RATE = re.compile(r"([kmgt]?)(i?)(bit|bps)")
_SIZES: Final = {
    "": 1, "b": 1, "k": 2**10, "kb": 2**10, "m": 2**20, "mb": 2**20, "g": 2**30, "gb": 2**30,
    "kbit": 128, "mbit": 2**17, "gbit": 2**27,
}  # fmt: skip
_TIMES: Final = {
    "": Fraction(1), "us": Fraction(1), "usec": Fraction(1), "usecs": Fraction(1),
    "ms": Fraction(1000), "msec": Fraction(1000), "msecs": Fraction(1000),
    "s": Fraction(10**6), "sec": Fraction(10**6), "secs": Fraction(10**6),
    "ns": Fraction(1, 1000), "nsec": Fraction(1, 1000), "nsecs": Fraction(1, 1000),
}  # fmt: skip
_LONGEST: Final = 40
_EXPONENTS: Final = range(-30, 31)


class NumberError(ValueError):
    """A number that tc would refuse; the message says why."""


def rate_of(text: str) -> int:
    """Return bit/s, cut to what whole bytes per second can carry only by the kernel."""
    amount, suffix = _amount(text)
    if not suffix:
        return int(amount)
    unit = _RATE.fullmatch(suffix.lower())
    if unit is None:
        raise NumberError(f"`{text}` is no rate")
    base = 1024 if unit[2] else 1000
    scaled = amount * base ** _SCALES[unit[1]] * (BITS if unit[3] == "bps" else 1)
    return int(scaled)


def size_of(text: str) -> int:
    """Return bytes."""
    amount, suffix = _amount(text)
    if suffix.lower() not in _SIZES:
        raise NumberError(f"`{text}` is no size")
    return int(amount * _SIZES[suffix.lower()])


def time_of(text: str) -> int:
    """Return us, rounded down."""
    amount, suffix = _amount(text)
    if suffix.lower() not in _TIMES:
        raise NumberError(f"`{text}` is no time")
    return int(amount * _TIMES[suffix.lower()])


def count_of(text: str) -> int:
    """Return a plain integer as C reads it: decimal, 0x.., or octal with a leading 0."""
    try:
        if re.fullmatch(r"-?0[0-7]+", text):
            return int(text, 8)
        return int(text, 0)
    except ValueError as problem:
        raise NumberError(f"`{text}` is no whole number") from problem


def decimal_of(text: str) -> int | None:
    """Return digits as a number; None where they are anything else, or too many."""
    return int(text) if text.isascii() and text.isdecimal() and len(text) <= _LONGEST else None


def _amount(text: str) -> tuple[Fraction | int, str]:
    plain = _PLAIN.fullmatch(text)
    if plain is not None:
        return int(plain[1]), plain[2]
    written = _WRITTEN.fullmatch(text)
    if written is None or len(text) > _LONGEST:
        raise NumberError(f"`{text}` is no number")
    digits, suffix = written[1], written[2]
    if digits.lower().startswith("0x"):
        return Fraction(int(digits, 16)), suffix
    exponent = re.search(r"[eE]([-+]?[0-9]+)$", digits)
    if exponent and int(exponent[1]) not in _EXPONENTS:
        raise NumberError(f"`{text}` is out of range")
    return Fraction(digits), suffix
