"""The same schemas for programs that use pyroute2: `register()` replaces its codecs.

pyroute2 keeps a table of plugins by kind, used to write and to read
TCA_OPTIONS.  `register` puts ours there, made from the schemas of
`tcc.netlink.kinds` and `tcc.netlink.filters`:

    register()
    IPRoute().tc("replace", "cake", index=3, base_rate64=12_500_000, diffserv_mode=1)

Keywords are the kernel's names in lower case, in the kernel's units, sent in
the order given; a keyword that the kind does not have, or a value outside its
range, is an `EncodeError`, where pyroute2 would have left it out in silence.
What comes back has pyroute2's names (`TCA_CAKE_BASE_RATE64`); structures are
dicts.  This is the only module that imports pyroute2.
"""

from collections.abc import Callable, Iterable, Mapping
from types import SimpleNamespace
from typing import Any, Final, Protocol, TypeAlias

from pyroute2.netlink import nla, nla_base_string
from pyroute2.netlink.rtnl import TC_H_ROOT
from pyroute2.netlink.rtnl.tcmsg import plugins

from tcc.netlink.attributes import Array, Nested, Pairs, Schema, encode
from tcc.netlink.filters import FW, MATCHALL
from tcc.netlink.flower import FLOWER
from tcc.netlink.kinds import CAKE, CAKE_STATS, CAKE_TIN, FQ_CODEL, HTB, KINDS, SCHEMAS, TBF
from tcc.netlink.objects import STATS2
from tcc.netlink.wire import Value, Wire

_PREFIXES: Final[Mapping[Schema, str]] = {
    CAKE: "TCA_CAKE_",
    CAKE_STATS: "TCA_CAKE_STATS_",
    CAKE_TIN: "TCA_CAKE_TIN_STATS_",
    TBF: "TCA_TBF_",
    FQ_CODEL: "TCA_FQ_CODEL_",
    HTB: "TCA_HTB_",
    MATCHALL: "TCA_MATCHALL_",
    FW: "TCA_FW_",
    FLOWER: "TCA_FLOWER_",
    STATS2: "TCA_STATS_",
}
# What pyroute2 puts among a plugin's keywords beside the caller's own.
_HEADER_WORDS: Final = frozenset(
    {"kind", "index", "handle", "parent", "prio", "protocol", "info", "family", "options"}
)
QDISCS: Final = ("cake", "cake_mq", "tbf", "sfq", "fq_codel", "bfifo", "pfifo")
FILTERS: Final = {schema.name: schema for schema in (MATCHALL, FW, FLOWER)}

NlaClass: TypeAlias = type[Any]  # pyroute2 has no types


class Atom(Protocol):
    """What an attribute without attributes is to pyroute2."""

    value: Value

    def __getitem__(self, name: str) -> bytes | None:
        """Return the payload under the name `value`."""

    def __setitem__(self, name: str, payload: bytes) -> None:
        """Set the payload."""


def register(kinds: Iterable[str] = (*QDISCS, *FILTERS)) -> None:
    """Make pyroute2 use our codecs for `kinds`, in this process.

    Raises:
        KeyError: a kind for which there is no codec here.
    """
    for kind in kinds:
        if kind in FILTERS:
            plugins[kind] = _filter_plugin(FILTERS[kind])
        elif kind in QDISCS:
            plugins[kind] = _qdisc_plugin(kind)
        else:
            raise KeyError(kind)


def _qdisc_plugin(name: str) -> SimpleNamespace:
    """Return what pyroute2 expects of the module of a qdisc."""
    kind = KINDS[name]

    def get_parameters(keywords: dict[str, Any]) -> bytes:
        return kind.options.encode(name, _value(name, keywords))

    return SimpleNamespace(
        options=_options(_read(name, _schema(name), kind.options)),
        stats=_stats(name),
        stats2=_nest(STATS2, {"APP": _stats(name)}),
        get_parameters=get_parameters,
        parent=TC_H_ROOT,
        __doc__=f"{name}: {', '.join(_known(name)).lower()}",
    )


def _filter_plugin(schema: Schema) -> SimpleNamespace:
    """Return what pyroute2 expects of the module of a filter."""

    def get_parameters(keywords: dict[str, Any]) -> bytes:
        return encode(schema, _pairs(keywords))

    return SimpleNamespace(
        options=_options(_nest(schema)),
        get_parameters=get_parameters,
        fix_request=plugins["fw"].fix_request,
        __doc__=f"{schema.name}: {', '.join(schema.by_name).lower()}",
    )


def _schema(name: str) -> Schema | None:
    """Return the schema of a qdisc's options; None where they are a structure."""
    return SCHEMAS.get(name)


def _known(name: str) -> Iterable[str]:
    """Return the names that a qdisc's options have."""
    schema = _schema(name)
    if schema is not None:
        return schema.by_name
    return KINDS[name].options.decode(name, bytes(72), 0, 72).keys()  # type: ignore[union-attr]


def _pairs(keywords: Mapping[str, Any]) -> Pairs:
    return [(key.upper(), item) for key, item in keywords.items() if key not in _HEADER_WORDS]


def _value(name: str, keywords: Mapping[str, Any]) -> Value:
    """Return the caller's keywords as our codec takes them."""
    if _schema(name) is not None:
        return _pairs(keywords)
    return {key: item for key, item in keywords.items() if key not in _HEADER_WORDS}


def _options(reader: NlaClass) -> Callable[..., NlaClass]:
    """Return what pyroute2 asks for a class: bytes are written as they are."""

    def options(message: object, value: object = None, **place: object) -> NlaClass:
        return nla_base_string if isinstance(value, bytes) else reader

    return options


def _stats(name: str) -> NlaClass:
    """Return the class that reads a kind's own statistics."""
    if name == "cake":
        return _nest(CAKE_STATS)
    wire = KINDS[name].stats
    return nla_base_string if wire is None else _leaf(name, wire)


def _read(name: str, schema: Schema | None, wire: Wire) -> NlaClass:
    return _leaf(name, wire) if schema is None else _nest(schema)


def _nest(schema: Schema, replaced: Mapping[str, NlaClass] | None = None) -> NlaClass:
    """Return a class of nested attributes; `replaced` gives some of them another class."""
    members: dict[str, Any] = {"__slots__": ()}
    rows = []
    for field in schema.fields:
        inner = f"attribute_{field.number}"
        members[inner] = (replaced or {}).get(field.name) or _member(field.name, field.wire)
        rows.append((field.number, _PREFIXES[schema] + field.name, inner))
    members["nla_map"] = tuple(rows)
    return type(schema.name, (nla,), members)


def _member(name: str, wire: Wire) -> NlaClass:
    if isinstance(wire, Nested) and wire.schema in _PREFIXES:
        return _nest(wire.schema)
    if isinstance(wire, Array) and isinstance(wire.element, Nested):
        element = wire.element.schema
        if element in _PREFIXES:
            return _array(element)
    return _leaf(name, wire)


def _array(schema: Schema) -> NlaClass:
    """Return a class of numbered elements: CAKE's tins, from 1 to 8."""
    rows = tuple((number, f"{_PREFIXES[schema]}{number}", "element") for number in range(1, 9))
    return type("elements", (nla,), {"__slots__": (), "nla_map": rows, "element": _nest(schema)})


def _leaf(name: str, wire: Wire) -> NlaClass:
    """Return a class that leaves one attribute's payload to our codec."""

    def write(self: Atom) -> None:
        self["value"] = wire.encode(name, self.value)
        nla_base_string.encode(self)

    def read(self: Atom) -> None:
        nla_base_string.decode(self)
        data = bytes(self["value"] or b"")
        value = wire.decode(name, data, 0, len(data))
        self.value = dict(value) if isinstance(value, Mapping) else value

    return type("leaf", (nla_base_string,), {"__slots__": (), "encode": write, "decode": read})
