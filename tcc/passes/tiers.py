"""`tier NAME [as TIN] { match ...; match ... }`: which packets belong to which tin."""

from collections.abc import Callable
from typing import Any, cast

from tcc import dscp, language
from tcc.diagnostics import Fix
from tcc.ir import MarkMatch, Match, Path, PortRange, Tier
from tcc.ir.tier import Tin
from tcc.passes.blocks import clauses_of
from tcc.passes.context import Definition, Kind
from tcc.passes.devices import read_name
from tcc.passes.kept import once
from tcc.passes.reader import U32, Operands, Reader, items_of, operands_span
from tcc.passes.setting import Setting
from tcc.source import Span
from tcc.syntax.tree import Address, Binary, Block, Clause, Number, Operand, Text, Word
from tcc.units import Dimension

SYNTAX = language.TIER["match"].syntax
_PROTOCOL_NAMES = {number: name for name, number in language.PROTOCOLS.items()}


def read_tier(
    reader: Reader, clause: Clause, taken: dict[str, Span], path: Path = (), owner: str = ""
) -> Setting | None:
    """Read a tier; `taken` holds the names of those before it in its block.

    Codes: unknown-tin, reserved-name, duplicate-name, empty-tier and those of matches.
    """
    entry = language.LINK["tier"]
    operands = Operands(reader, clause, entry.syntax)
    name = operands.take_word("a name")
    tin = operands.take_word("a tin") if operands.accept("as") else None
    operands.end()
    if clause.block is None:
        reader.context.missing(
            "missing-block", clause.word.span, "`tier` needs a block", f"write: {entry.syntax}"
        )
    if name is None:
        return None
    check_subject_name(reader, name, "a tier")
    if name.text in taken:
        reader.context.error(
            "duplicate-name", name.span, f"the tier `{name.text}` is defined twice",
            "put all its matches into one block",
            related=[("first defined here", taken[name.text])],
        )  # fmt: skip
        return None
    taken[name.text] = name.span
    reader.context.enter(Definition(Kind.TIER, name.text, name.span, clause, [], path, owner))
    chosen = _tin(reader, name, tin)
    matches, places, unknown = _matches(reader, clause.block)
    if tin:
        places.append((("tin",), tin.span))
    if clause.block and not clause.block.clauses:
        reader.context.missing(
            "empty-tier",
            name.span,
            f"no packet can be in the tier `{name.text}`",
            "give it a `match`",
        )
    node = Tier(name=name.text, tin=chosen or "besteffort", matches=matches)
    return Setting(node, name.span, tuple(places), tuple(unknown))


def _matches(
    reader: Reader, block: Block | None
) -> tuple[tuple[Match, ...], list[tuple[Path, Span]], list[Path]]:
    """Read the matches of a tier, with their places and what of them is not known."""
    matches: list[Match] = []
    places: list[tuple[Path, Span]] = []
    unknown: list[Path] = []
    for clause in clauses_of(reader.context, block, "a tier") if block else ():
        match, spans, lacking = once(reader, clause, _match)
        path = ("matches", len(matches))
        matches.append(match)
        places.append((path, operands_span(clause)))
        places += [((*path, field), span) for field, span in spans.items()]
        unknown += [(*path, field) for field in lacking]
    return tuple(matches), places, unknown


def _match(reader: Reader, clause: Clause) -> tuple[Match, dict[str, Span], list[str]]:
    """Return a match, the places of its conditions, and those that are not known."""
    reading = Conditions(reader, clause)
    return reading.run(), reading.places, reading.unknown


def check_subject_name(reader: Reader, name: Word, what: str) -> None:
    """Refuse names that `require` could not tell from its own words. Codes: reserved-name."""
    if name.text in language.RESERVED_SUBJECTS:
        reader.context.error(
            "reserved-name",
            name.span,
            f"{what} cannot be called `{name.text}`",
            "`require` gives that word a meaning of its own",
        )


def _tin(reader: Reader, name: Word, tin: Word | None) -> Tin | None:
    chosen = tin or name
    if chosen.text in language.TINS:
        return cast("Tin", chosen.text)
    if tin:
        reader.unknown_word(tin, language.TINS, "a tin", "unknown-tin")
    else:
        reader.context.error(
            "unknown-tin",
            name.span,
            f"`{name.text}` is not a tin",
            f"say which it goes to: tier {name.text} as voice {{ ... }}",
            "the tins are bulk, besteffort, video, voice, or tin0 to tin7",
        )
    return None


class Conditions:
    """Reads the conditions of one `match`, which must all hold."""

    def __init__(self, reader: Reader, clause: Clause) -> None:
        self.reader = reader
        self.operands = Operands(reader, clause, SYNTAX)
        self.values: dict[str, tuple[Any, ...]] = {}
        self.places: dict[str, Span] = {}
        self.unknown: list[str] = []

    def run(self) -> Match:
        """Read all conditions of the clause."""
        operands = self.operands
        if operands.peek() is None:
            operands.missing("a condition")
        while (operand := operands.peek()) is not None:
            if not isinstance(operand, Word) or operand.text not in language.CONDITIONS:
                self._no_condition(operand)
                break
            operands.take()
            _READERS[operand.text](self, operand)
        return Match(**self.values)

    def _no_condition(self, operand: Operand) -> None:
        if isinstance(operand, Word):
            self.reader.unknown_word(operand, tuple(language.CONDITIONS), "a condition")
        else:
            self.reader.context.error(
                "unexpected-operand",
                operand.span,
                "this belongs to no condition",
                self.operands.usage,
            )

    def set(
        self, field: str, word: Word, read: Callable[[Reader, Operand], tuple[object, ...] | None]
    ) -> None:
        """Read the values of one condition, joined by commas."""
        operand = self.operands.take(f"a value for `{word.text}`")
        if operand is None:
            return
        values: list[object] = []
        for item in items_of(operand):
            value = read(self.reader, item)
            if value is None:
                self.unknown.append(field)
            else:
                values += value
        self.enter(field, tuple(dict.fromkeys(values)), word, operand.span)

    def enter(self, field: str, values: tuple[object, ...], word: Word, span: Span) -> None:
        """Keep the values of a condition; the same one twice is an error."""
        if field in self.places:
            self.reader.context.error(
                "duplicate-condition",
                word.span,
                f"`{word.text}` is already given in this match",
                "values joined by commas mean any of them; conditions must all hold",
                related=[("first given here", self.places[field])],
            )
            return
        self.values[field] = values
        self.places[field] = span

    def side(self, word: Word) -> None:
        """`local|remote address|subnet A`."""
        what = self.operands.take_word("`address` or `subnet`")
        if what is None:
            return
        if what.text == "port":
            self.reader.context.error(
                "unknown-value", what.span, "a port belongs to a protocol",
                f"write: udp {word.text} port ... or tcp {word.text} port ...",
            )  # fmt: skip
            self.operands.take()
        elif what.text in ("address", "subnet"):
            read = read_address if what.text == "address" else read_subnet
            self.set(f"{word.text}_addresses", what, read)
        else:
            self.reader.unknown_word(what, ("address", "subnet"), "a part of an address")
            self.operands.take()

    def ports(self, word: Word) -> None:
        """`udp|tcp [local|remote] port P[..Q]`."""
        side = self.operands.accept("local", "remote")
        if self.operands.peek() is None:
            self.reader.context.missing(
                "missing-operand", word.span, f"`{word.text}` lacks a port",
                f"for all of it write: protocol {word.text}",
            )  # fmt: skip
            return
        port = self.operands.peek()
        if not self.operands.expect("port"):
            return
        if "protocols" in self.places:
            self.reader.context.error(
                "duplicate-condition",
                word.span,
                "a packet has one protocol",
                "write another `match`: any of them is enough",
                related=[("first given here", self.places["protocols"])],
            )
            self.operands.take()
            return
        self.enter("protocols", (word.text,), word, word.span)
        field = f"{side.text}_ports" if isinstance(side, Word) else "ports"
        assert isinstance(port, Word)
        self.set(field, port, read_ports)


def read_dscp(reader: Reader, operand: Operand) -> tuple[object, ...] | None:
    """Read a DSCP: a name, a group such as `af4x`, or 0 to 63."""
    if isinstance(operand, Word):
        if operand.text in dscp.NAMES:
            return (dscp.NAMES[operand.text],)
        if operand.text in dscp.GROUPS:
            return dscp.GROUPS[operand.text]
        if reader.values.definition(operand.text) is None:
            reader.unknown_word(operand, language.DSCP_WORDS, "a DSCP")
            return None
    value = reader.count(operand, 0, 63)
    return None if value is None else (value,)


def read_marks(reader: Reader, operand: Operand) -> tuple[object, ...] | None:
    """Read `V` or `V/MASK`. Codes: mark-outside-mask."""
    if not (isinstance(operand, Binary) and operand.op == "/"):
        value = reader.count(operand, 0, U32)
        return None if value is None else (MarkMatch(value=value),)
    value = reader.count(operand.left, 0, U32)
    mask = reader.count(operand.right, 0, U32)
    if value is None or mask is None:
        return None
    if value & ~mask:
        reader.context.error(
            "mark-outside-mask",
            operand.span,
            f"no mark can match: {value:#x} has bits that the mask {mask:#x} clears",
        )
    return (MarkMatch(value=value, mask=mask),)


def read_ports(reader: Reader, operand: Operand) -> tuple[object, ...] | None:
    """Read `P` or `P..Q`. Codes: empty-range."""
    if not (isinstance(operand, Binary) and operand.op == ".."):
        port = reader.count(operand, 0, 65535)
        return None if port is None else (PortRange(first=port, last=port),)
    first = reader.count(operand.left, 0, 65535)
    last = reader.count(operand.right, 0, 65535)
    if first is None or last is None:
        return None
    if first > last:
        reader.context.error(
            "empty-range", operand.span, f"no port is from {first} to {last}",
            fix=Fix(f"write `{last}..{first}`", operand.span, f"{last}..{first}", safe=False),
        )  # fmt: skip
        return None
    return (PortRange(first=first, last=last),)


def read_protocol(reader: Reader, operand: Operand) -> tuple[object, ...] | None:
    """Read an IP protocol: a name, or 0 to 255 where it has no name here."""
    if isinstance(operand, Word) and reader.values.definition(operand.text) is None:
        if operand.text in language.PROTOCOLS:
            return (operand.text,)
        reader.unknown_word(operand, tuple(language.PROTOCOLS), "a protocol")
        return None
    number = reader.count(operand, 0, 255)
    return None if number is None else (_PROTOCOL_NAMES.get(number, str(number)),)


def _address_text(reader: Reader, operand: Operand) -> str | None:
    if isinstance(operand, Address):
        return operand.text
    if isinstance(operand, Number) and operand.dimension is Dimension.COUNT:
        return operand.text
    if isinstance(operand, Word) and reader.values.definition(operand.text) is None:
        _invalid(reader, operand, f"`{operand.text}` is not an IPv4 or IPv6 address", "")
        return None
    return reader.text(operand, "an address")


def read_address(reader: Reader, operand: Operand) -> tuple[object, ...] | None:
    """Read one IPv4 or IPv6 address. Codes: invalid-address."""
    text = _address_text(reader, operand)
    if text is None:
        return None
    from ipaddress import ip_address  # noqa: PLC0415  (few policies have addresses)

    try:
        return (str(ip_address(text)),)
    except ValueError:
        hint = "for many addresses write: subnet ..." if "/" in text else ""
        _invalid(reader, operand, f"`{text}` is not an IPv4 or IPv6 address", hint)
        return None


def read_subnet(reader: Reader, operand: Operand) -> tuple[object, ...] | None:
    """Read a prefix without host bits. Codes: invalid-address."""
    text = _address_text(reader, operand)
    if text is None:
        return None
    if "/" not in text:
        _invalid(reader, operand, f"`{text}` has no prefix length", "for one: address ...")
        return None
    from ipaddress import ip_interface, ip_network  # noqa: PLC0415

    try:
        return (str(ip_network(text)),)
    except ValueError:
        pass
    try:
        network = str(ip_interface(text).network)
    except ValueError:
        _invalid(reader, operand, f"`{text}` is not an IPv4 or IPv6 prefix", "")
        return None
    written = f'"{network}"' if isinstance(operand, Text) else network
    _invalid(
        reader, operand, f"`{text}` has bits set outside its prefix", "",
        Fix(f"write `{network}`", operand.span, written, safe=False),
    )  # fmt: skip
    return None


def _invalid(
    reader: Reader, operand: Operand, message: str, hint: str, fix: Fix | None = None
) -> None:
    reader.context.error("invalid-address", operand.span, message, hint, fix=fix)


def _read_device(reader: Reader, operand: Operand) -> tuple[object, ...] | None:
    name = read_name(reader, operand)
    return None if name is None else (name,)


_READERS: dict[str, Callable[[Conditions, Word], None]] = {
    "dscp": lambda conditions, word: conditions.set("dscp", word, read_dscp),
    "mark": lambda conditions, word: conditions.set("marks", word, read_marks),
    "local": Conditions.side,
    "remote": Conditions.side,
    "udp": Conditions.ports,
    "tcp": Conditions.ports,
    "protocol": lambda conditions, word: conditions.set("protocols", word, read_protocol),
    "device": lambda conditions, word: conditions.set("devices", word, _read_device),
}
