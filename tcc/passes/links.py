"""Links and profiles: what each block says, as layers that `tcc.passes.merge` puts together."""

from dataclasses import dataclass, field
from typing import cast

from tcc import language
from tcc.ir import ConnectionMark, Device, Framing, Role
from tcc.ir.link import Place
from tcc.passes.blocks import clauses_of, read_fields
from tcc.passes.devices import read_name, read_pattern
from tcc.passes.kept import once
from tcc.passes.reader import U32, Operands, Reader, operands_span
from tcc.passes.setting import Setting
from tcc.passes.shaping import SHAPING
from tcc.passes.tiers import read_tier
from tcc.source import Span
from tcc.syntax.tree import Binary, Block, Clause, Operand, Word

OVERHEAD = (-(2**15), 2**15 - 1)  # signed 16 bits in the kernel; plugins know narrower limits
MPU = (0, 2**16 - 1)
MOST_TAGS = 8


@dataclass(slots=True)
class Layer:
    """What one `link` or `profile` block says."""

    own: dict[str, Setting] = field(default_factory=dict)
    """Of the link itself: device, framing, role, connection_mark."""
    both: dict[str, Setting] = field(default_factory=dict)
    """Shaping that holds for both directions."""
    directions: dict[str, tuple[Span, dict[str, Setting]]] = field(default_factory=dict)
    """Shaping in `egress` and `ingress` blocks, with the span of the word."""
    tiers: list[Setting] = field(default_factory=list)


def read_layer(reader: Reader, block: Block, where: str, owner: str) -> Layer:
    """Read a block of `where`: "a link" or "a profile"; `owner` is which: "link wan"."""
    layer = Layer()
    names: dict[str, Span] = {}
    for clause in clauses_of(reader.context, block, where):
        word = clause.word.text
        if word in SHAPING:
            layer.both[SHAPING[word].name] = once(reader, clause, read_shaping)
        elif word in ("egress", "ingress"):
            layer.directions[word] = (clause.word.span, read_direction(reader, clause))
        elif word == "tier":
            tier = read_tier(reader, clause, names, (), owner)
            if tier:
                layer.tiers.append(tier)
        else:
            layer.own[word.replace("-", "_")] = once(reader, clause, _OWN[word])
    return layer


def read_shaping(reader: Reader, clause: Clause) -> Setting:
    """Read one shaping clause, and whether it is preferred or required."""
    setting = SHAPING[clause.word.text].read(reader, clause)
    if clause.prefer is not None:
        return setting._replace(prefer=True)
    return setting


def read_direction(reader: Reader, clause: Clause) -> dict[str, Setting]:
    """Read an `egress` or `ingress` block."""
    Operands(reader, clause, language.LINK[clause.word.text].syntax).end()
    block = need_block(reader, clause)
    if block is None:
        return {}
    return {
        SHAPING[inner.word.text].name: once(reader, inner, read_shaping)
        for inner in clauses_of(reader.context, block, clause.word.text)
    }


def need_block(reader: Reader, clause: Clause) -> Block | None:
    """Return the clause's block; an error when it has none."""
    if clause.block is None:
        reader.context.missing(
            "missing-block",
            clause.word.span,
            f"`{clause.word.text}` needs a block",
            f"write: {syntax_of(clause.word.text)}",
        )
    return clause.block


def syntax_of(word: str) -> str:
    """Return the syntax of a clause that stands at the top level or in a link."""
    return (language.TOP.get(word) or language.LINK[word]).syntax


def read_device(reader: Reader, clause: Clause) -> Setting:
    """`device "IF" | device matching "wan*"`. Codes: invalid-device, unquoted-text."""
    operands = Operands(reader, clause, language.LINK["device"].syntax)
    span = operands_span(clause)
    matching = bool(operands.accept("matching"))
    operand = operands.take("a pattern in quotes" if matching else "an interface name in quotes")
    operands.end()
    if operand is None:
        return Setting(None, span)
    if matching:
        pattern = read_pattern(reader, operand)
        places = ((("matching",), operand.span),)
        return Setting(Device(matching=pattern) if pattern else None, span, places)
    name = read_name(reader, operand)
    return Setting(Device(name=name) if name else None, span, ((("name",), operand.span),))


def read_role(reader: Reader, clause: Clause) -> Setting:
    """`role router [facing hosts] | bridge [facing hosts] | host`."""
    entry = language.LINK["role"]
    operands = Operands(reader, clause, entry.syntax)
    kind = operands.choose(entry.values, "a role")
    facing = kind in ("router", "bridge") and bool(operands.accept("facing"))
    if facing:
        operands.expect("hosts")
    operands.end()
    node = Role(kind=cast("Place", kind), facing_hosts=facing) if kind else None
    return Setting(node, operands_span(clause))


def read_connection_mark(reader: Reader, clause: Clause) -> Setting:
    """`connection-mark dscp MASK valid MASK`. Codes: connection-mark-unfit."""
    operands = Operands(reader, clause, language.LINK["connection-mark"].syntax)
    masks: list[int] = []
    span = operands_span(clause)
    for word in ("dscp", "valid"):
        operand = operands.take("a mask") if operands.expect(word) else None
        if operand is None:
            return Setting(None, span)
        mask = reader.count(operand, 1, U32)
        masks += [] if mask is None else [mask]
    operands.end()
    if len(masks) < 2:
        return Setting(None, span)
    mark = ConnectionMark(dscp=masks[0], valid=masks[1])
    if mark.problem:
        reader.context.error("connection-mark-unfit", span, mark.problem)
    return Setting(mark, span)


def read_framing(reader: Reader, clause: Clause) -> Setting:
    """`framing PRESET [+ vlan]...`, or a block of numbers."""
    if clause.block is not None:
        return _framing_block(reader, clause, clause.block)
    operands = Operands(reader, clause, language.LINK["framing"].syntax)
    span = operands_span(clause)
    operand = operands.take("a preset, or a block")
    operands.end()
    if operand is None:
        return Setting(None, span)
    preset, *tags = _sum_of(operand)
    if not isinstance(preset, Word) or preset.text not in language.FRAMINGS:
        _no_preset(reader, preset)
        return Setting(None, span)
    for tag in tags:
        if not isinstance(tag, Word) or tag.text != "vlan":
            reader.context.error(
                "unknown-value", tag.span, "only `vlan` can be added to a preset",
                "write: framing PRESET + vlan",
            )  # fmt: skip
            return Setting(None, span)
    if len(tags) > MOST_TAGS:
        reader.context.error(
            "value-out-of-range", span, f"a frame has at most {MOST_TAGS} tags here"
        )
    return Setting(Framing(preset=preset.text, vlans=len(tags)), span)


def _no_preset(reader: Reader, operand: Operand) -> None:
    if isinstance(operand, Word):
        reader.unknown_word(operand, language.FRAMINGS, "a framing preset")
    else:
        reader.context.error(
            "unknown-value", operand.span, "expected a framing preset",
            "numbers go into a block: framing { overhead 44B; cells atm }",
        )  # fmt: skip


def _sum_of(operand: Operand) -> list[Operand]:
    """Return `a`, `b`, `c` of `a + b + c`."""
    terms: list[Operand] = []
    while isinstance(operand, Binary) and operand.op == "+":
        terms.append(operand.right)
        operand = operand.left
    return [operand, *reversed(terms)]


def _framing_block(reader: Reader, clause: Clause, block: Block) -> Setting:
    operands = Operands(reader, clause, language.LINK["framing"].syntax)
    operands.end()

    def cells(operand: Operand) -> str | None:
        known = language.FRAMING["cells"].values
        if isinstance(operand, Word) and operand.text in known:
            return operand.text
        if isinstance(operand, Word):
            reader.unknown_word(operand, known, "a kind of cells")
        else:
            reader.context.error("expected-word", operand.span, "expected a kind of cells")
        return None

    values, places, unknown = read_fields(
        reader,
        block,
        "framing",
        {
            "overhead": ("overhead", lambda operand: reader.size(operand, *OVERHEAD)),
            "mpu": ("mpu", lambda operand: reader.size(operand, *MPU)),
            "cells": ("cells", cells),
        },
    )
    node = Framing(preset=None, **values)
    return Setting(node, clause.word.span, tuple(places), tuple(unknown))


_OWN = {
    "device": read_device,
    "role": read_role,
    "framing": read_framing,
    "connection-mark": read_connection_mark,
}
PLACEHOLDER = Device(name="unset")
"""Stands for a device whose name depends on a parameter without a value."""
