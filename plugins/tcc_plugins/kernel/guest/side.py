"""One side of the traffic: its sockets, what is due when, and what was counted."""

import selectors
import socket
import time
from collections.abc import Callable
from typing import Any

from .programs import Job

SECOND = 1_000_000_000
TAIL = SECOND
"""For what is under way at the end."""
MOST_BY_SELECT = 400
"""Flows whose sockets select(2) can watch; it waits for microseconds, epoll for whole ms."""


class Side:
    """The sockets of one side, and what they counted.

    Args:
        job: what is to be done.
        role: `c` for the clients' side, `s` for the servers'.
        begin: when the load starts, by the monotonic clock (ns).
    """

    def __init__(self, job: Job, role: str, begin: int) -> None:
        self.job = job
        self.role = role
        self.start = begin  # of the load
        self.begin = begin + job["warmup"]  # of measuring
        self.end = self.begin + job["duration"]
        many = len(job["flows"]) > MOST_BY_SELECT
        self.chooser: selectors.BaseSelector = (
            selectors.DefaultSelector() if many else selectors.SelectSelector()
        )
        self.flows: dict[int, dict[str, Any]] = {}
        self.timers: dict[int, tuple[int, Callable[[int], int | None]]] = {}

    def flow(self, number: int) -> dict[str, Any]:
        """Return the counts of a flow."""
        return self.flows.setdefault(
            number,
            {"payload": 0, "series": [0] * (self.job["duration"] // SECOND), "sent": 0,
             "arrived": 0, "first": None, "last": -1, "trips": [], "up": [], "down": []},
        )  # fmt: skip

    def received(self, number: int, size: int, now: int) -> None:
        """Count payload."""
        if self.begin <= now < self.end:
            flow = self.flow(number)
            flow["payload"] += size
            place = (now - self.begin) // SECOND
            if place < len(flow["series"]):
                flow["series"][place] += size

    def watch(self, sock: socket.socket, events: int, act: Callable[[], None]) -> None:
        """Call `act` when a socket is ready."""
        sock.setblocking(False)
        self.chooser.register(sock, events, act)

    def run(self) -> None:
        """Do what is due until the end, asleep in between."""
        stop = self.end + TAIL
        while (now := time.monotonic_ns()) < stop:
            for number, (due, act) in list(self.timers.items()):
                if due <= now:
                    following = act(now)
                    if following is None:
                        del self.timers[number]
                    else:
                        self.timers[number] = (following, act)
            next_due = min([stop, *(due for due, _ in self.timers.values())])
            wait = max(0, next_due - time.monotonic_ns()) / SECOND + 1e-6
            for key, _ in self.chooser.select(wait):
                key.data()


def marked(sock: socket.socket, flow: Job) -> None:
    """Set a socket's DSCP."""
    sock.setsockopt(socket.IPPROTO_IP, socket.IP_TOS, flow["dscp"] << 2)
