"""The Pareto front, against its definition."""

from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from tcc.sweep.pareto import Trade, front

TRADES = st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6)), max_size=25).map(
    lambda pairs: [Trade(n, Fraction(a), Fraction(b)) for n, (a, b) in enumerate(pairs)]
)


def beats(one: Trade, other: Trade) -> bool:
    no_worse = one.rate >= other.rate and one.delay <= other.delay
    return no_worse and (one.rate > other.rate or one.delay < other.delay)


@given(TRADES)
def test_the_front_is_what_nothing_beats(trades):
    unbeaten = {one.point for one in trades if not any(beats(other, one) for other in trades)}
    assert {one.point for one in front(trades)} == unbeaten


@given(TRADES)
def test_along_the_front_delay_falls_with_the_rate(trades):
    rows = [(one.rate, one.delay) for one in front(trades)]
    assert rows == sorted(rows, reverse=True)
