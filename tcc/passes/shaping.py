"""The clauses that shape one direction: word, operands -> a field of `Shaping`.

A profile's clauses serve many links, so what a clause says is kept as a `Setting` whose
places are relative to the field; `tcc.passes.merge` decides where they end up.
"""

from collections.abc import Callable
from typing import Any, NamedTuple, cast

from tcc import language
from tcc.ir import Backpressure, Bandwidth, Gso, Path
from tcc.ir.link import GsoMode
from tcc.passes.blocks import read_fields
from tcc.passes.options import read_qdisc
from tcc.passes.reader import MAX_RATE, U32, Operands, Reader, operands_span
from tcc.passes.setting import Setting
from tcc.source import Span
from tcc.syntax.tree import Binary, Clause, Operand, Word
from tcc.units import Dimension

US = 1_000
RTT_MAX = U32 * US  # the kernel keeps CoDel's interval as 32 bits of microseconds


def read_bandwidth(reader: Reader, clause: Clause) -> Setting:
    """`bandwidth R | unlimited | R within MIN..MAX`. Codes: bounds-exclude-rate."""
    operands = Operands(reader, clause, language.SHAPING["bandwidth"].syntax)
    span = operands_span(clause)
    if operands.accept("unlimited"):
        operands.end()
        return Setting(Bandwidth(rate="unlimited"), span)
    operand = operands.take("a rate")
    rate = _bandwidth_rate(reader, operand) if operand else None
    if not operands.accept("within"):
        operands.end()
        return Setting(Bandwidth(rate=rate) if rate else None, span)
    bounds = operands.take("bounds such as 2mbit..30mbit")
    operands.end()
    if not isinstance(bounds, Binary) or bounds.op != "..":
        if bounds is not None:
            reader.context.error(
                "expected-bounds", bounds.span, "expected two rates, such as 2mbit..30mbit"
            )
        return Setting(None, span)
    low, high = reader.rate(bounds.left), reader.rate(bounds.right)
    if rate is None or low is None or high is None:
        return Setting(None, span)
    if not low <= rate <= high:
        reader.context.error(
            "bounds-exclude-rate", bounds.span, "the rate to start from is outside its bounds",
            "write MIN..MAX with MIN <= RATE <= MAX",
        )  # fmt: skip
    places = ((("minimum",), bounds.left.span), (("maximum",), bounds.right.span))
    return Setting(Bandwidth(rate=rate, minimum=low, maximum=high), span, places)


def _bandwidth_rate(reader: Reader, operand: Operand) -> int | None:
    rate = reader.quantity(operand, Dimension.RATE, 0, MAX_RATE)
    if rate != 0:
        return rate
    reader.context.error(
        "value-out-of-range", operand.span, "a rate of 0 means unlimited to the kernel",
        "for that write: bandwidth unlimited",
    )  # fmt: skip
    return None


def _chosen(word: str, what: str) -> "ClauseReader":
    entry = language.SHAPING[word]

    def read(reader: Reader, clause: Clause) -> Setting:
        operands = Operands(reader, clause, entry.syntax)
        chosen = operands.choose(entry.values, what)
        operands.end()
        return Setting(chosen, operands_span(clause))

    return read


def read_rtt(reader: Reader, clause: Clause) -> Setting:
    """`rtt D|preset`: ns, from 1 us to what 32 bits of microseconds hold."""
    operands = Operands(reader, clause, language.SHAPING["rtt"].syntax)
    preset = language.RTT_PRESETS.get(operands.word() or "")
    if preset:
        operands.take()
        operands.end()
        return Setting(preset[0], operands_span(clause))
    operand = operands.take("a duration")
    operands.end()
    if isinstance(operand, Word) and reader.values.definition(operand.text) is None:
        reader.unknown_word(operand, tuple(language.RTT_PRESETS), "a duration or a preset")
        return Setting(None, operands_span(clause))
    return Setting(
        reader.duration(operand, US, RTT_MAX) if operand else None, operands_span(clause)
    )


def read_memory(reader: Reader, clause: Clause) -> Setting:
    """`memory SIZE`; at least 1 byte, because the kernel takes 0 for automatic."""
    operands = Operands(reader, clause, language.SHAPING["memory"].syntax)
    operand = operands.take("a size")
    operands.end()
    return Setting(reader.size(operand) if operand else None, operands_span(clause))


def read_mark(reader: Reader, clause: Clause) -> Setting:
    """`mark mask 0x..`: the bits of the packet mark that choose the tin."""
    operands = Operands(reader, clause, language.SHAPING["mark"].syntax)
    operand = operands.take("a mask") if operands.expect("mask") else None
    operands.end()
    return Setting(reader.count(operand, 1, U32) if operand else None, operands_span(clause))


def read_gso(reader: Reader, clause: Clause) -> Setting:
    """`gso split|keep|auto|split when bandwidth <= R|split above SIZE`."""
    entry = language.SHAPING["gso"]
    operands = Operands(reader, clause, entry.syntax)
    span = operands_span(clause)
    mode = operands.choose(entry.values, "a way to treat super-packets")
    gso: Gso | None = None
    if mode == "split" and operands.accept("when"):
        if operands.expect("bandwidth") and operands.expect("<="):
            operand = operands.take("a rate")
            rate = reader.rate(operand) if operand else None
            gso = Gso(mode="split-when", rate=rate) if rate else None
    elif mode == "split" and operands.accept("above"):
        operand = operands.take("a size")
        size = reader.size(operand) if operand else None
        gso = Gso(mode="split-above", size=size) if size else None
    elif mode:
        gso = Gso(mode=cast("GsoMode", mode))
    operands.end()
    return Setting(gso, span)


def read_backpressure(reader: Reader, clause: Clause) -> Setting:
    """`backpressure udp { interval D; senders N; sndbuf SIZE }`."""
    operands = Operands(reader, clause, language.SHAPING["backpressure"].syntax)
    protocol = operands.choose(("udp",), "a protocol whose senders can be made to wait")
    operands.end()
    fields = {
        "interval": ("interval", reader.duration),
        "senders": ("senders", reader.count),
        "sndbuf": ("sndbuf", reader.size),
    }
    values: dict[str, Any] = {}
    places: list[tuple[Path, Span]] = []
    unknown: list[Path] = []
    if clause.block:
        read = read_fields(reader, clause.block, "backpressure", fields)
        values, places, unknown = read
    node = Backpressure(**values) if protocol else None
    return Setting(node, operands_span(clause), tuple(places), tuple(unknown))


ClauseReader = Callable[[Reader, Clause], Setting]


class Field(NamedTuple):
    """The field of `Shaping` that a clause sets, and how it is read."""

    name: str
    read: ClauseReader
    block: bool = False


SHAPING: dict[str, Field] = {
    "bandwidth": Field("bandwidth", read_bandwidth),
    "tiers": Field("tiers", _chosen("tiers", "a set of tins")),
    "fairness": Field("fairness", _chosen("fairness", "a kind of fairness")),
    "rtt": Field("rtt", read_rtt),
    "ack-filter": Field("ack_filter", _chosen("ack-filter", "a setting of the ACK filter")),
    "dscp": Field("dscp", _chosen("dscp", "a way to treat DSCP marks")),
    "memory": Field("memory", read_memory),
    "mark": Field("mark_mask", read_mark),
    "gso": Field("gso", read_gso),
    "qdisc": Field("qdisc", read_qdisc, block=True),
    "backpressure": Field("backpressure", read_backpressure, block=True),
}
