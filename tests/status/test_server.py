"""The metrics endpoint and strangers: what they ask for, and how slowly."""

import contextlib
import socket
import time
from threading import Thread

import pytest

from tcc.status.server import MetricsServer

METRICS = b"tcc_drifted 0\n# EOF\n"
PATIENCE = 0.5


@pytest.fixture
def server():
    with MetricsServer(("127.0.0.1", 0), METRICS.decode, PATIENCE) as one:
        serving = Thread(target=one.serve_forever, args=(0.01,))
        serving.start()
        yield one.server_address
        one.shutdown()
        serving.join()


def answer(where, request):
    with socket.create_connection(where, 10) as connection, contextlib.suppress(ConnectionError):
        connection.sendall(request)
        return connection.makefile("rb").read()


@pytest.mark.parametrize(
    ("request_", "status"),
    [
        (b"GET /metrics HTTP/1.1\r\n\r\n", b"200"),
        (b"GET /metrics?a=%0d%0aX:1 HTTP/1.1\r\n\r\n", b"200"),
        (b"GET /../etc/passwd HTTP/1.1\r\n\r\n", b"404"),
        (b"POST /metrics HTTP/1.1\r\n\r\n", b"501"),
        (b"GET /metrics HTTP/9.9\r\n\r\n", b"505"),
        (b"GET /metrics HTTP/1.1\r\n" + b"A: b\r\n" * 200 + b"\r\n", b"431"),
        (b"\x1b[31m<script> a b c\r\n\r\n", b"400"),
    ],
)
def test_what_is_asked_for_is_answered_by_the_metrics_or_a_refusal(server, request_, status):
    said = answer(server, request_)
    # where the version cannot be read there is no head
    assert said.startswith(b"HTTP/1.0 " + status) or b"Error code: " + status in said
    assert said.endswith(METRICS) == (status == b"200")
    assert b"\x1b" not in said
    assert b"<script" not in said


def test_one_byte_now_and_then_does_not_keep_the_endpoint(server):
    began = time.monotonic()
    with socket.create_connection(server, 10) as slow, contextlib.suppress(ConnectionError):
        for _ in range(100):
            slow.sendall(b"G")
            time.sleep(PATIENCE / 10)
    assert time.monotonic() - began < 100 * PATIENCE / 10 - 1
    assert answer(server, b"GET /metrics HTTP/1.1\r\n\r\n").endswith(METRICS)


def test_who_does_not_read_the_answer_does_not_keep_the_endpoint():
    much = "#" * (1 << 26)
    with (
        MetricsServer(("127.0.0.1", 0), lambda: much, PATIENCE) as one,
        socket.create_connection(one.server_address, 10) as deaf,
    ):
        deaf.sendall(b"GET /metrics HTTP/1.1\r\n\r\n")
        began = time.monotonic()
        one.handle_request()
        assert time.monotonic() - began < 5
