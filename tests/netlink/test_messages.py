"""Answers made by hand after netlink(7), and the parts that all of tc's objects share."""

import struct

import pytest

from tcc.netlink.attributes import attribute
from tcc.netlink.handle import INGRESS, ROOT, Handle
from tcc.netlink.messages import (
    NLM_F_ACK_TLVS,
    NLM_F_CAPPED,
    NLM_F_DUMP_INTR,
    NLMSG_DONE,
    NLMSG_ERROR,
    RTM_NEWQDISC,
    Ack,
    KernelRefusal,
    Reply,
    answers_to,
    parse_ack,
    split,
)
from tcc.netlink.objects import Counters, TcObject
from tcc.netlink.wire import DecodeError


def message(kind: int, flags: int, sequence: int, body: bytes) -> bytes:
    return struct.pack("=IHHII", 16 + len(body), kind, flags, sequence, 0) + body


REQUEST_HEAD = struct.pack("=IHHII", 60, 36, 5, 7, 0)


def ack(code: int, tail: bytes = b"", flags: int = 0, kind: int = NLMSG_ERROR) -> Ack:
    data = message(kind, flags, 7, struct.pack("=i", code) + tail)
    [(sequence, reply)] = split(data, len(data))
    assert sequence == 7
    return parse_ack(reply, 3)


def test_success_and_a_bare_refusal():
    assert ack(0, REQUEST_HEAD) == Ack(3, 0)
    refused = ack(-22, REQUEST_HEAD)
    assert (refused.ok, refused.errno, refused.reason) == (False, 22, "Invalid argument")


def test_the_kernels_sentence_and_offset():
    tail = attribute(1, b"Attribute failed policy validation\0") + attribute(2, b"\x30\0\0\0")
    refused = ack(-34, REQUEST_HEAD + tail, NLM_F_CAPPED | NLM_F_ACK_TLVS)
    assert refused == Ack(3, 34, "Attribute failed policy validation", 48)
    assert refused.reason == "Attribute failed policy validation"


def test_a_repeated_request_is_passed_over():
    body = bytes(44)
    tail = attribute(1, b"no\0") + attribute(5, b"\x02\0\0\0")
    refused = ack(-22, REQUEST_HEAD + body + tail, NLM_F_ACK_TLVS)
    assert (refused.text, refused.missing) == ("no", 2)


def test_a_warning_may_come_with_success():
    tail = attribute(1, b"careful\0")
    good = ack(0, REQUEST_HEAD + tail, NLM_F_CAPPED | NLM_F_ACK_TLVS)
    assert (good.ok, good.text) == (True, "careful")


def test_the_end_of_a_dump_may_carry_an_error():
    bad = ack(-95, attribute(1, b"cannot\0"), NLM_F_ACK_TLVS, NLMSG_DONE)
    assert (bad.errno, bad.text) == (95, "cannot")
    data = message(NLMSG_DONE, 0, 7, b"")
    [(_, reply)] = split(data, len(data))
    assert parse_ack(reply, 0).ok


@pytest.mark.parametrize(
    "data",
    [
        message(NLMSG_ERROR, 0, 7, b"\0\0"),
        message(NLMSG_ERROR, NLM_F_ACK_TLVS, 7, b"\0\0\0\0" + bytes(8)),
        message(NLMSG_ERROR, NLM_F_ACK_TLVS | NLM_F_CAPPED, 7, bytes(20) + b"\xff\xff\1\0"),
        struct.pack("=IHHII", 17, 2, 0, 7, 0),
        struct.pack("=IHHII", 15, 2, 0, 7, 0),
        bytes(8),
    ],
)
def test_malformed_answers_are_an_error_of_ours(data):
    with pytest.raises(DecodeError):
        parse_ack(split(data, len(data))[0][1], 0)


@pytest.mark.parametrize("data", [struct.pack("=IHHII", 99, 36, 2, 7, 0), bytes(15), bytes(16)])
def test_malformed_dumps_are_an_error_of_ours(data):
    with pytest.raises(DecodeError):
        answers_to(7, data, len(data), Reply)


def test_a_dump_takes_only_its_own_answers():
    mine = message(36, 2, 7, b"mine")
    marked = message(36, 2 | NLM_F_DUMP_INTR, 7, b"more")
    data = message(36, 2, 6, b"late") + mine + marked + message(NLMSG_DONE, 2, 7, bytes(4))
    found, flags, end = answers_to(7, data, len(data), Reply)
    assert [reply.data[reply.start : reply.stop] for reply in found] == [b"mine", b"more"]
    assert flags & NLM_F_DUMP_INTR
    assert end is not None
    assert end.type == NLMSG_DONE


def test_a_refusal_is_an_oserror():
    problem = KernelRefusal(Ack(0, 2, "Specified qdisc kind is unknown"))
    assert isinstance(problem, OSError)
    assert (problem.errno, problem.strerror) == (2, "Specified qdisc kind is unknown")


def found(*tail: bytes) -> TcObject:
    body = struct.pack("=BxxxiIII", 0, 3, 0x10000, 0xFFFFFFFF, 2) + b"".join(tail)
    return TcObject(RTM_NEWQDISC, 0, body, 0, len(body))


BASIC = attribute(1, struct.pack("=QIxxxx", 5_000_000_000, 0xFFFFFFFF))
QUEUE = attribute(3, struct.pack("=IIIII", 1, 2, 3, 4, 5))


def test_an_object_says_what_it_is():
    one = found(attribute(1, b"tbf\0"), attribute(2, b"abcd"), attribute(8, b""))
    assert (one.kind, one.options, one.ifindex, one.info) == ("tbf", b"abcd", 3, 2)
    assert (one.handle, one.parent) == (Handle.of(1), ROOT)
    assert one.sized
    assert one.counters == Counters(0, 0, 0, 0, 0, 0, 0)
    assert one.xstats is None


def test_wide_counters_win_in_any_order():
    wide = attribute(8, struct.pack("=Q", 1 << 33))
    usual = found(attribute(1, b"tbf\0"), attribute(7, BASIC + QUEUE)).counters
    assert usual == Counters(5_000_000_000, 0xFFFFFFFF, 1, 2, 3, 4, 5)
    for parts in (BASIC + wide + QUEUE, wide + QUEUE + BASIC):
        assert found(attribute(7, parts)).counters.packets == 1 << 33


def test_turned_statistics_are_read_as_well():
    assert found(attribute(7, QUEUE + BASIC)).counters.overlimits == 5


def test_estimated_rates():
    narrow = attribute(2, struct.pack("=II", 100, 7))
    wide = attribute(5, struct.pack("=QQ", 1 << 35, 8))
    assert found(attribute(7, narrow)).counters[-2:] == (100, 7)
    assert found(attribute(7, wide + narrow)).counters[-2:] == (1 << 35, 8)


def test_statistics_of_the_kind_come_from_either_place():
    old, new = attribute(4, b"old!"), attribute(7, attribute(4, b"new!"))
    assert found(old).xstats == b"old!"
    assert found(old, new).xstats == b"new!"


def test_two_kinds_of_one_length_are_told_apart():
    kinds = [found(attribute(1, name), attribute(2, b"abcd")).kind for name in (b"tbf\0", b"sfq\0")]
    assert kinds * 2 == ["tbf", "sfq", "tbf", "sfq"]


@pytest.mark.parametrize(
    "tail", [b"\1", attribute(7, attribute(1, b"123")), attribute(7, b"\xff\xff\1\0")]
)
def test_malformed_objects_are_an_error_of_ours(tail):
    with pytest.raises(DecodeError):
        found(tail)
    with pytest.raises(DecodeError):
        TcObject(RTM_NEWQDISC, 0, bytes(19), 0, 19)


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (0x10000, "1:"),
        (0x10010, "1:10"),
        (2, ":2"),
        (0xFFFF0000, "ffff:"),
        (0xFFFFFFF2, "ffff:fff2"),
        (0xFFFFFFFF, "root"),
        (0, "none"),
    ],
)
def test_handles_print_and_parse_as_tc_does(number, text):
    assert str(Handle(number)) == f"{Handle(number)}" == text
    assert Handle.parse(text) == number


def test_handles_by_name_and_by_halves():
    assert Handle.parse("ingress") == Handle.parse("clsact") == INGRESS == 0xFFFFFFF1
    assert (Handle.parse("1:a").major, Handle.parse("1:a").minor) == (1, 10)
    assert repr(Handle.of(1, 16)) == "Handle('1:10')"


@pytest.mark.parametrize("text", ["", ":", "1", "1:10000", "x:", "1:2:3", "-1:", "1: "])
def test_what_is_no_handle(text):
    with pytest.raises(ValueError, match=r"no handle"):
        Handle.parse(text)


def test_halves_outside_16_bits():
    with pytest.raises(ValueError, match="65536 is outside"):
        Handle.of(65536)
