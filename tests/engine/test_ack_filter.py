"""CAKE's ACK filter against statements T58 to T62 of its specification, on real header bytes."""

from __future__ import annotations

import pytest

from tests.engine.cake_bench import Bench

ACK, ECE, PSH, SYN = 0x10, 0x40, 0x08, 0x02
NORMAL, AGGRESSIVE = 1, 2


def tcp(ack, flags=ACK, options=b"", source=5000):
    """Return a TCP header (RFC 9293)."""
    options += bytes(-len(options) % 4)
    offset = (20 + len(options)) // 4 << 4
    return (
        source.to_bytes(2, "big") + b"\x00\x50" + bytes(4) + (ack % 2**32).to_bytes(4, "big")
        + bytes([offset, flags]) + bytes(6) + options
    )  # fmt: skip


def ipv4(body, protocol=6, host=1, payload=0):
    """Return an Ethernet frame with an IPv4 packet (RFC 791)."""
    length = (20 + len(body) + payload).to_bytes(2, "big")
    header = b"\x45\x00" + length + bytes(4) + b"\x40" + bytes([protocol]) + bytes(2)
    return bytes(14) + header + bytes([10, 0, 0, host]) + bytes([10, 0, 0, 2]) + body


def ipv6(body, host=1, payload=0):
    """Return an Ethernet frame with an IPv6 packet (RFC 8200)."""
    header = b"\x60\x00\x00\x00" + (len(body) + payload).to_bytes(2, "big") + b"\x06\x40"
    return bytes(14) + header + bytes(15) + bytes([host]) + bytes(15) + b"\x02" + body


def sixinfour(body, host=1, payload=0):
    """Return an Ethernet frame with IPv6 in IPv4 (RFC 4213): the outer addresses are alike."""
    return ipv4(ipv6(body, host, payload)[14:], protocol=41)


CARRIERS = {"ipv4": ipv4, "ipv6": ipv6, "6in4": sixinfour}


def timestamp(value, echo=0):
    return b"\x01\x01\x08\x0a" + value.to_bytes(4, "big") + echo.to_bytes(4, "big")


def sack(*blocks):
    edges = b"".join(edge.to_bytes(4, "big") for block in blocks for edge in block)
    return b"\x01\x01\x05" + bytes([2 + len(edges)]) + edges


def dropped(mode, frames):
    """Return for each frame (ids from 1) which queued one its arrival drops, None for none."""
    bench = Bench(ack_filter=mode)
    found = []
    for id, frame in enumerate(frames, 1):
        _, drops = bench.put(id, max(60, len(frame)), raw=frame)
        assert {reason for _, reason in drops} <= {"ack_filter"}
        found.append(drops[0][0] if drops else None)
    assert bench.tin()["ack_drops"] == bench.cake.drops == sum(map(bool, found))
    left = [bench.get()["id"] for _ in range(bench.cake.qlen)]
    assert left == [id for id in range(1, len(frames) + 1) if id not in found]
    return found


@pytest.mark.parametrize("carrier", CARRIERS)
@pytest.mark.parametrize(
    ("mode", "expected"),
    [(NORMAL, [None, None, 1, 2]), (AGGRESSIVE, [None, 1, 2, 3]), (0, [None] * 4)],
)
def test_t58_cumulative_acks(carrier, mode, expected):
    frames = [CARRIERS[carrier](tcp(ack)) for ack in (1000, 2000, 3000, 4000)]
    assert dropped(mode, frames) == expected


@pytest.mark.parametrize("mode", [NORMAL, AGGRESSIVE])
def test_t58_duplicates_stay(mode):
    assert dropped(mode, [ipv4(tcp(1000))] * 4) == [None] * 4


@pytest.mark.parametrize(
    ("mode", "expected"), [(NORMAL, [None, None, None]), (AGGRESSIVE, [None, 1, None])]
)
def test_t59_a_newer_timestamp_stays(mode, expected):
    frames = [
        ipv4(tcp(ack, options=timestamp(value))) for ack, value in ((1000, 9), (2000, 9), (3000, 3))
    ]
    assert dropped(mode, frames) == expected


@pytest.mark.parametrize(
    ("mode", "expected"), [(NORMAL, [None, None, None, 2]), (AGGRESSIVE, [None, None, 2, 3])]
)
def test_t60_an_echo_of_congestion_is_not_lost(mode, expected):
    flags = (ACK, ACK | ECE, ACK | ECE, ACK | ECE)
    frames = [ipv4(tcp(1000 * n, flag)) for n, flag in enumerate(flags, 1)]
    assert dropped(mode, frames) == expected


@pytest.mark.parametrize("mode", [NORMAL, AGGRESSIVE])
def test_t61_pushed_acks_stay(mode):
    frames = [ipv4(tcp(1000, ACK | PSH)), ipv4(tcp(2000, ACK | PSH)), ipv4(tcp(3000))]
    assert dropped(mode, frames) == [None] * 3


@pytest.mark.parametrize(
    ("mode", "expected"), [(NORMAL, [None, None, 1]), (AGGRESSIVE, [None, 1, 2])]
)
def test_t61_growing_sacks(mode, expected):
    frames = [ipv4(tcp(1000, options=sack((2000, end)))) for end in (3000, 4000, 5000)]
    assert dropped(mode, frames) == expected


@pytest.mark.parametrize("mode", [NORMAL, AGGRESSIVE])
def test_t62_what_sacks_protect(mode):
    duplicate = ipv4(tcp(5000, options=sack((1000, 2000))))
    assert (
        dropped(mode, [duplicate, duplicate, ipv4(tcp(6000, options=sack((7000, 8000))))])
        == [None] * 3
    )
    assert (
        dropped(mode, [ipv4(tcp(1000, options=sack((2000, 3000)))), ipv4(tcp(1500))]) == [None] * 2
    )


def test_t62_a_sack_replaces_a_bare_ack_of_the_same_number():
    frames = [ipv4(tcp(1000)), ipv4(tcp(1000, options=sack((2000, 3000))))]
    assert dropped(AGGRESSIVE, frames) == [None, 1]


@pytest.mark.parametrize("carrier", CARRIERS)
@pytest.mark.parametrize(
    ("fields", "change"),
    [({"source": 5001}, {}), ({}, {"host": 9}), ({}, {"payload": 100}), ({"flags": ACK | SYN}, {})],
)
def test_another_connection_data_and_syn_are_left_alone(carrier, fields, change):
    build = CARRIERS[carrier]
    frames = [build(tcp(1000, **fields), **change), build(tcp(2000)), build(tcp(3000, SYN | ACK))]
    assert dropped(AGGRESSIVE, frames) == [None] * 3


def test_numbers_wrap():
    frames = [ipv4(tcp(ack)) for ack in (2**32 - 1000, 2**32 - 1, 500)]
    assert dropped(AGGRESSIVE, frames) == [None, 1, 2]
    assert dropped(AGGRESSIVE, [ipv4(tcp(500)), ipv4(tcp(2**32 - 1))]) == [None] * 2


@pytest.mark.parametrize("echo", [False, True])
@pytest.mark.parametrize(
    ("stamps", "expected"),
    [
        ((2**32 - 2, 2**32 - 1, 1), [None, 1, 2]),  # 1 is two after 2**32 - 1
        ((1, 2**32 - 1, 2**32 - 2), [None, None, None]),  # each is older than the one before
        ((0, 2**31 - 1, 2**32 - 2), [None, 1, 2]),  # half of the numbers are later, less one
        ((0, 2**31, 0), [None, None, None]),  # half of them: neither is later
    ],
)
def test_time_stamps_wrap(stamps, expected, echo):
    frames = [
        ipv4(tcp(ack, options=timestamp(*((7, stamp) if echo else (stamp, 7)))))
        for ack, stamp in zip((1000, 2000, 3000), stamps, strict=True)
    ]
    assert dropped(AGGRESSIVE, frames) == expected


@pytest.mark.parametrize("cut", range(14, 74))
def test_headers_that_are_cut_off_are_no_acks(cut):
    whole = ipv6(tcp(1000))
    expected = [None, 1] if cut >= len(whole) else [None, None]
    assert dropped(AGGRESSIVE, [whole[:cut], ipv6(tcp(2000))]) == expected
