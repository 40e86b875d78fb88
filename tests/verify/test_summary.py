"""Intervals over seeds, against Student's t as tables have it."""

from fractions import Fraction

from tcc.verify.summary import interval_of


def test_the_interval_of_three_values():
    """Mean 2, variance 1, 4.303 / sqrt(3) = 2.48433: from -0.48433 to 4.48433."""
    low, high = interval_of([Fraction(1), Fraction(2), Fraction(3)])
    assert abs(low + Fraction("0.48433")) < Fraction(1, 10_000)
    assert abs(high - Fraction("4.48433")) < Fraction(1, 10_000)


def test_equal_values_have_a_point():
    assert interval_of([Fraction(7)] * 5) == (7, 7)


def test_one_value_has_none():
    assert interval_of([Fraction(7)]) is None
