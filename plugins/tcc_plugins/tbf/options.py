"""What a policy may say in the block of `qdisc tbf`. Source: tc-tbf(8)."""

from typing import Literal

from tcc.ir import Options, QdiscChoice
from tcc.ir.base import BitRate, Bytes, Nanoseconds
from tcc.plugin import Word


class TbfOptions(Options):
    """The options of tbf; None is what the block does not say."""

    burst: Bytes | Literal["auto"] | None = None
    """The depth of the bucket: what may leave at once."""
    latency: Nanoseconds | None = None
    """How long a packet may wait for tokens, full queue included."""
    limit: Bytes | None = None
    """How much may wait; says the same as `latency` in bytes."""
    peak: BitRate | None = None
    """The rate at which the bucket itself is emptied."""
    mtu: Bytes | None = None
    """The depth of the peak's bucket; a full-size frame if not said."""
    inner: QdiscChoice | None = None
    """The queue that packets wait in."""


WORDS = {
    "burst": Word("burst"),
    "buffer": Word("burst"),
    "maxburst": Word("burst"),
    "latency": Word("latency"),
    "limit": Word("limit"),
    "peak": Word("peak"),
    "peakrate": Word("peak"),
    "mtu": Word("mtu"),
    "minburst": Word("mtu"),
    "inner": Word("inner"),
}
