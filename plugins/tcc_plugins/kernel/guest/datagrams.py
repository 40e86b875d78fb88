"""UDP: senders at a rate, and probes that the server sends back."""

import selectors
import socket
import struct
import time
from contextlib import suppress

from .network import SERVER
from .programs import Job
from .side import SECOND, Side, marked

PORT = 6200
STAMP = struct.Struct("!IQQ")
"""Number, when it was sent, when it was sent back."""
CALL_INTERVAL, CALL_SIZE, PING_SIZE = 20_000_000, 172, 56


def _open(side: Side, number: int, flow: Job, peer: tuple[str, int] | None) -> socket.socket:
    """Return a socket for one flow's datagrams, bound to its address and port."""
    sock = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    marked(sock, flow)
    address = flow["address"] if side.role == "c" else "0.0.0.0"
    sock.bind((address, PORT + number))
    if peer:
        sock.connect(peer)
    return sock


def flood(side: Side, number: int, flow: Job) -> None:
    """Send datagrams at a rate; a full send buffer makes the sender wait, not lose."""
    there = SERVER if side.role == "c" else flow["address"]
    sock = _open(side, number, flow, (there, PORT + number))
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
    sock = _open(side, number, flow, None)
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
    sock = _open(side, number, flow, (SERVER, PORT + number))
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
    sock = _open(side, number, flow, None)

    def act() -> None:
        data, peer = sock.recvfrom(2048)
        sequence, sent, _ = STAMP.unpack_from(data)
        answer = STAMP.pack(sequence, sent, time.monotonic_ns()) + data[STAMP.size :]
        sock.sendto(answer, peer)

    side.watch(sock, selectors.EVENT_READ, act)
