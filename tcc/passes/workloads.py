"""`workload NAME { ... }`: named mixes of traffic."""

from collections.abc import Callable
from typing import Any

from tcc import dscp, language
from tcc.ir import Part, Path, Workload
from tcc.passes.blocks import clauses_of
from tcc.passes.context import Definition, Kind
from tcc.passes.links import need_block
from tcc.passes.reader import Operands, Reader
from tcc.passes.tiers import check_subject_name
from tcc.source import Span
from tcc.syntax.tree import Clause, Number, Operand, Word
from tcc.units import Dimension

MAX_PAYLOAD = 65_507  # what a UDP datagram over IPv4 carries


def read_workload(reader: Reader, definition: Definition) -> Workload:
    """Read one workload; its places are entered at the definition's path.

    Codes: empty-workload, reserved-name, duplicate-name, duplicate-operand and those of values.
    """
    context, clause = reader.context, definition.clause
    assert clause is not None
    block = need_block(reader, clause)
    path = definition.path
    context.spans[path] = definition.span
    parts: list[Part] = []
    names: dict[str, Span] = {}
    for inner in clauses_of(context, block, "a workload") if block else ():
        reading = PartReader(reader, inner, (*path, "parts", len(parts)), definition.name)
        parts.append(reading.run(names))
    if block and not block.clauses:
        context.missing(
            "empty-workload",
            definition.span,
            f"the workload `{definition.name}` sends nothing",
            "give it traffic, such as: tcp upload 4 flows",
        )
    return Workload(name=definition.name, parts=tuple(parts))


class PartReader:
    """Reads one line of a workload."""

    def __init__(self, reader: Reader, clause: Clause, path: Path, workload: str) -> None:
        self.reader = reader
        self.kind = clause.word.text
        self.path = path
        self.owner = f"workload {workload}"
        self.operands = Operands(reader, clause, language.WORKLOAD[self.kind].syntax)
        self.values: dict[str, Any] = {"kind": self.kind}
        self.words: dict[str, Span] = {}
        reader.context.spans[path] = self.operands.span

    def run(self, names: dict[str, Span]) -> Part:
        """Read all operands; `names` holds those of the parts before it."""
        operands = self.operands
        if self.kind in ("tcp", "udp"):
            direction = operands.choose(("upload", "download"), "a direction")
            if direction is None:
                return Part(**self.values)
            self.values["direction"] = direction
            self._flows("flow", "flows")
        elif self.kind == "voip":
            self._flows("call", "calls")
        options = _OPTIONS[self.kind]
        while (operand := operands.peek()) is not None:
            if isinstance(operand, Word) and operand.text in options:
                operands.take()
                self._once(operand.text, operand.span)
                options[operand.text](self, operand)
            elif self.kind in ("tcp", "udp") and _may_be_rate(self.reader, operand):
                self._rate()
            else:
                if isinstance(operand, Word):
                    self.reader.unknown_word(operand, tuple(options), f"an option of `{self.kind}`")
                else:
                    operands.end()
                break
        self._name(names)
        return Part(**self.values)

    def _once(self, what: str, span: Span) -> None:
        first = self.words.setdefault(what, span)
        if first is not span:
            self.reader.context.error(
                "duplicate-operand",
                span,
                f"`{what}` is already given here",
                related=[("first given here", first)],
            )

    def _flows(self, *units: str) -> None:
        operand = self.operands.take(f"how many {units[-1]}")
        if operand is None:
            return
        self.put("flows", self.reader.count(operand), operand)
        self.operands.expect(*units)

    def _rate(self) -> None:
        operand = self.operands.take("a rate")
        if operand is None:
            return
        self._once("a rate", operand.span)
        self.put("rate", self.reader.rate(operand), operand)
        if self.operands.accept("total"):
            self.values["rate_is_total"] = True
        else:
            self.operands.expect("each", "total")

    def _name(self, names: dict[str, Span]) -> None:
        name = self.values.get("name")
        span = self.reader.context.spans.get((*self.path, "name"))
        if not isinstance(name, str) or span is None:
            return
        if name in names:
            self.reader.context.error(
                "duplicate-name", span, f"two parts of this workload are called `{name}`",
                related=[("first defined here", names[name])],
            )  # fmt: skip
        if names.setdefault(name, span) is span:
            self.reader.context.enter(
                Definition(Kind.PART, name, span, None, [], self.path, self.owner)
            )

    def put(self, field: str, value: object | None, operand: Operand) -> None:
        """Keep a field's value and place."""
        path = (*self.path, field)
        self.reader.context.spans[path] = operand.span
        if value is None:
            self.reader.context.unknown.add(path)
        else:
            self.values[field] = value

    def duration(self, field: str) -> None:
        """Read a duration into `field`; zero is one."""
        operand = self.operands.take("a duration")
        if operand:
            low = 0 if field == "after" else 1
            self.put(field, self.reader.duration(operand, low), operand)

    def payload(self) -> None:
        """Read `payload SIZE`."""
        operand = self.operands.take("a size")
        if operand:
            self.put("payload", self.reader.size(operand, 1, MAX_PAYLOAD), operand)

    def dscp(self) -> None:
        """Read `dscp W`: one code point."""
        operand = self.operands.take("a DSCP")
        if operand:
            self.put("dscp", _one_dscp(self.reader, operand), operand)

    def hosts(self) -> None:
        """Read `from N hosts`."""
        operand = self.operands.take("how many hosts")
        if operand:
            self.put("hosts", self.reader.count(operand), operand)
            self.operands.expect("host", "hosts")

    def name(self) -> None:
        """Read `as PART`."""
        word = self.operands.take_word("a name")
        if word:
            check_subject_name(self.reader, word, "a part of a workload")
            self.put("name", word.text, word)

    def congestion_control(self, word: Word) -> None:
        """Read `cubic`, `reno` or `bbr`."""
        if "congestion_control" in self.values:
            self.reader.context.error(
                "duplicate-operand", word.span, "one flow has one congestion control"
            )
        self.put("congestion_control", word.text, word)

    def ecn(self, word: Word) -> None:
        """Read `ecn`."""
        self.put("ecn", value=True, operand=word)


def _may_be_rate(reader: Reader, operand: Operand) -> bool:
    """Whether an operand stands where only a rate can; bare unknown words are no rates."""
    if isinstance(operand, Number):
        return operand.dimension in (Dimension.RATE, Dimension.COUNT, Dimension.PERCENT)
    return not isinstance(operand, Word) or reader.values.definition(operand.text) is not None


def _one_dscp(reader: Reader, operand: Operand) -> int | None:
    if isinstance(operand, Word) and reader.values.definition(operand.text) is None:
        if operand.text in dscp.NAMES:
            return dscp.NAMES[operand.text]
        reader.unknown_word(operand, tuple(dscp.NAMES), "the name of one DSCP")
        return None
    return reader.count(operand, 0, 63)


Option = Callable[[PartReader, Word], None]
_COMMON: dict[str, Option] = {
    "dscp": lambda part, _: part.dscp(),
    "rtt": lambda part, _: part.duration("rtt"),
    "after": lambda part, _: part.duration("after"),
    "as": lambda part, _: part.name(),
}
_HOSTS: dict[str, Option] = {"from": lambda part, _: part.hosts()}
_PAYLOAD: dict[str, Option] = {"payload": lambda part, _: part.payload()}
_OPTIONS: dict[str, dict[str, Option]] = {
    "udp": _COMMON | _HOSTS | _PAYLOAD,
    "tcp": _COMMON
    | _HOSTS
    | _PAYLOAD
    | dict.fromkeys(language.CONGESTION_CONTROLS, PartReader.congestion_control)
    | {"ecn": PartReader.ecn},
    "voip": _COMMON | _HOSTS,
    "ping": _COMMON | {"interval": lambda part, _: part.duration("interval")},
}
"""What may follow on each kind of line, in any order."""
