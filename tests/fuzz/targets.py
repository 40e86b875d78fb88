"""What hands hostile bytes to each reader of tcc, and where its seeds are.

A target returns, or something is at fault: a reader may refuse with the exception that its
docstring names, never with another.
"""

import gzip
import json
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

import pydantic

import tcc
from tcc import importing, report
from tcc.diagnostics import Severity
from tcc.engine import replay
from tcc.facts import Facts
from tcc.fleet import SitesError, is_table, read_sites
from tcc.importing import SourceError
from tcc.importing.policy import policy_of
from tcc.netlink import kinds, links, messages
from tcc.netlink.objects import TcObject
from tcc.netlink.wire import DecodeError
from tcc.passes.vars import VarsError, read_vars
from tcc.plugin import Target as For
from tcc.plugin import backend
from tcc.source import Source

ROOT = Path(__file__).resolve().parents[2]
TRACES = ROOT / "tests/data/cake-vectors.json.gz"
LINK_KINDS = range(16, 20)  # RTM_NEWLINK ... RTM_SETLINK
MOST_STEPS = 2000  # of one scenario: a long one is slow, not wrong


class Fault(Exception):  # noqa: N818  (it is what a run looks for)
    """A promise that a reader broke without raising anything."""


class Target(NamedTuple):
    """One reader, and texts it knows."""

    run: Callable[[bytes], None]
    seeds: Callable[[], Iterator[bytes]]


def _text(data: bytes) -> str:
    return data.decode("utf-8", "replace")


def _files(*patterns: str) -> Callable[[], Iterator[bytes]]:
    def seeds() -> Iterator[bytes]:
        for pattern in patterns:
            for path in sorted(ROOT.glob(pattern)):
                yield path.read_bytes()

    return seeds


def policy(data: bytes) -> None:
    """Lint a policy, print what was found in every form, lay it out twice."""
    source = Source("fuzz.tcc", _text(data))
    _lint(source)
    laid = tcc.format_text(source)
    if isinstance(laid, str):
        again = tcc.format_text(Source("fuzz.tcc", laid))
        if again != laid:
            raise Fault(f"the layout of a layout is another one: {again!r}")


def policy_json(data: bytes) -> None:
    """Lint a policy in JSON."""
    _lint(Source("fuzz.tcc.json", _text(data)))


def _lint(source: Source) -> None:
    built = tcc.load(source)
    found = tcc.lint(built, target="netlink")
    sources = {**built.sources, source.path: source}
    for form in ("text", "concise", "json", "sarif", "github", "junit"):
        said = report.renderer(form)(found, sources)
        if any(ord(one) < 32 and one not in "\n" for one in said):
            raise Fault(f"{form} prints a control character")


@cache
def _home() -> "tcc.Built":
    return tcc.load(str(ROOT / "docs/examples/home.tcc"))


def facts(data: bytes) -> None:
    """Read facts, and lower a policy for them."""
    try:
        known = Facts.model_validate_json(_text(data))
    except pydantic.ValidationError:
        return
    built = _home()
    assert built.policy is not None
    backend("netlink").lower(built.policy, For(known, built.spans, {}))


def imported(data: bytes) -> None:
    """Import from the kind of source that the first byte chooses: a policy comes out."""
    if not data:
        return
    kind, text = tuple(importing.KINDS)[data[0] % len(importing.KINDS)], _text(data[1:])
    try:
        found = importing.read(kind, text, "eth0")
    except SourceError:
        return
    made = policy_of(found, kind, Source("fuzz", text))
    told = {remark.text for remark in made.remarks}
    for item in tcc.load(Source("made.tcc", made.text)).found:
        if item.severity is Severity.ERROR and item.message not in told:
            raise Fault(f"{kind} became what is no policy: {item.message}\n{made.text}")


def _sources() -> Iterator[bytes]:
    known = list(importing.KINDS)
    for data in _files("tests/data/import/*")():
        for kind in {importing.guess(_text(data)), known[len(data) % len(known)]}:
            yield bytes([known.index(kind)]) + data


def values(data: bytes) -> None:
    """Read values of parameters in each form."""
    for suffix in ("yaml", "json", "csv"):
        path = Path(_folder().name, f"values.{suffix}")
        path.write_bytes(data)
        try:
            read_vars(str(path))
        except VarsError:
            continue
    if is_table(str(path)):
        try:
            list(read_sites(str(path)))
        except SitesError:
            return


@cache
def _folder() -> "TemporaryDirectory[str]":
    return TemporaryDirectory(prefix="tcc-fuzz-")


def netlink(data: bytes) -> None:
    """Decode a datagram of the kernel: qdiscs, classes, filters, links, and their options."""
    try:
        found = messages.split(data, len(data))
    except DecodeError:
        return
    for _, reply in found:
        try:
            _decoded(reply)
        except DecodeError:
            continue


def _decoded(reply: messages.Reply) -> None:
    if reply.type in LINK_KINDS:
        links.parse(reply)
        return
    one = TcObject(*reply)
    _ = one.attributes, one.counters, one.handle, one.parent
    if one.kind in kinds.KINDS:
        if one.options is not None:
            kinds.decode_options(one.kind, one.options)
        if one.xstats is not None:
            kinds.decode_stats(one.kind, one.xstats)


def trace(data: bytes) -> None:
    """Replay a trace on the engine."""
    try:
        scenario = json.loads(data)
    except (ValueError, RecursionError):
        return
    if isinstance(scenario, dict) and isinstance(scenario.get("steps"), list):
        scenario["steps"] = scenario["steps"][:MOST_STEPS]
    try:
        replay.replay(scenario)
    except replay.UnreadableError:
        return


def _traces() -> Iterator[bytes]:
    document = json.loads(gzip.decompress(TRACES.read_bytes()))
    for scenario in document["scenarios"]:
        data = json.dumps(scenario, separators=(",", ":")).encode()
        if len(data) < 1 << 15:
            yield data


def _datagrams() -> Iterator[bytes]:
    for path in sorted((ROOT / "tests/data/tc-bytes").glob("captured*.txt")):
        for line in path.read_text().splitlines():
            if not line.startswith("tc "):
                yield bytes.fromhex(line)


def _as_json() -> Iterator[bytes]:
    for path in sorted(ROOT.glob("docs/examples/*.tcc")):
        built = tcc.load(str(path))
        if built.policy is not None:
            yield tcc.to_json(built.policy).encode()


def _values() -> Iterator[bytes]:
    yield b"up: 18mbit\ndown: [1, 2]\nname: &a 'x'\nother: *a\n"
    yield b'{"up": "18mbit", "down": 3.5}'
    yield b'site,up\nberlin,18mbit\n"par,is",20mbit\n'


TARGETS = {
    "policy": Target(policy, _files("docs/examples/*.tcc", "tests/clean/*.tcc")),
    "policy-json": Target(policy_json, _as_json),
    "facts": Target(facts, _files("docs/**/*.facts.json", "tests/**/*facts*.json")),
    "import": Target(imported, _sources),
    "vars": Target(values, _values),
    "netlink": Target(netlink, _datagrams),
    "trace": Target(trace, _traces),
}
