"""Files of values for parameters: `--vars FILE.yaml|json|csv`."""

import csv
import io
from collections.abc import Mapping, Sequence

from tcc.diagnostics import Diagnostic
from tcc.passes.jsontext import JsonError, JsonText
from tcc.passes.params import Given
from tcc.source import Source, Span
from tcc.syntax.read import read_source

ARGUMENT = "--set"
"""What messages call the text of all `--set` options, one a line."""


class VarsError(Exception):
    """Values that cannot be read; the message says which and why."""


def read_values(assignments: Sequence[str], files: Sequence[str]) -> Given:
    """Return the values of `--vars` files, later ones first in rank, and of `--set` above all.

    Raises:
        VarsError: a file cannot be read or is not of a known shape, or `--set` has no `=`.
    """
    values: dict[str, object] = {}
    spans: dict[str, Span] = {}
    sources: dict[str, Source] = {}
    for path in files:
        given = read_vars(path)
        values |= given.values
        spans = {name: span for name, span in spans.items() if name not in given.values}
        spans |= given.spans
        sources |= given.sources
    text = "".join(f"{assignment}\n" for assignment in assignments)
    if assignments:
        sources[ARGUMENT] = Source(ARGUMENT, text)
    at = 0
    for assignment in assignments:
        name, equals, value = assignment.partition("=")
        name = name.strip()
        if not equals or not name:
            raise VarsError(f"--set {assignment}: write --set NAME=value")
        values[name] = value.strip()
        spans[name] = Span(ARGUMENT, at, at + len(assignment))
        at += len(assignment) + 1
    return Given(values, spans, sources)


def read_vars(path: str) -> Given:
    """Read one file; its name says how.

    Raises:
        VarsError: it cannot be read, or is not a mapping of names to single values.
    """
    suffix = path.rpartition(".")[2].lower()
    if suffix not in _READERS:
        raise VarsError(f"{path}: the name must end in .yaml, .yml, .json or .csv")
    source = read_source(path)
    if isinstance(source, Diagnostic):
        raise VarsError(f"{path}: {source.message}")
    return _READERS[suffix](source)


def _json(source: Source) -> Given:
    text = JsonText(source)
    try:
        data = text.read()
    except JsonError as problem:
        line = source.position(problem.offset).line
        raise VarsError(f"{source.path}:{line}: {problem}") from problem
    if not isinstance(data, dict):
        raise VarsError(f"{source.path}: expected an object of names and values")
    for name, value in data.items():
        _check_single(source, name, value)
    spans = {name: text.spans[name,] for name in data}
    return Given(data, spans, {source.path: source})


def _check_single(source: Source, name: str, value: object) -> None:
    if isinstance(value, dict | list) or value is None:
        raise VarsError(f"{source.path}: the value of `{name}` is not a single one")


def _yaml(source: Source) -> Given:
    try:
        import yaml  # noqa: PLC0415  (an extra, and slow to import)
    except ImportError as problem:
        raise VarsError(
            f"{source.path}: reading YAML needs PyYAML: pip install 'tcpolicy[yaml]'"
        ) from problem
    try:
        # Only the structure is asked for: texts stay as written, `on` is no truth value.
        document = yaml.compose(source.text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    except yaml.YAMLError as problem:
        mark = getattr(problem, "problem_mark", None)
        where = f"{source.path}:{mark.line + 1}" if mark else source.path
        raise VarsError(f"{where}: {getattr(problem, 'problem', problem)}") from problem
    if document is None:
        return Given({}, {}, {source.path: source})
    if not isinstance(document, yaml.MappingNode):
        raise VarsError(f"{source.path}: expected names and values, such as `up: 18mbit`")
    values: dict[str, object] = {}
    spans: dict[str, Span] = {}
    for key, node in document.value:
        if not isinstance(key, yaml.ScalarNode) or not isinstance(node, yaml.ScalarNode):
            line = key.start_mark.line + 1
            raise VarsError(f"{source.path}:{line}: expected a name and a single value")
        if key.value in values:
            line = key.start_mark.line + 1
            raise VarsError(f"{source.path}:{line}: `{key.value}` is given twice")
        values[key.value] = node.value
        spans[key.value] = Span(source.path, node.start_mark.index, node.end_mark.index)
    return Given(values, spans, {source.path: source})


def _csv(source: Source) -> Given:
    """Read two columns headed `name,value`, or a row of names above one row of values."""
    try:
        text = io.StringIO(source.text, newline=None)
        rows = [row for row in csv.reader(text) if any(map(str.strip, row))]
    except csv.Error as problem:
        raise VarsError(f"{source.path}: not CSV: {problem}") from problem
    if not rows:
        return Given({}, {}, {source.path: source})
    header = [cell.strip() for cell in rows[0]]
    if header == ["name", "value"]:
        pairs = rows[1:]
        if any(len(row) != 2 for row in pairs):
            raise VarsError(f"{source.path}: each row has a name and a value")
    elif len(rows) == 2 and len(rows[0]) == len(rows[1]):
        pairs = list(map(list, zip(*rows, strict=True)))
    else:
        raise VarsError(
            f"{source.path}: expected columns `name,value`, or a row of names and one of values"
        )
    values: Mapping[str, object] = {name.strip(): value.strip() for name, value in pairs}
    if len(values) < len(pairs):
        raise VarsError(f"{source.path}: a name is given twice")
    return Given(values, {}, {source.path: source})


_READERS = {"json": _json, "yaml": _yaml, "yml": _yaml, "csv": _csv}
