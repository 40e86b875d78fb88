"""Numbers: exact amounts, worked out by hand, and what is refused."""

from fractions import Fraction

import pytest

from tcc.syntax.numbers import MOST_DIGITS, UNITS, Complaint, read_number
from tcc.units import Dimension, Quantity, unit_of

RATE, SIZE = Dimension.RATE, Dimension.SIZE
DURATION, PERCENT, COUNT = Dimension.DURATION, Dimension.PERCENT, Dimension.COUNT


@pytest.mark.parametrize(
    ("text", "amount", "dimension"),
    [
        ("100mbit", 100_000_000, RATE),
        ("1.5Mbit", 1_500_000, RATE),
        ("2.2gbit", 2_200_000_000, RATE),
        ("1Kibit", 1024, RATE),
        ("12.5MB/s", 100_000_000, RATE),
        ("1KiB/s", 8192, RATE),
        ("64KiB", 65_536, SIZE),
        ("64KB", 64_000, SIZE),
        ("-4B", -4, SIZE),
        ("0.52ms", 520_000, DURATION),
        ("170us", 170_000, DURATION),
        ("2min", 120_000_000_000, DURATION),
        ("1h", 3_600_000_000_000, DURATION),
        ("95%", Fraction(19, 20), PERCENT),
        ("0.1%", Fraction(1, 1000), PERCENT),
        ("0.95", Fraction(19, 20), COUNT),
        ("16", 16, COUNT),
        ("0xff", 255, COUNT),
        ("0.333333333333333333333333333", Fraction(333333333333333333333333333, 10**27), COUNT),
    ],
)
def test_amounts_are_exact(text: str, amount: Fraction | int, dimension: Dimension) -> None:
    assert read_number(text) == Quantity(Fraction(amount), dimension)


@pytest.mark.parametrize(
    ("text", "fix", "safe"),
    [
        ("100bps", "100bit", False),
        ("100Mbps", "100mbit", False),
        ("100Kbps", "100kbit", False),
        ("12MBps", "12MB/s", False),
        ("64kb", "64KB", False),
        ("64mb", "64MB", False),
        ("10k", "10kbit", False),
        ("5m", "5min", False),
        ("50msec", "50ms", True),
        ("50µs", "50us", True),
        ("100Mbit/s", "100mbit", True),
        ("3bytes", "3B", True),
        ("5MS", "5ms", True),
        ("100mbti", "100mbit", False),
        ("1e6", "1000000", False),
        ("1.25e1mbit", "12.5mbit", False),
        ("125e-2", "1.25", False),
        ("1e-3", "0.001", False),
        ("1_000", "1000", True),
        (".5", "0.5", True),
        ("5.", "5", True),
        ("5mbit-1mbit", "5mbit - 1mbit", False),
        ("1.2.3", None, False),
        ("1e400", None, False),
        ("7bananas", None, False),
    ],
)
def test_mistakes_have_a_cure(text: str, fix: str | None, safe: bool) -> None:
    complaint = read_number(text)
    assert isinstance(complaint, Complaint)
    assert (complaint.fix, complaint.safe) == (fix, safe)


@pytest.mark.parametrize("digits", ["9" * 31, "0." + "3" * 30, "9" * 100_000, "9" * 31 + "mbit"])
def test_absurd_lengths_are_refused(digits: str) -> None:
    complaint = read_number(digits)
    assert isinstance(complaint, Complaint)
    assert complaint.code == "number-too-long"


def test_thirty_digits_are_read() -> None:
    assert read_number("9" * MOST_DIGITS) == Quantity(Fraction(10**30 - 1), COUNT)


def test_the_units_that_are_suggested_are_units() -> None:
    assert all(unit_of(unit) for unit in UNITS)
