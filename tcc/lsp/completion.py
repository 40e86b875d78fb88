"""What could stand at a place of a text that is being written."""

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from tcc import language
from tcc.lsp.blocks import Head, block_called, entries
from tcc.lsp.document import Document
from tcc.passes import Kind
from tcc.plugin import QDISCS
from tcc.plugin import names as plugin_names

_TOKEN = re.compile(r'#[^\n]*|"(?:[^"\\\n]|\\[^\n])*"?|[{};\n]|[A-Za-z_][\w.-]*|[^\sA-Za-z_"#{};]+')
VALUES = ("bandwidth", "rtt", "memory", "overhead", "mpu", "let", "burst", "latency", "limit")
"""Clauses in which the name of a value can stand."""


class Proposal(NamedTuple):
    """One thing that could be written."""

    text: str
    kind: str
    """`clause`, `value`, `name`, `device` or `preset`."""
    detail: str = ""
    about: str = ""


class Here(NamedTuple):
    """Where a place is: the open blocks, and the words of the clause so far."""

    heads: tuple[Head, ...]
    words: tuple[str, ...]
    quoted: bool
    """Whether a text is open."""


def here(text: str, offset: int) -> Here:
    """Return where a place is; the word that is being written there does not count."""
    heads: list[Head] = []
    words: list[str] = []
    token = ""
    end = 0
    for found in _TOKEN.finditer(text, 0, offset):
        token, end = found[0], found.end()
        if token.startswith("#"):
            continue
        if token == "{":
            heads.append(Head(*(*words, "", "")[:2]))
            words = []
        elif token == "}":
            words = []
            if heads:
                heads.pop()
        elif token in (";", "\n"):
            words = []
        else:
            words.append(token)
    quoted = token.startswith('"') and not (len(token) > 1 and token.endswith('"'))
    if words and end == offset and (quoted or re.match(r"[\w]", token)):
        words.pop()  # still being written
    if token.startswith("#") and end == offset:
        return Here(tuple(heads), ("#",), False)
    return Here(tuple(heads), tuple(words), quoted)


def proposals(document: Document, offset: int) -> list[Proposal]:
    """Return what could stand at a place, best first; nothing in a comment."""
    place = here(document.source.text, offset)
    if place.words[:1] == ("#",):
        return []
    words = place.words[1:] if place.words[:1] == ("prefer",) else place.words
    block = block_called(place.heads)
    if not words and not place.quoted:
        known = entries(block)
        found = [Proposal(word, "clause", entry.syntax, f"{entry.summary}\n\n    {entry.example}")
                 for word, entry in known.items()]  # fmt: skip
        if known is language.SHAPING or known is language.LINK:
            found.append(Proposal("prefer", "clause", "prefer CLAUSE", "rather than insist"))
        return found
    return list(dict.fromkeys(_operands(document, block, words, quoted=place.quoted)))


def _operands(
    document: Document, block: str, words: tuple[str, ...], *, quoted: bool
) -> Iterator[Proposal]:
    clause = words[0] if words else ""
    if quoted:
        yield from _devices(document) if "device" in words else ()
        return
    if clause == "match":
        yield from _conditions(words)
    elif clause == "require":
        yield from _required(document)
    elif clause == "link" and words[-1] == ":":
        yield from _names(document, Kind.PROFILE)
    elif clause == "tier" and words[-1] == "as":
        yield from _each(language.TINS, "value", "a tin")
    elif clause == "under":
        yield from _each(language.PREDEFINED_WORKLOADS, "value", "a predefined workload")
        yield from _names(document, Kind.WORKLOAD)
    elif clause == "over":
        yield from _names(document, Kind.LINK)
    elif clause == "on":
        yield from _names(document, Kind.TESTBED)
    elif clause == "param" and words[-1] == ":":
        yield from _each(language.PARAM_TYPES, "value", "a type")
    elif clause in ("qdisc", "inner"):
        yield from _each(("auto", *plugin_names(QDISCS)), "value", "a kind of qdisc")
    else:
        yield from _values(document, block, words)


def _values(document: Document, block: str, words: tuple[str, ...]) -> Iterator[Proposal]:
    clause = words[0]
    entry = entries(block).get(clause)
    if clause == "role" and words[1:2]:
        yield from _each(("facing hosts",), "value", "hosts are behind the device")
        return
    if entry is not None:
        yield from _each(entry.values, "preset", entry.summary)
    if clause == "device":
        yield from (one._replace(text=f'"{one.text}"') for one in _devices(document))
        yield Proposal("matching", "value", 'device matching "PATTERN"')
    if "dscp" in words and block != "egress":
        yield from _each(language.DSCP_WORDS, "preset", "a DSCP")
    if clause in VALUES:
        yield from _names(document, Kind.LET, Kind.PARAM)


def _conditions(words: tuple[str, ...]) -> Iterator[Proposal]:
    last = next((word for word in reversed(words) if word in language.CONDITIONS), "")
    if last == "dscp":
        yield from _each(language.DSCP_WORDS, "preset", "a DSCP")
    elif last == "protocol":
        yield from _each(language.PROTOCOLS, "preset", "an IP protocol")
    elif last in ("local", "remote"):
        after = ("port",) if words[-2:-1] in (("udp",), ("tcp",)) else ("address", "subnet")
        yield from _each(after, "value", language.CONDITIONS[last].summary)
    elif last in ("udp", "tcp"):
        yield from _each(("local", "remote", "port"), "value", "a side, or any port")
    for word, entry in language.CONDITIONS.items():
        yield Proposal(word, "clause", entry.syntax, entry.summary)


def _required(document: Document) -> Iterator[Proposal]:
    yield from _each(language.DIRECTIONS, "value", "a direction")
    yield from _names(document, Kind.TIER, Kind.PART, Kind.WORKLOAD)
    yield from _each(language.SUBJECTS, "value", "what is measured")
    for metric, about in language.METRICS.items():
        yield Proposal(metric, "value", "a metric", about)
    yield from _each(language.STATISTICS, "value", "a statistic")


def _devices(document: Document) -> Iterator[Proposal]:
    facts = document.settings.facts
    for device in facts.devices if facts is not None else ():
        yield Proposal(device.name, "device", "a device of the host")


def _names(document: Document, *kinds: Kind) -> Iterator[Proposal]:
    for definition in document.built.names:
        if definition.kind in kinds:
            yield Proposal(definition.name, "name", f"a {definition.kind} of this policy")


def _each(words: Iterable[str], kind: str, detail: str) -> Iterator[Proposal]:
    return (Proposal(word, kind, detail) for word in words)
