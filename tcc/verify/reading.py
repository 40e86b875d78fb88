"""Results read back from a file: whole and of the published form, or what is wrong and where.

A file may come from anywhere, so besides its form it is checked for what a JSON Schema cannot
say: that lists that belong together are equally long, and that numbers can be reckoned with.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

from tcc.diagnostics import Diagnostic, Severity
from tcc.source import Source, Span
from tcc.syntax.read import read_source
from tcc.verify.document import SCHEMA
from tcc.verify.series import MOST_INTERVALS, SHARES

MOST_FOUND = 5
LONGEST_MESSAGE = 200
LARGEST = 1 << 62

Results = Mapping[str, Any]


def read_results(path: str) -> tuple[Results | None, Sequence[Diagnostic]]:
    """Return a document that `tcc verify --json` printed, or None and what is wrong with it.

    The codes are those of `read_source`, and `results-malformed`.
    """
    source = read_source(path)
    if isinstance(source, Diagnostic):
        return None, [source]
    try:
        document = json.loads(source.text)
    except json.JSONDecodeError as problem:
        words = f"not JSON: {problem.msg} in line {problem.lineno}"
        return None, [_malformed(source, None, words)]
    except RecursionError:
        return None, [_malformed(source, None, "not results: lists within lists without end")]
    except ValueError:
        return None, [_malformed(source, None, "not results: a number of thousands of digits")]
    wrong = [*islice(_formal(document), MOST_FOUND)] or [*islice(_unfit(document), MOST_FOUND)]
    if wrong:
        return None, [_malformed(source, where, what) for where, what in wrong]
    return document, ()


def _malformed(source: Source, path: str | None, what: str) -> Diagnostic:
    hint = "write it anew: tcc verify FILE --json --series > results.json"
    return Diagnostic(
        "results-malformed", Severity.ERROR, what, Span(source.path, 0, 0), path, (hint,)
    )


def _formal(document: object) -> Iterator[tuple[str, str]]:
    """Yield where a document is not of the published form, and how."""
    from jsonschema import Draft202012Validator  # noqa: PLC0415  (slow to import)

    for problem in Draft202012Validator(json.loads(SCHEMA.read_text())).iter_errors(document):
        long = len(problem.message) > LONGEST_MESSAGE  # it quotes what is there, all of it
        words = f"the schema's `{problem.validator}` does not hold" if long else problem.message
        yield problem.json_path, words


def _unfit(document: Results) -> Iterator[tuple[str, str]]:
    yield from _numbers(document, "$")
    for number, objective in enumerate(document["objectives"]):
        place = f"$.objectives[{number}]"
        if not objective["runs"]:
            yield f"{place}.runs", "there is no run"
        for at, run in enumerate(objective["runs"]):
            yield from _run(run, len(objective["flows"]), f"{place}.runs[{at}]")


def _numbers(value: object, path: str) -> Iterator[tuple[str, str]]:
    """Yield the numbers that are too large to be measurements."""
    if isinstance(value, Mapping):
        for key, one in value.items():
            yield from _numbers(one, f"{path}.{key}")
    elif isinstance(value, Sequence) and not isinstance(value, str):
        for number, one in enumerate(value):
            yield from _numbers(one, f"{path}[{number}]")
    elif isinstance(value, int) and abs(value) > LARGEST:
        yield path, "no measurement is as large as that"


def _run(run: Mapping[str, Any], flows: int, place: str) -> Iterator[tuple[str, str]]:
    if len(run["flows"]) != flows:
        yield f"{place}.flows", f"there are {len(run['flows'])}, and {flows} in the objective"
    if len({len(flow["series"]) for flow in run["flows"]}) > 1:
        yield f"{place}.flows", "their series are not equally long"
    if run["duration"] < 0:
        yield f"{place}.duration", "it is below 0"
    series = run.get("series")
    if series is not None:
        yield from _series(series, run, flows, f"{place}.series")


def _series(
    series: Mapping[str, Any], run: Mapping[str, Any], flows: int, place: str
) -> Iterator[tuple[str, str]]:
    interval = series["interval"]
    if interval < 1_000_000:
        yield f"{place}.interval", "it is below 1 ms"
        return
    wanted = -(-run["duration"] // interval)
    if wanted > MOST_INTERVALS:
        yield f"{place}.interval", f"there are more than {MOST_INTERVALS} intervals"
    if len(series["flows"]) != flows:
        yield f"{place}.flows", f"there are {len(series['flows'])}, and {flows} in the objective"
    for path, row in _rows(series, place):
        if path.endswith(".quantiles"):
            if len(row) not in (0, len(SHARES)):
                yield path, f"there are {len(row)} quantiles, and not {len(SHARES)}"
        elif len(row) != wanted:
            yield path, f"there are {len(row)} values, and {wanted} intervals"


def _rows(value: object, path: str) -> Iterator[tuple[str, Sequence[object]]]:
    """Yield every list of numbers in a run's series."""
    if isinstance(value, Mapping):
        for key, one in value.items():
            yield from _rows(one, f"{path}.{key}")
    elif isinstance(value, list):
        if path.endswith(".flows"):
            for number, one in enumerate(value):
                yield from _rows(one, f"{path}[{number}]")
        else:
            yield path, value
