# cython: cdivision=True
"""Measured quantities in constant memory: histograms that keep 1/128 of every value.

A value (ns) up to 255 has a bucket of its own; above, each power of two is cut into 128 buckets,
so a quantile is at most 0.8 % too low.  Histograms of equal form add up.
"""

from __future__ import annotations

try:
    import cython
except ImportError:
    from tcc.engine import _cyshim as cython  # type: ignore[no-redef]

if cython.compiled:
    from cython.cimports.libc.stdlib import calloc, free
else:
    BUCKETS = 7168
    bit_length = int.bit_length


class Histogram:
    """How often each value occurred, to within 0.8 %."""

    def __init__(self) -> None:
        self.size = BUCKETS
        self.samples = 0
        self.total = 0
        self.least = -1
        self.greatest = -1
        if not cython.compiled:
            self.counts = [0] * BUCKETS
        else:
            self.counts = cython.cast(
                cython.pointer[cython.longlong],
                calloc(BUCKETS, cython.sizeof(cython.longlong)),
            )
            if not self.counts:
                raise MemoryError

    def __dealloc__(self) -> None:
        if cython.compiled:
            free(self.counts)

    if not cython.compiled:  # for C it is in the .pxd, to be compiled into what calls it

        def add(self, value: cython.longlong) -> cython.void:
            """Count a value; below 0 counts as 0."""
            shift: cython.int
            if value < 0:
                value = 0
            shift = bit_length(value | 255) - 8
            place: cython.longlong = shift * 128 + (value >> shift)
            if place >= self.size:
                place = self.size - 1
            self.counts[place] += 1
            self.samples += 1
            self.total += value
            if self.least < 0 or value < self.least:
                self.least = value
            if value > self.greatest:
                self.greatest = value

    def clear(self) -> None:
        """Forget everything."""
        place: cython.int
        for place in range(self.size):
            self.counts[place] = 0
        self.samples = 0
        self.total = 0
        self.least = -1
        self.greatest = -1

    def note(self, value: int) -> None:
        """`add`, from Python."""
        self.add(value)

    def merge(self, other: Histogram) -> None:
        """Add what another histogram has counted."""
        place: cython.int
        for place in range(self.size):
            self.counts[place] += other.counts[place]
        self.samples += other.samples
        self.total += other.total
        if other.least >= 0 and (self.least < 0 or other.least < self.least):
            self.least = other.least
        if other.greatest > self.greatest:
            self.greatest = other.greatest

    def quantile(self, numerator: int, denominator: int) -> int:
        """Return the value at or below which so much of them lie; -1 if there are none.

        The rank is floor(samples * numerator / denominator), counted from 0.
        """
        place: cython.int
        seen: cython.longlong = 0
        rank: cython.longlong
        shift: cython.int
        if self.samples == 0:
            return -1
        rank = min(self.samples - 1, self.samples * numerator // denominator)
        for place in range(self.size):
            seen += self.counts[place]
            if seen > rank:
                break
        shift = place // 128 - 1 if place >= 256 else 0
        low = (place - shift * 128) << shift
        return max(self.least, min(self.greatest, low))

    def mean(self) -> int:
        """Return the mean, rounded down; -1 if there is none."""
        return int(self.total // self.samples) if self.samples else -1

    def summary(self) -> dict[str, int]:
        """Return the figures that the objectives name (ns)."""
        return {
            "count": self.samples,
            "mean": self.mean(),
            "median": self.quantile(1, 2),
            "p95": self.quantile(95, 100),
            "p99": self.quantile(99, 100),
            "p99.9": self.quantile(999, 1000),
            "max": self.greatest,
        }
