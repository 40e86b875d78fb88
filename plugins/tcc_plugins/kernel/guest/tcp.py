"""TCP: connections that send as much as they can."""

import selectors
import socket
import time

from .network import SERVER
from .programs import Job
from .side import Side, marked

PORT = 5200
CHUNK = bytes(262_144)
SO_MAX_PACING_RATE = 47
"""Bytes per second (asm-generic/socket.h); Python has no name for it."""


def serve(side: Side, number: int, flow: Job) -> None:
    """Accept one flow's connection; the server is the sender of a download."""
    listener = socket.create_server(("0.0.0.0", PORT + number))
    if flow["direction"] == "ingress":
        listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, flow["control"].encode())
    marked(listener, flow)

    def act() -> None:
        sock, _ = listener.accept()
        side.chooser.unregister(listener)
        marked(sock, flow)
        _pour(side, sock, flow) if flow["direction"] == "ingress" else _drain(side, sock, number)

    side.watch(listener, selectors.EVENT_READ, act)


def connect(side: Side, number: int, flow: Job) -> None:
    """Connect one flow when it is due."""

    def act(now: int) -> None:
        sock = socket.socket()
        marked(sock, flow)
        if flow["direction"] == "egress":
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, flow["control"].encode())
        sock.bind((flow["address"], 0))
        sock.setblocking(False)
        sock.connect_ex((SERVER, PORT + number))
        _pour(side, sock, flow) if flow["direction"] == "egress" else _drain(side, sock, number)

    side.timers[number] = (side.start + flow["start"], act)


def _pour(side: Side, sock: socket.socket, flow: Job) -> None:
    """Send as fast as TCP takes it, or at the flow's own rate, until the end."""
    if flow["rate"]:
        sock.setsockopt(socket.SOL_SOCKET, SO_MAX_PACING_RATE, flow["rate"] // 8)

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


def _drain(side: Side, sock: socket.socket, number: int) -> None:
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
