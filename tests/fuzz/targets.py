"""What hands hostile text to each reader of tcc, and where its seeds are."""

import contextlib
import gzip
import io
import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from functools import cache
from pathlib import Path

import pydantic

import tcc
from tcc import api, importing, report
from tcc.apply.saved import UnreadablePlanError, from_text
from tcc.cli import live
from tcc.cli.main import run as tcc_command
from tcc.diagnostics import Diagnostic, Severity
from tcc.facts import Facts
from tcc.fleet import SitesError, is_table, read_sites
from tcc.importing import SourceError
from tcc.importing.policy import policy_of
from tcc.ir.document import read_text as read_node
from tcc.linting.config import ConfigError, config_for, forget
from tcc.passes.vars import VarsError, read_vars
from tcc.plugin import Target as For
from tcc.plugin import backend
from tcc.report.page import diff as compared
from tcc.source import Source
from tcc.sweep.cells import cells
from tcc.sweep.grid import Run
from tcc.sweep.store import Row, Store, StoreError
from tcc.verify.document import document
from tcc.verify.flent.against import match, measured_run
from tcc.verify.flent.reading import read_file
from tcc.verify.flent.table import series_text
from tcc.verify.reading import read_results
from tcc.verify.run import Outcome
from tcc.verify.scenario import Scenario
from tests.fuzz import host, traces
from tests.fuzz.target import ROOT, Fault, Target, files, folder, harmless, text_of

_KNOWN = list(importing.KINDS)
MEASURED = """
link wan {
    device "eth0"
    framing ethernet
    egress { bandwidth 4mbit }
    ingress { bandwidth 8mbit }
}
objective "two ways up" { under tcp_nup 2 flows for 1s rtt 20ms; require egress goodput >= 1mbit }
"""


def policy(data: bytes) -> None:
    """Lint a policy, print what was found in every form, lay it out twice."""
    source = Source("fuzz.tcc", text_of(data))
    _lint(source)
    laid = tcc.format_text(source)
    if isinstance(laid, str):
        again = tcc.format_text(Source("fuzz.tcc", laid))
        if again != laid:
            raise Fault(f"the layout of a layout is another one: {again!r}")


def policy_json(data: bytes) -> None:
    """Lint a policy in JSON."""
    _lint(Source("fuzz.tcc.json", text_of(data)))


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
        known = read_node(Facts, text_of(data))
    except pydantic.ValidationError:
        return
    built = _home()
    assert built.policy is not None
    backend("netlink").lower(built.policy, For(known, built.spans, {}))


def imported(data: bytes) -> None:
    """Import from the kind of source that the first byte chooses: a policy comes out."""
    if not data:
        return
    kind, text = _KNOWN[data[0] % len(_KNOWN)], text_of(data[1:])
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
    for data in files("tests/data/import/*")():
        for kind in sorted({importing.guess(text_of(data)), _KNOWN[len(data) % len(_KNOWN)]}):
            yield bytes([_KNOWN.index(kind)]) + data


def _sources_of(*kinds: str) -> Callable[[], Iterator[bytes]]:
    def seeds() -> Iterator[bytes]:
        for data in files("tests/data/import/*")():
            kind = importing.guess(text_of(data))
            if kind in kinds:
                yield (bytes([kinds.index(kind)]) if len(kinds) > 1 else b"") + data

    return seeds


def uci(data: bytes) -> None:
    """Import UCI: sqm's or QoSmate's file, or the commands that write it."""
    kinds = ("sqm", "sqm-uci", "qosmate")
    if data:
        imported(bytes([_KNOWN.index(kinds[data[0] % len(kinds)])]) + data[1:])


def tc_line(data: bytes) -> None:
    """Import lines of tc, and what is around them in a script."""
    imported(bytes([_KNOWN.index("tc")]) + data)


def values(data: bytes) -> None:
    """Read values of parameters in each form."""
    for suffix in ("yaml", "json", "csv"):
        path = Path(folder(), f"values.{suffix}")
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


def flent(data: bytes) -> None:
    """Read a measurement, and lay it beside objectives as `tcc verify --from` does."""
    path = Path(folder(), "x.flent")
    path.write_bytes(data)
    found = read_file(str(path))
    if isinstance(found, Diagnostic):
        return
    scenario = match(_scenarios(), found)
    if isinstance(scenario, Diagnostic):
        return
    outcome = Outcome((measured_run(scenario, found, 1),))
    harmless(series_text(outcome.runs[0], outcome.runs[0]))
    document("fuzz.tcc", None, [outcome])


@cache
def _scenarios() -> "Sequence[Scenario]":
    made, _ = api.scenarios(tcc.load(Source("fuzz.tcc", MEASURED)), "reference")
    return made


def results(data: bytes) -> None:
    """Read results, and compare them with themselves as `tcc report diff` does."""
    path = Path(folder(), "results.json")
    path.write_bytes(data)
    found, _ = read_results(str(path))
    if found is not None:
        compared.render(found, found, ("a", "b"), "0")


def sweep_file(data: bytes) -> None:
    """Open the bytes as a file of a sweep; make a cell of them as one of its results."""
    path = Path(folder(), "sweep.sqlite")
    path.write_bytes(data)
    with contextlib.suppress(StoreError), closing(Store(str(path))) as store:
        store.results(["key"])
    run = Run("key", 0, 0, 1)
    with contextlib.suppress(StoreError):
        cells([run], {run.key: text_of(data)})


def plan(data: bytes) -> None:
    """Read a saved plan."""
    with contextlib.suppress(UnreadablePlanError):
        from_text(text_of(data), live.backend())


def config(data: bytes) -> None:
    """Read tcc.toml, from the root of a project of its own."""
    project = Path(folder(), "project")
    project.mkdir(exist_ok=True)
    (project / "tcc.toml").write_bytes(data)
    forget()
    with contextlib.suppress(ConfigError):
        config_for(str(project / "fuzz.tcc"))


def _as_json() -> Iterator[bytes]:
    for path in sorted(ROOT.glob("docs/examples/*.tcc")):
        built = tcc.load(str(path))
        if built.policy is not None:
            yield tcc.to_json(built.policy).encode()


def _values() -> Iterator[bytes]:
    yield b"up: 18mbit\ndown: [1, 2]\nname: &a 'x'\nother: *a\n"
    yield b'{"up": "18mbit", "down": 3.5}'
    yield b'site,up\nberlin,18mbit\n"par,is",20mbit\n'


@cache
def _printed(*arguments: str) -> bytes:
    """Return what a command prints, which is not nothing."""
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        tcc_command(list(arguments), "tcc")
    assert out.getvalue(), arguments
    return out.getvalue().encode()


@cache
def _verified() -> dict[str, bytes]:
    """Return what `tcc verify` writes of a short run: results, and flent's file."""
    policy, measured = Path(folder(), "x.tcc"), Path(folder(), "seed.flent")
    policy.write_text(MEASURED)
    given = ("--no-mend", "--jobs", "1", "--json", "--flent", f"{measured}.gz")
    found = _printed("verify", str(policy), *given)
    return {"results": found, "flent": Path(f"{measured}.gz").read_bytes()}


def _flents() -> Iterator[bytes]:
    packed = _verified()["flent"]
    yield packed
    yield gzip.decompress(packed)


def _results() -> Iterator[bytes]:
    yield json.dumps(json.loads(_verified()["results"]), separators=(",", ":")).encode()


def _sweeps() -> Iterator[bytes]:
    path = Path(folder(), "seed.sqlite")
    with closing(Store(str(path))) as store:
        store.keep_policy("d", "text")
        store.append([Row("key", "d", "{}", "text", 1, "0", "p", "{}")])
    yield path.read_bytes()
    yield b'{"refused": [{"code": "a", "message": "b"}]}'
    verdict = b'{"requirement": 0, "direction": null, "measured": "1/3", "bound": 2, '
    verdict += b'"unit": "rate", "holds": true}'
    yield b'{"basis": "model", "verdicts": [' + verdict + b'], "figures": {"up": 3, "x": null}}'


def _plans() -> Iterator[bytes]:
    home, out = str(ROOT / "docs/examples/home.tcc"), folder() / "seed.plan"
    _printed("plan", home, "--facts", home.replace(".tcc", ".facts.json"), "--out", str(out))
    yield out.read_bytes()


def _configs() -> Iterator[bytes]:
    yield b'target = "netlink"\n[lint]\nignore = ["device-claimed-twice"]\n'
    yield b'[[part]]\nfiles = ["a/*.tcc"]\nfacts = "x.json"\n'


TARGETS = {
    "policy": Target(policy, files("docs/examples/*.tcc", "tests/clean/*.tcc")),
    "policy-json": Target(policy_json, _as_json),
    "facts": Target(facts, files("docs/**/*.facts.json", "tests/**/*facts*.json")),
    "import": Target(imported, _sources),
    "vars": Target(values, _values),
    **traces.TARGETS,
    "uci": Target(uci, _sources_of("sqm", "sqm-uci", "qosmate")),
    "tc-line": Target(tc_line, _sources_of("tc")),
    "flent": Target(flent, _flents),
    "results": Target(results, _results),
    "sweep": Target(sweep_file, _sweeps),
    "plan": Target(plan, _plans),
    "config": Target(config, _configs),
    **host.TARGETS,
}
