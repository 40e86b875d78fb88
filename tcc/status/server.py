"""Metrics over HTTP, for Prometheus to fetch."""

import ipaddress
import socket
from collections.abc import Callable
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, HTTPServer
from threading import Timer
from typing import Any, Final

from tcc.status.metrics import CONTENT_TYPE, OLDER_TYPE

HOST: Final = "127.0.0.1"
PATIENCE: Final = 10.0
"""Seconds that a client has for its request and the answer: there is one at a time."""
BACKLOG: Final = 16


class AddressError(ValueError):
    """What is no address to listen on; the message says what is."""


def address(text: str) -> tuple[str, int]:
    """Read `127.0.0.1:9469`, `[::1]:9469` or a port alone, which means loopback.

    Raises:
        AddressError: it is none of these.
    """
    host, _, port = text.rpartition(":")
    host = host.removeprefix("[").removesuffix("]")
    if not (port.isascii() and port.isdecimal() and len(port) <= 5 and int(port) <= 0xFFFF):
        raise AddressError(f"{text!r} is no address: write 127.0.0.1:9469, [::1]:9469 or 9469")
    try:
        return (str(ipaddress.ip_address(host)) if host else HOST), int(port)
    except ValueError as problem:
        raise AddressError(f"{host!r} is no IP address: names are not looked up") from problem


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach an address."""
    return ipaddress.ip_address(host).is_loopback


class MetricsServer(HTTPServer):
    """Serves what `text` returns at /metrics, one request at a time.

    Args:
        where: address and port.
        text: what makes the metrics.
        patience: seconds that a client has for all of its request and of the answer.

    Raises:
        OSError: the address cannot be had.
    """

    request_queue_size = BACKLOG

    def __init__(
        self, where: tuple[str, int], text: Callable[[], str], patience: float = PATIENCE
    ) -> None:
        self.text, self.patience = text, patience
        self.address_family = socket.AF_INET6 if ":" in where[0] else socket.AF_INET
        super().__init__(where, _Handler)

    def process_request(self, request: Any, client_address: Any) -> None:  # noqa: ANN401
        """Answer, and hang up on who takes too long: a byte now and then is no excuse."""
        end = Timer(self.patience, _hang_up, (request,))
        end.daemon = True
        end.start()
        try:
            super().process_request(request, client_address)
        finally:
            end.cancel()

    def handle_error(self, request: Any, client_address: Any) -> None:  # noqa: ANN401
        """Leave a client that went away or fell silent alone."""


def _hang_up(connection: socket.socket) -> None:
    with suppress(OSError):  # it is closed by now
        connection.shutdown(socket.SHUT_RDWR)


class _Handler(BaseHTTPRequestHandler):
    server: MetricsServer
    server_version = "tcc"
    sys_version = ""

    def do_GET(self) -> None:
        """Answer with the metrics."""
        if self.path.partition("?")[0] != "/metrics":
            self._answer(404, OLDER_TYPE, b"the metrics are at /metrics\n")
            return
        try:
            body = self.server.text().encode("utf-8", "backslashreplace")
        except (OSError, ValueError) as problem:
            self._answer(503, OLDER_TYPE, f"the kernel would not tell: {problem}\n".encode())
            return
        newer = "application/openmetrics-text" in self.headers.get("Accept", "")
        self._answer(200, CONTENT_TYPE if newer else OLDER_TYPE, body)

    do_HEAD = do_GET  # noqa: N815

    def _answer(self, code: int, kind: str, body: bytes) -> None:
        self.send_response(code)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Cache-Control", "no-store")
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: ANN401
        """Write nothing: a line for each scrape helps nobody."""
