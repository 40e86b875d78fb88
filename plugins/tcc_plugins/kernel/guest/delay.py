"""Delay in user space, for kernels without netem: packets wait here, in the order they came.

What comes in on a device of n is routed to a TUN device, read there, kept for half of the round
trip, and sent on by the other device. The kernel has cut super-packets into frames and filled in
checksums by then, as for any device that can do neither.
"""

import fcntl
import os
import select
import socket
import struct
import time
from collections import deque
from contextlib import suppress
from random import Random

from .network import DELAYED, halves
from .programs import Job, command
from .side import SECOND, TAIL

TUN = "/dev/net/tun"
DEVICE = "t0"
TUNSETIFF = 0x400454CA
IFF_TUN, IFF_NO_PI = 0x0001, 0x1000
TABLE = "100"
BATCH = 64
"""Packets that are read before those are sent on that are due."""
BUFFER = 1 << 22
TO_SERVERS = bytes((10, 0, 3))
LATE = 10_000_000
"""ns for which packets may keep coming without a pause before that counts."""


class Line:
    """One direction: a device, how long packets wait before it, and those that wait."""

    def __init__(self, device: str, wait: int, job: Job, seed: str) -> None:
        self.wait = wait
        self.jitter = int(job["jitter"])
        self.loss = int(job["loss"])
        self.random = Random(seed)
        self.waiting: deque[tuple[int, bytes]] = deque()
        self.out = socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_RAW)
        self.out.setsockopt(socket.SOL_SOCKET, socket.SO_BINDTODEVICE, device.encode())
        self.out.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, BUFFER)
        self.out.setblocking(False)

    def take(self, packet: bytes, now: int) -> None:
        """Keep a packet for its time; lose it, if chance says so."""
        if self.loss and self.random.getrandbits(32) < self.loss:
            return
        due = now + self.wait + (self.random.randrange(self.jitter + 1) if self.jitter else 0)
        if self.waiting:
            due = max(due, self.waiting[-1][0])
        self.waiting.append((due, packet))

    def pass_on(self, now: int) -> None:
        """Send what is due."""
        while self.waiting and self.waiting[0][0] <= now:
            _, packet = self.waiting.popleft()
            with suppress(OSError):  # a full queue loses packets, as anywhere
                self.out.sendto(packet, (socket.inet_ntoa(packet[16:20]), 0))


class Lateness:
    """For how long, in a stretch of time, packets came faster than they were read."""

    def __init__(self, begin: int, end: int) -> None:
        self.begin = begin
        self.end = end
        self.total = 0
        self.busy_since: int | None = None

    def busy(self, now: int) -> None:
        """Packets were there."""
        if self.busy_since is None:
            self.busy_since = now

    def idle(self, now: int) -> None:
        """All had been read."""
        if self.busy_since is not None and now - self.busy_since > LATE:
            span = min(now, self.end) - max(self.busy_since, self.begin)
            self.total += max(0, span)
        self.busy_since = None


def delay(job: Job, seed: str, begin: int) -> None:
    """Delay until the load has ended; print a line when it works, and for how long it was late."""
    tun = _open()
    ways = halves(job["rtt"])
    up, down = (Line(device, ways[way], job, f"{seed} {way}") for device, way in DELAYED)
    late = Lateness(begin + job["warmup"], begin + job["warmup"] + job["duration"])
    print("ready", flush=True)
    while (now := time.monotonic_ns()) < late.end + TAIL:
        due = min(
            (line.waiting[0][0] for line in (up, down) if line.waiting), default=late.end + TAIL
        )
        select.select([tun], [], [], max(0, due - now) / SECOND)
        _read(tun, up, down, late)
        now = time.monotonic_ns()
        up.pass_on(now)
        down.pass_on(now)
    late.idle(time.monotonic_ns())
    print(late.total)


def _read(tun: int, up: Line, down: Line, late: Lateness) -> None:
    """Take some packets, each into its line."""
    for _ in range(BATCH):
        now = time.monotonic_ns()
        try:
            packet = os.read(tun, 65_535)
        except BlockingIOError:
            late.idle(now)
            return
        late.busy(now)
        if packet[0] >> 4 == 4:
            (up if packet[16:19] == TO_SERVERS else down).take(packet, now)


def _open() -> int:
    """Make the TUN device of this namespace, and route to it all that comes in."""
    try:
        tun = os.open(TUN, os.O_RDWR | os.O_NONBLOCK)
    except OSError as problem:
        raise SystemExit(
            f"this kernel has no netem, and there is no {TUN} to delay without: {problem.strerror}"
        ) from problem
    fcntl.ioctl(tun, TUNSETIFF, struct.pack("16sH22x", DEVICE.encode(), IFF_TUN | IFF_NO_PI))
    command("ip", "link", "set", DEVICE, "txqueuelen", "20000", "up")
    command("ip", "route", "add", "default", "dev", DEVICE, "table", TABLE)
    for device in ("n0", "n1"):
        command("ip", "rule", "add", "iif", device, "table", TABLE)
    return tun
