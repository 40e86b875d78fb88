"""The codec alone: hand-made bytes, strictness, and that nothing is lost on the way."""

import contextlib
import random
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tcc.netlink import attributes
from tcc.netlink.attributes import PAD, Array, Field, Nested, Schema, decode, encode, locate
from tcc.netlink.filters import FILTER_KINDS
from tcc.netlink.kinds import (
    CAKE,
    CAKE_STATS,
    CAKE_TIN,
    FQ_CODEL,
    HTB,
    KINDS,
    TBF,
    decode_options,
    decode_stats,
    encode_options,
)
from tcc.netlink.objects import TCA
from tcc.netlink.repeats import Repeating
from tcc.netlink.wire import (
    FLAG,
    NAME,
    S32,
    TEXT,
    U8,
    U16,
    U16_BE,
    U32,
    U32_BE,
    U64,
    DecodeError,
    EncodeError,
    Flag,
    Raw,
    Scalar,
    Struct,
    Table,
    Text,
)

INNER = Schema("inner", (Field(1, "COUNT", U32), Field(2, "DEBT", S32)))
SAMPLE = Schema(
    "sample",
    (
        Field(1, "SMALL", U8),
        Field(2, "PORT", U16_BE),
        Field(3, "ADDRESS", U32_BE),
        Field(4, "DEBT", S32),
        Field(5, "RATE64", U64),
        Field(6, "NAME", NAME),
        Field(7, "HERE", FLAG),
        Field(8, "MORE", Nested(INNER), nested_flag=True),
        Field(9, "LIST", Array(Nested(INNER))),
        Field(10, "PARMS", Struct("a:B :x port:>H b:i")),
        Field(11, "TABLE", Table("H")),
        Field(12, "MAC", Raw(6)),
        Field(13, "PAD", PAD),
    ),
)

# Written by hand from netlink(7); little-endian, as is this machine.
BY_HAND = [
    ("SMALL", 200, "05000100" "c8000000"),
    ("PORT", 53, "06000200" "00350000"),
    ("ADDRESS", 0x0A000001, "08000300" "0a000001"),
    ("DEBT", -2, "08000400" "feffffff"),
    ("RATE64", 1 << 40, "0c000500" "0000000000010000"),
    ("NAME", "wan0", "09000600" "77616e30" "00000000"),
    ("HERE", True, "04000700"),
    ("MORE", [("COUNT", 1), ("DEBT", -1)], "14000880" "0800010001000000" "08000200ffffffff"),
    ("LIST", [(1, [("COUNT", 7)])], "10000900" "0c000100" "0800010007000000"),
    ("PARMS", {"a": 1, "port": 53, "b": -1}, "0c000a00" "01000035ffffffff"),
    ("TABLE", [1, 2, 3], "0a000b00" "010002000300" "0000"),
    ("MAC", b"\x02\0\0\0\0\x01", "0a000c00" "020000000001" "0000"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "value", "data"), BY_HAND)
def test_bytes_written_by_hand(name, value, data):
    assert encode(SAMPLE, [(name, value)]).hex() == data
    assert decode(SAMPLE, bytes.fromhex(data)) == [(name, value)]


def test_order_is_kept():
    pairs = [(name, value) for name, value, _ in reversed(BY_HAND)]
    assert encode(SAMPLE, pairs).hex() == "".join(data for *_, data in reversed(BY_HAND))


def test_memoryviews_and_parts_of_a_buffer():
    data = b"\xff" * 4 + bytes.fromhex(BY_HAND[3][2]) + b"\xff" * 3
    assert decode(SAMPLE, memoryview(data), 4, 12) == [("DEBT", -2)]


def test_filler_is_left_out():
    data = bytes.fromhex("04000d000c0005000100000000000000")
    assert decode(SAMPLE, data) == [("RATE64", 1)]


def test_unknown_numbers_survive():
    data = bytes.fromhex("070063000102030008000400feffffff")
    pairs = decode(SAMPLE, data)
    assert pairs == [(99, b"\x01\x02\x03"), ("DEBT", -2)]
    assert encode(SAMPLE, pairs) == data


def test_the_nested_bit_is_no_part_of_the_number():
    plain = bytes.fromhex("0c0008000800010001000000")
    flagged = bytes.fromhex("0c0008800800010001000000")
    assert decode(SAMPLE, plain) == decode(SAMPLE, flagged) == [("MORE", [("COUNT", 1)])]


@pytest.mark.parametrize(
    ("pairs", "said"),
    [
        ([("SMAL", 1)], "sample.SMAL: no such attribute; known: SMALL, PORT"),
        ([("SMALL", 256)], "SMALL: 256 is outside 0..255"),
        ([("SMALL", -1)], "SMALL: -1 is outside 0..255"),
        ([("DEBT", 1 << 31)], "DEBT: 2147483648 is outside -2147483648..2147483647"),
        ([("RATE64", 1 << 64)], "RATE64: 18446744073709551616 is outside 0..18446744073709551615"),
        ([("RATE64", "1")], "RATE64: expected an integer in 0..18446744073709551615, got '1'"),
        ([("RATE64", 1.0)], "RATE64: expected an integer"),
        ([("PORT", 65536)], "PORT: 65536 is outside 0..65535"),
        ([("NAME", "a" * 16)], "NAME: 16 bytes are outside 0..15"),
        ([("NAME", "a\0b")], "NAME: a NUL inside"),
        ([("NAME", 3)], "NAME: expected text"),
        ([("HERE", False)], "HERE: a flag is True or absent"),
        ([("MORE", [("COUNT", -1)])], "COUNT: -1 is outside 0..4294967295"),
        ([("MORE", 3)], "MORE: expected a sequence of pairs, got 3"),
        ([("MORE", [3])], "MORE: expected a pair of name and value, got 3"),
        ([("LIST", [("one", [])])], "LIST: element number 'one' is outside"),
        ([("PARMS", {"c": 1})], "PARMS.c: no such field; known: a, port, b"),
        ([("PARMS", {"a": 256})], "PARMS.a: 256 is outside 0..255"),
        ([("PARMS", {"port": 65536})], "PARMS.port: 65536 is outside 0..65535"),
        ([("PARMS", {"port": "x"})], "PARMS.port: expected an integer"),
        ([("PARMS", 3)], "PARMS: expected a mapping"),
        ([("TABLE", [1, 65536])], "TABLE[1]: 65536 is outside 0..65535"),
        ([("TABLE", "12")], "TABLE: expected a sequence of integers"),
        ([("MAC", b"12345")], "MAC: expected 6 bytes, got 5"),
        ([("MAC", "123456")], "MAC: expected bytes"),
        ([("PAD", 0)], "PAD: is filler"),
        ([(4, b"")], "sample[4]: has a name, DEBT"),
        ([(99, 1)], "sample[99]: an attribute without a name takes bytes"),
        ([(0x4000, b"")], "sample[16384]: the number is outside 0..16383"),
        ([(99, bytes(65532))], "sample[99]: 65532 bytes are outside 0..65531"),
        ([("TABLE", [0] * 32766)], "TABLE: 65532 bytes are outside 0..65531"),
    ],
)
def test_what_cannot_be_sent_is_refused_with_name_and_range(pairs, said):
    with pytest.raises(EncodeError) as caught:
        encode(SAMPLE, pairs)
    assert said in str(caught.value)
    assert isinstance(caught.value, ValueError)


@pytest.mark.parametrize(
    ("data", "said"),
    [
        ("0500", "2 stray bytes"),
        ("080004", "3 stray bytes"),
        ("03000100", "attribute 1 says 3 bytes; 4 are left"),
        ("00000100", "attribute 1 says 0 bytes"),
        ("08000400feffff", "attribute 4 says 8 bytes; 7 are left"),
        ("ffff0400feffffff", "attribute 4 says 65535 bytes; 8 are left"),
        ("06000400feff0000", "DEBT: expected 4 bytes, got 2"),
        ("0c000400feffffff00000000", "DEBT: expected 4 bytes, got 8"),
        ("08000500feffffff", "RATE64: expected 8 bytes, got 4"),
        ("08000a0001000035", "PARMS: expected 8 bytes, got 4"),
        ("07000b0001000200", "TABLE: 3 bytes are no multiple of 2"),
        ("09000c000200000000000000", "MAC: expected 6 bytes, got 5"),
        ("0c00088008000100010000", "attribute 8 says 12 bytes; 11 are left"),
        ("0c0008800c00010001000000", "inner: attribute 1 says 12 bytes; 8 are left"),
        ("0c0009000a00010001000000", "LIST: attribute 1 says 10 bytes; 8 are left"),
    ],
)
def test_broken_bytes_are_an_error_of_ours(data, said):
    with pytest.raises(DecodeError) as caught:
        decode(SAMPLE, bytes.fromhex(data))
    assert said in str(caught.value)


def test_padding_after_the_last_attribute_may_be_missing():
    assert decode(SAMPLE, bytes.fromhex("05000100c8")) == [("SMALL", 200)]


def test_names_that_are_not_utf_8_survive():
    data = bytes.fromhex("08000600") + b"\xff\xfe0\0"
    [(_, name)] = decode(SAMPLE, data)
    assert encode(SAMPLE, [("NAME", name)]) == data


def test_a_schema_with_a_name_twice_is_refused():
    with pytest.raises(ValueError, match="stands twice"):
        Schema("twice", (Field(1, "A", U8), Field(2, "A", U8)))


def test_a_structure_that_grew_is_read_and_one_too_short_is_not():
    grown = bytes.fromhex("10000a0001000035ffffffff55555555")
    assert decode(SAMPLE, grown) == [("PARMS", {"a": 1, "port": 53, "b": -1})]


def test_the_offset_of_a_refused_attribute_becomes_a_name():
    data = encode(SAMPLE, [("SMALL", 1), ("MORE", [("COUNT", 1), ("DEBT", 2)]), (99, b"1234")])
    assert locate(SAMPLE, data, 0) == "SMALL"
    assert locate(SAMPLE, data, 8) == "MORE"
    assert locate(SAMPLE, data, 12) == "MORE.COUNT"
    assert locate(SAMPLE, data, 20) == "MORE.DEBT"
    assert locate(SAMPLE, data, 28) == "99"
    assert locate(SAMPLE, data, 64) is None


def test_sfq_is_written_in_its_second_form_and_read_in_both():
    assert len(encode_options("sfq", {"limit": 500})) == 72
    first = bytes.fromhex("b80b00000a0000007f0000000004000080000000")
    assert decode_options("sfq", first) == {
        "quantum": 3000,
        "perturb_period": 10,
        "limit": 127,
        "divisor": 1024,
        "flows": 128,
    }
    with pytest.raises(DecodeError):
        decode_options("sfq", first[:19])


def test_fq_codel_statistics_tell_qdisc_from_class():
    qdisc = bytes(4) + b"".join(n.to_bytes(4, "little") for n in range(1, 10))
    assert decode_stats("fq_codel", qdisc)["drop_overmemory"] == 9
    one = (1).to_bytes(4, "little") + (-5 & 0xFFFFFFFF).to_bytes(4, "little") + bytes(20)
    assert decode_stats("fq_codel", one)["deficit"] == -5
    with pytest.raises(DecodeError):
        decode_stats("fq_codel", bytes([2, 0, 0, 0]))


def test_unknown_kinds_and_kinds_without_options():
    with pytest.raises(EncodeError, match="no such kind of qdisc here; known: cake, cake_mq"):
        encode_options("hfsc", [])
    with pytest.raises(EncodeError, match="no such attribute"):
        encode_options("mq", [("LIMIT", 1)])
    assert encode_options("ingress", []) == b""
    with pytest.raises(DecodeError):
        decode_stats("mq", b"1234")


# CAKE's statistics as cake_dump_stats() emits them, in its order, written out by number.
TIN_ORDER = (12, 3, 11, 13, 14, 2, 4, 8, 6, 18, 19, 20, 15, 16, 17, 21, 22, 23, 24, 25)
WIDE = (3, 12)


def tin(seed: int) -> bytes:
    return b"".join(
        attributes.attribute(n, (seed + n).to_bytes(8 if n in WIDE else 4, "little"))
        for n in TIN_ORDER
    )


def test_cake_statistics_with_eight_tins():
    head = ((3, 28), (4, 1500), (5, 14), (7, 1500), (9, 1514), (6, 28), (8, 64), (17, 2))
    data = attributes.attribute(2, (1 << 40).to_bytes(8, "little"))
    data += b"".join(attributes.attribute(n, v.to_bytes(4, "little")) for n, v in head)
    tins = [attributes.attribute(i + 1, tin(1000 * i)) for i in range(8)]
    data += attributes.attribute(10 | 0x8000, b"".join(tins))
    for _ in range(3):  # plain, remembering, remembered
        values = dict(decode_stats("cake", data))
        assert values["CAPACITY_ESTIMATE64"] == 1 << 40
        assert (values["MIN_NETLEN"], values["MAX_NETLEN"]) == (28, 1500)
        assert (values["MIN_ADJLEN"], values["MAX_ADJLEN"]) == (64, 1514)
        assert values["ACTIVE_QUEUES"] == 2
        assert [index for index, _ in values["TIN_STATS"]] == [1, 2, 3, 4, 5, 6, 7, 8]
        last = dict(values["TIN_STATS"][7][1])
        assert last["SENT_BYTES64"] == 7003
        assert last["FLOW_QUANTUM"] == 7025
        assert last["THRESHOLD_RATE64"] == 7012


def test_cake_class_statistics_are_signed():
    data = b"".join(
        attributes.attribute(n, (v & 0xFFFFFFFF).to_bytes(4, "little"))
        for n, v in ((11, -300), (13, 1), (12, 4), (15, 1 << 31), (16, -7), (14, -12_345))
    )
    assert decode(CAKE_STATS, data) == [
        ("DEFICIT", -300),
        ("DROPPING", 1),
        ("COBALT_COUNT", 4),
        ("P_DROP", 1 << 31),
        ("BLUE_TIMER_US", -7),
        ("DROP_NEXT_US", -12_345),
    ]


def values_of(wire):
    """Return a strategy for what a wire type carries."""
    if isinstance(wire, Scalar):
        return st.integers(wire.low, wire.high)
    if isinstance(wire, Text):
        letters = st.characters(exclude_characters="\0", exclude_categories=["Cs"])
        return st.text(letters, max_size=wire.longest // 4 if wire.longest < 100 else 40)
    if isinstance(wire, Flag):
        return st.just(True)
    if isinstance(wire, Raw):
        return st.binary(min_size=wire.size or 0, max_size=wire.size or 40)
    if isinstance(wire, Table):
        return st.lists(st.integers(wire.low, wire.high), max_size=20)
    if isinstance(wire, Nested):
        return pairs_of(wire.schema, 4)
    if isinstance(wire, Array):
        return st.lists(st.tuples(st.integers(1, 9), values_of(wire.element)), max_size=3)
    return st.builds(dict, st.lists(st.tuples(st.sampled_from(wire.names), st.just(1))))


def pairs_of(schema, most=8):
    one = [
        st.tuples(st.just(field.name), values_of(field.wire))
        for field in schema.fields
        if field.wire is not PAD
    ]
    numbers = st.integers(200, attributes.TYPE_MASK)
    return st.lists(st.one_of(*one, st.tuples(numbers, st.binary(max_size=9))), max_size=most)


def completed(schema, pairs):
    """Return `pairs` as decoding gives them: structures with all their fields."""
    return [
        (name, whole(schema.by_name[name].wire, value) if isinstance(name, str) else value)
        for name, value in pairs
    ]


def whole(wire, value):
    if isinstance(wire, Struct):
        return dict.fromkeys(wire.names, 0) | value
    if isinstance(wire, Nested):
        return completed(wire.schema, value)
    if isinstance(wire, Array):
        return [(index, whole(wire.element, element)) for index, element in value]
    return value


SCHEMAS = (SAMPLE, CAKE, CAKE_STATS, CAKE_TIN, TBF, HTB, FQ_CODEL, TCA, *FILTER_KINDS.values())


@pytest.mark.slow
@given(st.data())
@settings(max_examples=100, deadline=None)
def test_round_trip(data):
    schema = data.draw(st.sampled_from(SCHEMAS))
    pairs = data.draw(pairs_of(schema))
    written = encode(schema, pairs)
    assert len(written) % 4 == 0
    assert decode(schema, written) == completed(schema, pairs)
    assert encode(schema, decode(schema, written)) == written


def outcome(wire, data):
    try:
        return wire.decode("x", data, 0, len(data))
    except DecodeError as problem:
        return str(problem)


@pytest.mark.slow
@given(st.data())
@settings(max_examples=60, deadline=None)
def test_remembered_shapes_change_nothing(data):
    """Whatever came before, a remembering reader says what the plain one says."""
    schema = data.draw(st.sampled_from(SCHEMAS))
    plain, remembering = Nested(schema), Repeating(Nested(schema))
    chance = random.Random(data.draw(st.integers(0, 1 << 32)))
    first = encode(schema, data.draw(pairs_of(schema)))
    for _ in range(8):
        again = bytearray(first)
        for _ in range(chance.choice([0, 0, 1, 3]) if again else 0):
            again[chance.randrange(len(again))] = chance.randrange(256)
        assert outcome(remembering, bytes(again)) == outcome(plain, bytes(again))


@given(st.binary(max_size=200), st.sampled_from(sorted(KINDS)))
def test_no_bytes_make_anything_but_a_decode_error(data, kind):
    for reader in (decode_options, decode_stats):
        with contextlib.suppress(DecodeError):
            reader(kind, data)


def test_the_sample_covers_every_wire_type():
    seen = {type(field.wire) for field in SAMPLE.fields}
    used = {type(field.wire) for schema in SCHEMAS for field in schema.fields}
    assert used <= seen | {type(TEXT), type(U16)}


def test_importing_the_codec_brings_no_pyroute2():
    names = sorted(path.stem for path in Path(attributes.__file__).parent.glob("[a-z]*.py"))
    names.remove("pyroute2_kinds")
    code = "; ".join(["import sys", *(f"import tcc.netlink.{name}" for name in names)])
    code += "; print([name for name in sys.modules if name.startswith('pyroute2')])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
