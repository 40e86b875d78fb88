"""Send trains through real qdiscs; in the guest, as root, in simulated time.

A veth pair carries what a qdisc sends at its own times; each frame is stamped where it arrives.
A tap holds few frames and refuses more (IFF_BACKPRESSURE), so that every read makes the qdisc
give one more packet: dequeues happen when the train says.
"""

from __future__ import annotations

import ctypes
import fcntl
import gc
import json
import os
import socket
import struct
import subprocess
import time
from dataclasses import asdict, replace
from typing import Any

from tests.engine.kernel.frames import (
    Look,
    Packet,
    Read,
    Seen,
    Train,
    frame,
    host_order,
    parse,
    size_key,
    virtio_header,
)  # fmt: skip

SOL_PACKET, PACKET_VNET_HDR = 263, 15
SO_PRIORITY, SO_MARK, SO_TXTIME, SCM_TXTIME = 12, 36, 61, 61
SO_TIMESTAMPNS, SO_RCVBUFFORCE, SO_SNDBUFFORCE, SO_MAX_PACING_RATE = 35, 33, 32, 47
PR_SET_TIMERSLACK = 29
TUNSETIFF, IFF_TAP, IFF_NO_PI, IFF_BACKPRESSURE = 0x400454CA, 2, 0x1000, 0x80
READING = 256  # ns that a reading of the clock takes in simulated time
SPELL = 50_000  # ns between reads that empty a tap: its qdisc runs after each
PHASE = 1_024_000_000  # ns: trains start at the same place of a millisecond and of CoDel's clock
LEAD = 1_000_000  # ns from a train's set-up to its start
libc = ctypes.CDLL(None, use_errno=True)


class TimeSpec(ctypes.Structure):
    """struct timespec."""

    _fields_ = [("seconds", ctypes.c_long), ("nanoseconds", ctypes.c_long)]


def run(words: str) -> str:
    """Run a command; raise with what it said if it fails."""
    done = subprocess.run(words.split(), capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"{words}: {done.stderr.strip()}")
    return done.stdout


def now() -> int:
    """Read the monotonic clock."""
    return time.clock_gettime_ns(time.CLOCK_MONOTONIC)


def wait(until: int) -> None:
    """Sleep until a time of the monotonic clock."""
    spec = TimeSpec(*divmod(until, 10**9))
    libc.clock_nanosleep(time.CLOCK_MONOTONIC, 1, ctypes.byref(spec), None)


def clock_offset() -> int:
    """Return what stamps of received frames (wall clock) are ahead of the monotonic clock."""
    wall = time.clock_gettime_ns(time.CLOCK_REALTIME)
    return wall - (now() - READING)


class Veth:
    """A pair of devices; what leaves one is captured at the other."""

    def __init__(self, queues: int, ring: int) -> None:
        del ring
        many = f"numtxqueues {queues} numrxqueues {queues} " if queues > 1 else ""
        run(f"ip link add v0 {many}type veth peer name v1 {many}".strip())
        self.name = "v0"
        for name in ("v0", "v1"):
            quiet(name)
        self.socket = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, host_order(3))
        self.socket.setsockopt(socket.SOL_SOCKET, SO_RCVBUFFORCE, 1 << 27)
        self.socket.setsockopt(socket.SOL_SOCKET, SO_TIMESTAMPNS, 1)
        self.socket.bind(("v1", 3))
        self.socket.setblocking(False)
        self.offset = clock_offset()

    def read(self) -> bool:
        """Refuse: a veth hands on by itself."""
        raise RuntimeError("a train through a veth cannot be read step by step")

    def read_at(self) -> list[int]:
        """Return when it was read: never."""
        return []

    def rest(self, start: int) -> list[Seen]:
        """Return every frame that has come."""
        found = []
        while True:
            try:
                data, extra, _, _ = self.socket.recvmsg(70_000, 256)
            except BlockingIOError:
                return found
            seconds, rest = struct.unpack("qq", extra[0][2])
            at = seconds * 10**9 + rest - self.offset - start
            found.append(Seen(at, *parse(data), len(data)))

    def close(self) -> None:
        """Remove the devices."""
        self.socket.close()
        run("ip link delete v0")


class Tap:
    """A device that the train itself reads, one frame at a time."""

    def __init__(self, queues: int, ring: int) -> None:
        del queues
        os.makedirs("/dev/net", exist_ok=True)
        if not os.path.exists("/dev/net/tun"):
            os.mknod("/dev/net/tun", 0o20600, os.makedev(10, 200))
        self.file = os.open("/dev/net/tun", os.O_RDWR | os.O_NONBLOCK)
        flags = IFF_TAP | IFF_NO_PI | IFF_BACKPRESSURE
        fcntl.ioctl(self.file, TUNSETIFF, struct.pack("16sH22x", b"t0", flags))
        self.name = "t0"
        run(f"ip link set t0 txqueuelen {ring}")
        quiet("t0")
        self.found: list[tuple[int, bytes]] = []
        self.times: list[int] = []

    def read(self) -> bool:
        """Take one frame, if there is one."""
        at = now()
        self.times.append(at)
        try:
            self.found.append((at, os.read(self.file, 70_000)))
        except BlockingIOError:
            return False
        return True

    def rest(self, start: int) -> list[Seen]:
        """Return every frame that has been read, the rest with time for the qdisc between."""
        while self.read():
            wait(self.times[-1] + SPELL)
        return [Seen(at - start, *parse(data), len(data)) for at, data in self.found]

    def read_at(self) -> list[int]:
        """Return when it was read, whether there was a frame or not."""
        return self.times

    def close(self) -> None:
        """Remove the device."""
        os.close(self.file)


DEVICES = {"veth": Veth, "tap": Tap}


class Feed:
    """A veth pair from which this host forwards to a device what is sent into it."""

    def __init__(self, device: str) -> None:
        run("ip link add f0 address 02:00:00:00:00:02 type veth peer name f1")
        for name in ("f0", "f1"):
            quiet(name)
        run("sysctl -q -w net.ipv4.ip_forward=1")
        run("ip address add 10.9.0.1/24 dev f0")
        run(f"ip route add 10.0.0.0/24 dev {device}")
        for host in range(1, 9):
            neighbour = f"10.0.0.{host} lladdr 02:00:00:00:00:02"
            run(f"ip neighbour replace {neighbour} nud permanent dev {device}")
        self.name = "f1"

    def close(self) -> None:
        """Remove the devices."""
        run("ip link delete f0")


def quiet(name: str) -> None:
    """Take a device up without its sending anything by itself."""
    with open(f"/proc/sys/net/ipv6/conf/{name}/disable_ipv6", "w") as setting:
        setting.write("1")
    run(f"ip link set {name} up")


class Sender:
    """Packet sockets on a device: one for each way of sending."""

    def __init__(self, device: str) -> None:
        self.device = device
        self.sockets: dict[tuple[bool, int, bool], socket.socket] = {}

    def socket_for(self, packet: Packet) -> socket.socket:
        """Return the socket for a packet, its mark and priority set."""
        key = (packet.gso > 0, packet.rate, packet.departure is not None)
        if key not in self.sockets:
            made = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, 0)
            made.setsockopt(socket.SOL_SOCKET, SO_SNDBUFFORCE, 1 << 27)
            if packet.gso:
                made.setsockopt(SOL_PACKET, PACKET_VNET_HDR, 1)
            if packet.rate:
                made.setsockopt(socket.SOL_SOCKET, SO_MAX_PACING_RATE, packet.rate)
            if packet.departure is not None:
                made.setsockopt(socket.SOL_SOCKET, SO_TXTIME, struct.pack("=iI", 1, 0))
            made.bind((self.device, 0))
            self.sockets[key] = made
        found = self.sockets[key]
        found.setsockopt(socket.SOL_SOCKET, SO_MARK, packet.mark)
        found.setsockopt(socket.SOL_SOCKET, SO_PRIORITY, packet.priority)
        return found

    def send(self, packet: Packet, number: int, start: int) -> tuple[int, int, str]:
        """Send a packet; return when, how long that took, and the error if it was refused."""
        through = self.socket_for(packet)
        data = frame(packet, number)
        if packet.gso:
            data = virtio_header(packet) + data
        extra = []
        if packet.departure is not None:
            when = start + packet.at + packet.departure
            extra = [(socket.SOL_SOCKET, SCM_TXTIME, struct.pack("=Q", when))]
        problem = ""
        before = now()
        try:
            through.sendmsg([data], extra)
        except OSError as error:
            problem = error.strerror or str(error)
        return before - start, now() - before, problem

    def close(self) -> None:
        """Close them all."""
        for each in self.sockets.values():
            each.close()


def counters(device: str) -> list[dict[str, Any]]:
    """Return what `tc -s` says of every qdisc of a device."""
    shown: list[dict[str, Any]] = json.loads(run(f"tc -s -j qdisc show dev {device}"))
    return [each for each in shown if each["kind"] not in ("clsact", "noqueue")]


class Sizes:
    """How much memory packets take: what CAKE says it held when it got one of them."""

    def __init__(self) -> None:
        self.known: dict[str, int] = {}

    def add(self, packet: Packet) -> None:
        """Send a packet of these sizes through an empty CAKE, unless that was done before."""
        if size_key(packet) in self.known:
            return
        device = Veth(1, 1)
        run("tc qdisc add dev v0 root cake unlimited no-split-gso")
        sender = Sender("v0")
        start = now() + LEAD
        wait(start)
        sender.send(replace(packet, at=0, departure=None, rate=0), 0, start)
        self.known[size_key(packet)] = counters("v0")[0]["memory_used"]
        sender.close()
        device.close()


def take(train: Train) -> dict[str, Any]:
    """Run one train and return what happened."""
    device = DEVICES[train.device](train.queues, train.ring)
    for words in (*train.tc, *train.filters):
        run(f"tc {words}".format(dev=device.name))
    feed = Feed(device.name) if train.forwarded else None
    sender = Sender(feed.name if feed else device.name)
    sent: list[tuple[int, int, str]] = []
    looks = []
    start = (now() + LEAD) // PHASE * PHASE + PHASE
    for step in train.steps:
        wait(start + step.at)
        if isinstance(step, Packet):
            sent.append(sender.send(step, len(sent), start))
        elif isinstance(step, Read):
            device.read()
        elif isinstance(step, Look):
            looks.append({"at": now() - start, "counters": counters(device.name)})
        else:
            changed = now() - start
            run(f"tc {step.words}".format(dev=device.name))
            looks.append({"at": changed, "counters": []})
    wait(start + train.steps[-1].at + train.tail)
    looks.append({"at": now() - start, "counters": counters(device.name)})
    seen = device.rest(start)
    sender.close()
    if feed:
        feed.close()
    device.close()
    return {
        "start": start, "sent": sent, "reads": [at - start for at in device.read_at()],
        "looks": looks, "seen": [list(asdict(each).values()) for each in seen],
    }  # fmt: skip


def take_all(trains: list[Train]) -> None:
    """Run trains and print what happened, as JSON."""
    if now() + READING != now():
        raise SystemExit(
            "the trains need simulated time, which only the User-Mode Linux kernel has"
        )
    libc.prctl(PR_SET_TIMERSLACK, 1, 0, 0, 0)
    gc.disable()
    report: dict[str, Any] = {}
    sizes = Sizes()
    for train in trains:
        try:
            report[train.name] = take(train)
            for step in train.steps:
                if isinstance(step, Packet):
                    sizes.add(step)
        except RuntimeError as problem:
            raise SystemExit(f"{train.name}: {problem}") from None
    kernel = os.uname().release
    print(json.dumps({"kernel": kernel, "trains": report, "truesizes": sizes.known}))
