"""Which word was meant."""

import pytest

from tcc.syntax.suggestions import did_you_mean, distance

WORDS = ["bandwidth", "tiers", "fairness", "rtt", "ack-filter", "gso", "qdisc", "diffserv4", "on"]


@pytest.mark.parametrize(
    ("word", "meant"),
    [
        ("bandwith", "bandwidth"),
        ("Bandwidth", "bandwidth"),
        ("ack_filter", "ack-filter"),
        ("tires", "tiers"),
        ("qdsic", "qdisc"),
        ("diffserv5", "diffserv4"),
        ("rt", "rtt"),
        ("zebra", None),
        ("no", "on"),
        ("x", None),
        ("b" * 100_000, None),
    ],
)
def test_did_you_mean(word: str, meant: str | None) -> None:
    assert did_you_mean(word, WORDS) == meant


@pytest.mark.parametrize(
    ("left", "right", "edits"),
    [
        ("kitten", "sitting", 3),
        ("ab", "ba", 1),
        ("", "abc", 3),
        ("same", "same", 0),
        ("ca", "abc", 3),
    ],
)
def test_distance(left: str, right: str, edits: int) -> None:
    assert distance(left, right, 9) == edits
    assert distance(left, right, edits) == edits
    if edits:
        assert distance(left, right, edits - 1) == edits
