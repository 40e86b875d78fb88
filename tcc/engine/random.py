"""The engine's only source of chance: SplitMix64 (Steele, Lea, Flood, OOPSLA 2014).

One seed gives one run.  Parts that draw independently take a stream each, so that one of them
drawing more does not move the others.  `Random.fixed` answers with constants instead, as the
recorded traces of the kernel do.
"""

from __future__ import annotations

try:
    import cython
except ImportError:
    from tcc.engine import _cyshim as cython  # type: ignore[no-redef]

if not cython.compiled:  # for C this is in the .pxd, to be compiled into what draws
    MASK64 = 0xFFFFFFFFFFFFFFFF
    GOLDEN = 0x9E3779B97F4A7C15
    MIX1 = 0xBF58476D1CE4E5B9
    MIX2 = 0x94D049BB133111EB

    def advance(source: Random) -> int:
        """Return the next 64 bits of a source."""
        source.state = z = (source.state + GOLDEN) & MASK64
        z = ((z ^ (z >> 30)) * MIX1) & MASK64
        z = ((z ^ (z >> 27)) * MIX2) & MASK64
        return z ^ (z >> 31)

    def draw_u16(source: Random) -> int:
        """Return a number of 16 bits: drawn for every quantum of CAKE."""
        if source.constant:
            return source.fixed16
        source.state = z = (source.state + GOLDEN) & MASK64  # `advance`, without a call
        z = ((z ^ (z >> 30)) * MIX1) & MASK64
        z = ((z ^ (z >> 27)) * MIX2) & MASK64
        return (z ^ (z >> 31)) >> 48


class Random:
    """Uniform 16-, 32- and 64-bit numbers.

    Args:
        seed: any 64-bit number.
        stream: which of the seed's independent sequences.
    """

    def __init__(self, seed: int, stream: int = 0) -> None:
        self.state = (seed ^ (stream * GOLDEN & MASK64)) & MASK64
        self.constant = False
        self.fixed16 = 0
        self.fixed32 = 0
        self.fixed64 = 0
        if stream:  # spread streams that lie one step apart
            self.state = self.u64()

    @classmethod
    def fixed(cls, u16: int, u32: int, u64: int = 0) -> Random:
        """Return a source that answers the same numbers every time."""
        source = cls(0)
        source.fix(u16, u32, u64)
        return source

    def fix(self, u16: int, u32: int, u64: int) -> None:
        """Answer these numbers from now on."""
        self.constant = True
        self.fixed16 = u16
        self.fixed32 = u32
        self.fixed64 = u64

    def u64(self) -> cython.ulonglong:
        """Return a number of 64 bits."""
        return self.fixed64 if self.constant else advance(self)

    def u32(self) -> cython.uint:
        """Return a number of 32 bits."""
        if self.constant:
            return self.fixed32
        return self.u64() >> 32

    def below(self, bound: cython.uint) -> cython.uint:
        """Return a number from 0 to `bound` - 1, as get_random_u32_below scales one.

        The bias is below `bound` / 2**32.
        """
        wide: cython.ulonglong = self.u32()
        return (wide * bound) >> 32

    def draw16(self) -> int:
        """Return a number of 16 bits."""
        return draw_u16(self)

    def draw32(self) -> int:
        """Return `u32()` (from Python)."""
        return self.u32()

    def draw64(self) -> int:
        """Return `u64()` (from Python)."""
        return self.u64()

    def draw_below(self, bound: int) -> int:
        """Return `below(bound)` (from Python)."""
        return self.below(bound)
