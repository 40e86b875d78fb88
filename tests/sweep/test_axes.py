"""`--vary PARAM=VALUES`: the values, and what is said of those that cannot be."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tcc.sweep.axes import read_axes, written
from tcc.units import Dimension, Quantity, read_quantity


def values(option: str) -> tuple[str, ...]:
    axes, found, _ = read_axes((option,))
    assert found == []
    return axes[0].values


@pytest.mark.parametrize(
    ("option", "expected"),
    [
        ("a=10mbit..50mbit/5", ("10mbit", "20mbit", "30mbit", "40mbit", "50mbit")),
        ("a=10ms, 80ms", ("10ms", "80ms")),
        ("a=1..16/4", ("1", "6", "11", "16")),
        ("a=50%..60%/3", ("50%", "55%", "60%")),
        ("a=10mbit..11mbit/4", ("10mbit", "10333.333kbit", "10666.667kbit", "11mbit")),
        ("a=1MiB..4MiB/2,8MiB", ("1MiB", "4MiB", "8MiB")),
        ("a=10000kbit", ("10mbit",)),
        ("a=min(1mbit, 2mbit),3mbit", ("min(1mbit, 2mbit)", "3mbit")),
        ('a="x,y",diffserv4', ('"x,y"', "diffserv4")),
        ("a=rrul,tcp_nup 32 flows", ("rrul", "tcp_nup 32 flows")),
        ("a=0.5,0.95", ("0.5", "0.95")),
        ("a=12.5MB/s", ("100mbit",)),
    ],
)
def test_values_are_as_a_policy_would_write_them(option, expected):
    assert values(option) == expected


@pytest.mark.parametrize(
    ("option", "code", "place"),
    [
        ("a", "sweep-param", "a"),
        ("=1mbit", "sweep-param", "=1mbit"),
        ("a=", "sweep-range", "a="),
        ("a=5mbit..1mbit/3", "sweep-range", "5mbit..1mbit/3"),
        ("a=1mbit..1mbit/3", "sweep-range", "1mbit..1mbit/3"),
        ("a=1mbit..5mbit", "sweep-range", "1mbit..5mbit"),
        ("a=1mbit..5mbit/1", "sweep-range", "1mbit..5mbit/1"),
        ("a=1mbit..5mbit/x", "sweep-range", "1mbit..5mbit/x"),
        ("a=1mbit..5ms/3", "sweep-range", "1mbit..5ms/3"),
        ("a=1..5/4", "sweep-range", "1..5/4"),
        ("a=1mbps..5mbps/3", "sweep-range", "1mbps..5mbps/3"),
        ("a=1mbit..5mbit/1000000", "sweep-range", "1mbit..5mbit/1000000"),
        (f"a=1mbit..5mbit/{'9' * 5000}", "sweep-range", f"1mbit..5mbit/{'9' * 5000}"),
        ("a=1mbit, 1000kbit", "sweep-value", "1000kbit"),
    ],
)
def test_what_cannot_be_is_refused_where_it_stands(option, code, place):
    axes, [found], source = read_axes(("b=1ms", option))
    assert [axis.name for axis in axes] == ["b"]
    assert found.code == code
    assert source.text[found.span.start : found.span.end] == place


def test_two_options_for_one_parameter_are_refused():
    axes, [found], _ = read_axes(("a=1ms", "a=2ms"))
    assert len(axes) == 1
    assert found.code == "sweep-param"


AMOUNTS = {
    Dimension.RATE: st.integers(1, 10**12),
    Dimension.SIZE: st.integers(1, 2**40),
    Dimension.DURATION: st.integers(1, 10**12),
    Dimension.COUNT: st.integers(0, 10**6),
}


@given(st.sampled_from(list(AMOUNTS)).flatmap(lambda one: st.tuples(st.just(one), AMOUNTS[one])))
def test_what_is_written_is_read_as_the_same(pair):
    dimension, amount = pair
    quantity = Quantity(Fraction(amount), dimension)
    assert read_quantity(written(quantity)) == quantity


@given(st.integers(1, 10**9), st.integers(1, 10**9), st.integers(2, 40))
def test_a_range_is_even_and_has_both_ends(low, width, count):
    found = [
        read_quantity(text).amount
        for text in values(f"a={low}bit..{low + width * count}bit/{count}")
    ]
    assert (found[0], found[-1], len(found)) == (low, low + width * count, count)
    step = Fraction(width * count, count - 1)
    assert all(
        abs(value - low - step * place) <= Fraction(1, 2) for place, value in enumerate(found)
    )
