"""tc's own words: what they mean, and in which order they take effect."""

from tcc.tcwords.cake import CakeSaid, Replay, replay, said_by
from tcc.tcwords.numbers import NumberError, rate_of, size_of, time_of

__all__ = [
    "CakeSaid",
    "NumberError",
    "Replay",
    "rate_of",
    "replay",
    "said_by",
    "size_of",
    "time_of",
]
