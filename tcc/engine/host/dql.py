"""Byte queue limits: how many bytes a NIC's queue may hold, found by watching it run dry.

The limit grows when the NIC ran out of work while the host was held back by the limit; it shrinks
by the smallest slack seen, at most once in a hold time.  Source: the behaviour of
dql_queued(), dql_avail() and dql_completed() of lib/dynamic_queue_limits.c in Linux 7.3.
"""

from __future__ import annotations

try:
    import cython
except ImportError:
    from tcc.engine import _cyshim as cython  # type: ignore[no-redef]

HOLD = 1_000_000_000  # ns
MOST = 1_879_048_192  # bytes: DQL_MAX_LIMIT of 64-bit kernels

if not cython.compiled:
    NO_SLACK = 0x7FFFFFFF


class DynamicLimit:
    """The limit of one transmit queue.

    Args:
        hold: how long a slack is watched before the limit shrinks by it (ns).
        least: smallest limit (bytes).
        most: largest limit (bytes).
    """

    def __init__(self, hold: int = HOLD, least: int = 0, most: int = MOST) -> None:
        self.queued = self.completed = self.adjusted = 0
        self.least = least
        self.most = most
        self.limit = least
        self.hold = hold
        self.last_object = 0
        self.previous_queued = self.previous_over = self.previous_object = 0
        self.slack = NO_SLACK
        self.slack_since = 0

    def add(self, size: cython.longlong) -> cython.void:
        """An object of `size` bytes was given to the NIC."""
        self.queued += size
        self.last_object = size

    def room(self) -> cython.longlong:
        """Return the bytes still allowed; below 0 the queue is stopped."""
        return self.adjusted - self.queued

    def complete(self, size: cython.longlong, now: cython.longlong) -> cython.void:
        """The NIC reports `size` bytes as sent at `now` (ns)."""
        done: cython.longlong = self.completed + size
        over: cython.longlong = self.queued - self.completed - self.limit
        waiting: cython.longlong = self.queued - done
        before: cython.longlong = self.previous_queued - self.completed
        all_before: cython.bint = done >= self.previous_queued
        limit: cython.longlong = self.limit
        grown: cython.longlong
        slack: cython.longlong
        if over < 0:
            over = 0
        if (over and waiting == 0) or (self.previous_over and all_before):
            grown = done - self.previous_queued
            limit += (grown if grown > 0 else 0) + self.previous_over
            self.slack_since = now
            self.slack = NO_SLACK
        elif waiting > 0 and before > 0 and not all_before:
            slack = limit + self.previous_over - 2 * size
            grown = self.previous_object - self.previous_over if self.previous_over else 0
            if grown > slack:
                slack = grown
            if slack < 0:
                slack = 0
            if slack < self.slack:
                self.slack = slack
            if now - self.slack_since > self.hold:
                limit = limit - self.slack if limit > self.slack else 0
                self.slack_since = now
                self.slack = NO_SLACK
        if limit < self.least:
            limit = self.least
        if limit > self.most:
            limit = self.most
        if limit != self.limit:
            self.limit = limit
            over = 0
        self.previous_over = over
        self.previous_object = self.last_object
        self.completed = done
        self.adjusted = self.limit + done
        self.previous_queued = self.queued

    def note(self, size: int) -> None:
        """`add`, from Python."""
        self.add(size)

    def report(self, size: int, now: int) -> None:
        """`complete`, from Python."""
        self.complete(size, now)

    def allowed(self) -> int:
        """`room`, from Python."""
        return self.room()
