"""Numbers as written: their exact amounts, and what to say of those that mean nothing.

The commonest mistakes are answered by name. `100Mbps` is bytes per second to tc(8) and
bits per second to everybody else; `64kb` is 65536 bytes to tc and kilobits to others; `5m`
could be minutes, mega or milli. None of them is guessed at.
"""

import re
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

from tcc.syntax.suggestions import did_you_mean
from tcc.units import DURATION_UNITS, Dimension, Quantity, unit_of

MOST_DIGITS = 30

_NUMBER = re.compile(r"(-?)(\d+)(?:\.(\d+))?(%|[A-Za-z]+(?:/s)?)?", re.ASCII)
_HEX = re.compile(r"0[xX][0-9A-Fa-f]+")
_BARE = re.compile(r"(?<![\w.])-?\d+(?:\.\d+)?[ \t]+\Z", re.ASCII)

UNITS = (
    *(f"{scale}bit" for scale in ("", "k", "m", "g", "t", "ki", "mi", "gi", "ti")),
    *(f"{scale}B" for scale in ("", "K", "M", "G", "T", "Ki", "Mi", "Gi", "Ti")),
    *(f"{scale}B/s" for scale in ("", "K", "M", "G", "T", "Ki", "Mi", "Gi", "Ti")),
    *DURATION_UNITS,
)

_BPS = "`bps` is bytes per second to tc and bits per second to everybody else"
_UNITS_HINT = "rates: `100mbit`, `12.5MB/s`; sizes: `1514B`, `64KiB`; durations: `20ms`"

# Other people's words for units that mean one thing only.
_SPELLINGS = {
    **dict.fromkeys(("sec", "secs", "second", "seconds"), "s"),
    **dict.fromkeys(("msec", "msecs", "millisecond", "milliseconds"), "ms"),
    **dict.fromkeys(("usec", "usecs", "µs", "μs", "microsecond", "microseconds"), "us"),
    **dict.fromkeys(("nsec", "nsecs", "nanosecond", "nanoseconds"), "ns"),
    **dict.fromkeys(("mins", "minute", "minutes"), "min"),
    **dict.fromkeys(("hr", "hrs", "hour", "hours"), "h"),
    **dict.fromkeys(("byte", "bytes", "octet", "octets"), "B"),
}
_SHAPE = re.compile(r"(ki|mi|gi|ti|[kmgt]?)(bps|bits?/s|bitps|bits|b/s|bytes?|b|)", re.I)


@dataclass(frozen=True, slots=True)
class Complaint:
    """What is wrong with a number: `fix` is what to write in its place, if that is clear."""

    code: str
    message: str
    hints: tuple[str, ...] = ()
    fix: str | None = None
    safe: bool = False


def read_number(text: str) -> Quantity | Complaint:
    """Return the exact amount of `text`, or what is wrong with it.

    Complaints have the codes `number-too-long`, `number-unit` and `number-malformed`.
    """
    if len(text) > 2 * MOST_DIGITS:
        return _too_long()
    if _HEX.fullmatch(text):
        return Quantity(Fraction(int(text, 16)), Dimension.COUNT)
    match = _NUMBER.fullmatch(text)
    if match is None:
        return complain(text)
    sign, digits, decimals, unit = match.groups("")
    if len(digits) + len(decimals) > MOST_DIGITS:
        return _too_long()
    amount = Fraction(int(f"{sign}{digits}{decimals}"), 10 ** len(decimals))
    if not unit:
        return Quantity(amount, Dimension.COUNT)
    if unit == "%":
        return Quantity(amount / 100, Dimension.PERCENT)
    known = unit_of(unit)
    if known is None:
        return _unit(f"{sign}{digits}" + (decimals and f".{decimals}"), unit)
    return Quantity(amount * known[1], known[0])


def _too_long() -> Complaint:
    return Complaint(
        "number-too-long",
        f"this number has more than {MOST_DIGITS} digits",
        ("no rate, size or duration needs as many",),
    )


def stands_apart(text: str, start: int, end: int) -> bool:
    """Whether the word at `start` is a unit with a blank between it and its number."""
    return _like_unit(text[start:end]) and number_before(text, start) >= 0


@lru_cache(maxsize=256)
def _like_unit(word: str) -> bool:
    """Whether `word` is a unit, or another way to write one."""
    lower = word.lower()
    known = unit_of(word) or lower in _SPELLINGS or lower in DURATION_UNITS
    return bool(known or _SHAPE.fullmatch(word))


def number_before(text: str, start: int) -> int:
    """Return where the bare number that ends in blanks before `start` begins, or -1."""
    match = _BARE.search(text, max(0, start - 2 * MOST_DIGITS), start)
    return match.start() if match else -1


def _unit(number: str, unit: str) -> Complaint:
    """Say what is wrong with `unit`, which is none, behind `number`."""
    lower = unit.lower()
    spelling = _SPELLINGS.get(lower)
    if lower in DURATION_UNITS:
        spelling = lower
    shape = _SHAPE.fullmatch(unit)
    if spelling is None and shape:
        return _ambiguous(number, unit, shape[1], shape[2])
    if spelling is None:
        near = did_you_mean(unit, UNITS)
        if near:
            return Complaint("number-unit", f"`{unit}` is no unit", (), f"{number}{near}")
        return Complaint(
            "number-unit", f"`{unit}` is no unit", (_UNITS_HINT, _word_hint(number, unit))
        )
    return Complaint(
        "number-unit",
        f"the unit `{unit}` is written `{spelling}` here",
        fix=f"{number}{spelling}",
        safe=True,
    )


def _word_hint(number: str, word: str) -> str:
    return f"a word of its own has a blank before it: `{number} {word}`"


def _ambiguous(number: str, unit: str, scale: str, name: str) -> Complaint:
    """Say why a unit of bits or bytes that readers take differently is refused."""
    bits, size = f"{number}{scale.lower()}bit", f"{number}{_capital(scale)}B"
    lower = name.lower()
    if lower in ("bit/s", "bits/s", "bitps", "bits"):
        message = f"the unit `{unit}` is written `{scale.lower()}bit` here"
        hints = ("a bit unit is per second already",) if lower != "bits" else ()
        return Complaint("number-unit", message, hints, bits, True)
    if lower in ("byte", "bytes"):
        return Complaint(
            "number-unit", f"the unit `{unit}` is written `{_capital(scale)}B` here", (), size, True
        )
    if lower == "bps" and name.startswith("B"):
        return Complaint(
            "number-unit",
            f"the unit `{unit}` is written `{_capital(scale)}B/s` here",
            (_BPS,),
            f"{size}/s",
        )
    if lower in ("bps", "b/s"):
        reason = f"`{lower}` is bits per second to most people, and bytes per second to others"
        if lower == "bps":
            reason = _BPS
        cure = f"write `{bits}` for bits or `{size}/s` for bytes"
        return Complaint("number-unit", f"`{unit}` means two things", (reason, cure), bits)
    if lower == "b":
        reason = "`b` alone is bits to some readers and bytes to tc"
        cure = f"write `{size}` for bytes or `{bits}` for a rate in bits"
        return Complaint("number-unit", f"`{unit}` means two things", (reason, cure), size)
    if unit == "m":
        cure = f"write `{number}min` for minutes, `{number}ms`, `{bits}` or `{size}`"
        return Complaint("number-unit", "`m` is no unit", (cure,), f"{number}min")
    cure = f"write `{bits}` for a rate or `{size}` for a size"
    return Complaint("number-unit", f"`{unit}` is no unit", (cure,), bits)


def _capital(scale: str) -> str:
    return scale[:1].upper() + scale[1:].lower()


def complain(text: str) -> Complaint:
    """Say what is wrong with `text`, which starts like a number and is none."""
    code = "number-malformed"
    if re.fullmatch(r"-?\.\d+.*", text):
        fix = text.replace(".", "0.", 1)
        return Complaint(code, "a digit is missing before the point", (), fix, True)
    exponent = re.fullmatch(r"(-?)(\d+)(?:\.(\d+))?[eE](-?\d+)(\D.*)?", text, re.ASCII)
    if exponent:
        return Complaint(
            code,
            f"`{text}` has an exponent",
            ("numbers are written out",),
            _written_out(*exponent.groups("")),
        )
    if re.fullmatch(r"-?\d[\d_]*_[\d_.]*[A-Za-z/%]*", text, re.ASCII):
        fix = text.replace("_", "")
        return Complaint(code, "digits are not grouped by `_`", (), fix, True)
    minus = re.fullmatch(r"(.*\w%?)-(\w.*)", text)
    if minus:
        hint = "a minus sign in a calculation has blanks around it"
        return Complaint(code, f"`{text}` is no number", (hint,), f"{minus[1]} - {minus[2]}")
    unit = re.fullmatch(r"(-?\d+(?:\.\d+)?)([^\W\d_]+(?:/s)?)", text)
    if unit:
        return _unit(unit[1], unit[2])
    if re.fullmatch(r"-?\d+(\.\d+){2,}.*", text):
        hint = "a number has one point at most, an IPv4 address three"
        return Complaint(code, f"`{text}` is no number", (hint,))
    if re.fullmatch(r"-?\d+\.", text):
        return Complaint(code, "digits are missing after the point", (), text[:-1], True)
    hint = (
        "a number is written `100`, `1.5mbit`, `-4B`, `95%` or `0xff`; a name starts with a letter"
    )
    return Complaint(code, f"`{text}` is no number", (hint,))


def _written_out(sign: str, digits: str, decimals: str, exponent: str, unit: str) -> str | None:
    """Return a number with an exponent in plain digits, or None when that is too long."""
    if len(exponent) > 3 or abs(int(exponent)) > MOST_DIGITS - len(digits + decimals):
        return None
    shift = int(exponent)
    padded = decimals + "0" * max(0, shift - len(decimals))
    front = "0" * max(0, 1 - shift - len(digits)) + digits
    whole = front + padded[:shift] if shift >= 0 else front[:shift]
    rest = padded[shift:] if shift >= 0 else front[shift:] + decimals
    point = f".{rest}" if rest.strip("0") else ""
    return f"{sign}{whole.lstrip('0') or '0'}{point}{unit}"
