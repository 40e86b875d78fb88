"""Drive real traffic through real qdiscs, and print what was measured as JSON.

    c -- r -- s      r shapes towards s (uploads) and towards c (downloads); s delays what it sends

Runs as root on any Linux, in a virtual machine too, with nothing but the standard library, ip(8)
and tc(8). It makes three network namespaces and removes them. Nothing here polls a clock: every
wait is a sleep until something is due, because in simulated time a loop that reads the clock
creeps.

`guest.py JOB` does all; `guest.py JOB ROLE PREFIX BEGIN` is one side of the traffic.
"""

import json
import os
import selectors
import signal
import socket
import struct
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

SECOND = 1_000_000_000
LEAD = SECOND  # until all processes are up
TAIL = SECOND  # for what is under way at the end
TCP_PORT, UDP_PORT = 5200, 6200
CHUNK = bytes(262_144)
STAMP = struct.Struct("!IQQ")
CALL_INTERVAL, CALL_SIZE, PING_SIZE = 20_000_000, 172, 56
PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

Job = dict[str, Any]


def command(*words: str) -> str:
    """Run a program; what it says on failure is the error."""
    done = subprocess.run(
        words, capture_output=True, text=True, check=False, env={**os.environ, "PATH": PATH}
    )
    if done.returncode:
        raise SystemExit(f"{' '.join(words)}: {done.stderr.strip() or done.returncode}")
    return done.stdout


# ------------------------------------------------------------------ the network


def build(job: Job, prefix: str) -> None:
    """Make the namespaces, the links between them, the delay and the qdiscs."""
    names = {role: f"{prefix}{role}" for role in "crs"}
    queues = ("numtxqueues", "4", "numrxqueues", "4")
    for name in names.values():
        command("ip", "netns", "add", name)
        command("ip", "-n", name, "link", "set", "lo", "up")
    for left, right, net in (("c", "r", 1), ("r", "s", 2)):
        ends = (f"{left}{net - 1}", f"{right}{net - 1}")
        command(
            "ip", "link", "add", ends[0], "netns", names[left], *queues, "type", "veth",
            "peer", "name", ends[1], "netns", names[right], *queues,
        )  # fmt: skip
        for role, end, last in ((left, ends[0], 2), (right, ends[1], 1)):
            host = 254 if (role, net) in (("r", 1), ("s", 2)) else last
            command("ip", "-n", names[role], "addr", "add", f"10.0.{net}.{host}/24", "dev", end)
            command("ip", "-n", names[role], "link", "set", end, "up")
    for host in range(job["hosts"]):
        role, device, net = ("r", "r1", 2) if job["local"] else ("c", "c0", 1)
        if host:
            command("ip", "-n", names[role], "addr", "add", f"10.0.{net}.{2 + host}/24",
                    "dev", device)  # fmt: skip
    command("ip", "-n", names["c"], "route", "add", "default", "via", "10.0.1.254")
    command("ip", "-n", names["s"], "route", "add", "10.0.1.0/24", "via", "10.0.2.2")
    settings = ["net.ipv4.tcp_no_metrics_save=1", f"net.ipv4.tcp_ecn={job['ecn']}"]
    for name in names.values():
        command("ip", "netns", "exec", name, "sysctl", "-qw", "net.ipv4.ip_forward=1", *settings)
    if job["rtt"]:
        delay = ["delay", f"{job['rtt'] // 1000}us", *job["netem"], "limit", "1000000"]
        command("tc", "-n", names["s"], "qdisc", "add", "dev", "s1", "root", "netem", *delay)
    for device, qdiscs in (("r1", job["egress"]), ("r0", job["ingress"])):
        for words in qdiscs:
            command("tc", "-n", names["r"], "qdisc", "add", "dev", device, *words)


def counted(prefix: str) -> dict[str, Any]:
    """Return what tc shows of both qdiscs."""
    return {
        way: json.loads(command("tc", "-n", f"{prefix}r", "-s", "-j", "qdisc", "show", "dev", dev))
        for way, dev in (("egress", "r1"), ("ingress", "r0"))
    }


# ------------------------------------------------------------------ one side of the traffic


class Side:
    """The sockets of one side, and what they counted."""

    def __init__(self, job: Job, begin: int) -> None:
        self.job = job
        self.start = begin  # of the load
        self.begin = begin + job["warmup"]  # of measuring
        self.end = self.begin + job["duration"]
        self.chooser = selectors.DefaultSelector()
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


def pour(side: Side, sock: socket.socket) -> None:
    """Send as fast as TCP takes it, until the end."""

    def act() -> None:
        if time.monotonic_ns() >= side.end:
            side.chooser.unregister(sock)
            return
        try:
            sock.send(CHUNK)
        except BlockingIOError:
            pass
        except OSError:
            side.chooser.unregister(sock)

    side.watch(sock, selectors.EVENT_WRITE, act)


def drain(side: Side, sock: socket.socket, number: int) -> None:
    """Count what comes."""

    def act() -> None:
        try:
            data = sock.recv(1 << 20)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        if not data:
            side.chooser.unregister(sock)
            return
        side.received(number, len(data), time.monotonic_ns())

    side.watch(sock, selectors.EVENT_READ, act)


def serve_tcp(side: Side, number: int, flow: Job) -> None:
    """Accept one flow's connection; the server is the sender of a download."""
    listener = socket.create_server(("0.0.0.0", TCP_PORT + number))
    if flow["direction"] == "ingress":
        listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, flow["control"].encode())
    marked(listener, flow)

    def act() -> None:
        sock, _ = listener.accept()
        side.chooser.unregister(listener)
        marked(sock, flow)
        pour(side, sock) if flow["direction"] == "ingress" else drain(side, sock, number)

    side.watch(listener, selectors.EVENT_READ, act)


def open_tcp(side: Side, number: int, flow: Job) -> None:
    """Connect one flow when it is due."""

    def act(now: int) -> None:
        sock = socket.socket()
        marked(sock, flow)
        if flow["direction"] == "egress":
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, flow["control"].encode())
        sock.bind((flow["address"], 0))
        sock.setblocking(False)
        sock.connect_ex(("10.0.2.254", TCP_PORT + number))
        pour(side, sock) if flow["direction"] == "egress" else drain(side, sock, number)

    side.timers[number] = (side.start + flow["start"], act)


def datagrams(side: Side, number: int, flow: Job, peer: tuple[str, int] | None) -> socket.socket:
    """Return a socket for one flow's datagrams, bound to its address and port."""
    sock = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    marked(sock, flow)
    address = flow["address"] if peer or side.job["role"] == "c" else "0.0.0.0"
    sock.bind((address, UDP_PORT + number))
    if peer:
        sock.connect(peer)
    return sock


def flood(side: Side, number: int, flow: Job, peer: tuple[str, int]) -> None:
    """Send datagrams at a rate; a full send buffer makes the sender wait, not lose."""
    sock = datagrams(side, number, flow, peer)
    size, counts = flow["payload"], side.flow(number)
    interval = size * 8 * SECOND // flow["rate"]
    state = {"next": side.start + flow["start"], "number": 0}
    filler = bytes(size - STAMP.size)
    sock.setblocking(False)

    def send(now: int) -> int | None:
        while state["next"] <= now < side.end:
            try:
                sock.send(STAMP.pack(state["number"], now, 0) + filler)
            except BlockingIOError:
                side.chooser.register(sock, selectors.EVENT_WRITE, again)
                return None
            except OSError:  # the qdisc refused the packet (ENOBUFS)
                pass
            counts["sent"] += now >= side.begin
            state["number"] += 1
            state["next"] += interval
        return state["next"] if now < side.end else None

    def again() -> None:
        side.chooser.unregister(sock)
        following = send(time.monotonic_ns())
        if following is not None:
            side.timers[number] = (following, send)

    side.timers[number] = (state["next"], send)


def catch(side: Side, number: int, flow: Job) -> None:
    """Count datagrams, by the time at which they were sent."""
    sock = datagrams(side, number, flow, None)
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 22)
    counts = side.flow(number)

    def act() -> None:
        data = sock.recv(65_535)
        sequence, sent, _ = STAMP.unpack_from(data)
        side.received(number, len(data), time.monotonic_ns())
        if sent >= side.begin:
            counts["arrived"] += 1
            counts["first"] = sequence if counts["first"] is None else counts["first"]
            counts["last"] = max(counts["last"], sequence)

    side.watch(sock, selectors.EVENT_READ, act)


def probe(side: Side, number: int, flow: Job) -> None:
    """Ping at fixed times; the server answers with the time at which it had the probe."""
    sock = datagrams(side, number, flow, ("10.0.2.254", UDP_PORT + number))
    call = flow["kind"] == "voip"
    interval = CALL_INTERVAL if call else int(flow["interval"])
    filler = bytes((CALL_SIZE if call else PING_SIZE) - STAMP.size)
    counts, state = side.flow(number), {"number": 0}
    first = side.start + int(flow["start"])

    def send(now: int) -> int | None:
        if now >= side.end:
            return None
        with suppress(OSError):
            sock.send(STAMP.pack(state["number"], now, 0) + filler)
        counts["sent"] += now >= side.begin
        state["number"] += 1
        return first + state["number"] * interval

    def back() -> None:
        now = time.monotonic_ns()
        try:
            _, sent, echoed = STAMP.unpack_from(sock.recv(2048))
        except OSError:
            return
        if sent >= side.begin:
            counts["trips"].append(now - sent)
            counts["up"].append(echoed - sent)
            counts["down"].append(now - echoed)

    side.timers[number] = (first, send)
    side.watch(sock, selectors.EVENT_READ, back)


def echo(side: Side, number: int, flow: Job) -> None:
    """Send every probe back."""
    sock = datagrams(side, number, flow, None)

    def act() -> None:
        data, peer = sock.recvfrom(2048)
        sequence, sent, _ = STAMP.unpack_from(data)
        answer = STAMP.pack(sequence, sent, time.monotonic_ns()) + data[STAMP.size :]
        sock.sendto(answer, peer)

    side.watch(sock, selectors.EVENT_READ, act)


def traffic(job: Job, role: str, begin: int) -> None:
    """Be one side, then print what it counted."""
    side = Side({**job, "role": role}, begin)
    client = role == "c"
    for number, flow in enumerate(job["flows"]):
        if flow["kind"] == "tcp":
            open_tcp(side, number, flow) if client else serve_tcp(side, number, flow)
        elif flow["kind"] == "udp":
            if client is (flow["direction"] == "egress"):
                there = "10.0.2.254" if client else flow["address"]
                flood(side, number, flow if client else {**flow, "address": "0.0.0.0"},
                      (there, UDP_PORT + number))  # fmt: skip
            else:
                catch(side, number, flow)
        elif client:
            probe(side, number, flow)
        else:
            echo(side, number, flow)
    side.run()
    print(json.dumps(side.flows))


# ------------------------------------------------------------------ all of it


def until(moment: int) -> None:
    """Sleep until a moment."""
    time.sleep(max(0, moment - time.monotonic_ns()) / SECOND)


def measure(job: Job, path: str, prefix: str) -> dict[str, Any]:
    """Run both sides; count the qdiscs at the beginning and the end of the measured time."""
    build(job, prefix)
    begin = time.monotonic_ns() + LEAD
    sides = {"s": f"{prefix}s", "c": f"{prefix}{'r' if job['local'] else 'c'}"}
    running = {
        role: subprocess.Popen(
            ["ip", "netns", "exec", name, sys.executable, __file__, path, role, prefix, str(begin)],
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "PATH": PATH},
        )
        for role, name in sides.items()
    }
    try:
        until(begin + job["warmup"])
        before = counted(prefix)
        until(begin + job["warmup"] + job["duration"])
        after = counted(prefix)
        said = {role: json.loads(process.communicate()[0]) for role, process in running.items()}
    finally:
        for process in running.values():
            process.kill()
    return {"before": before, "after": after, **said, "release": os.uname().release}


def main() -> None:
    """Do the job whose file is named."""
    path = sys.argv[1]
    job = json.loads(Path(path).read_text())
    if len(sys.argv) > 2:
        traffic(job, sys.argv[2], int(sys.argv[4]))
        return
    signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(143))
    prefix = f"tcc{os.getpid()}"
    try:
        print(json.dumps(measure(job, path, prefix)))
    finally:
        for role in "crs":
            subprocess.run(
                ["ip", "netns", "del", f"{prefix}{role}"], capture_output=True, check=False
            )


if __name__ == "__main__":
    main()
