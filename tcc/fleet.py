"""Tables of sites: a CSV file with a column `site` and one for each parameter of a policy."""

import csv
import io
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from tcc.diagnostics import Diagnostic
from tcc.source import Source
from tcc.syntax.read import read_source

SITE = "site"
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")


class SitesError(ValueError):
    """A table that cannot be used; the message says where and why."""


@dataclass(frozen=True, slots=True)
class Site:
    """One row: what the site is called, where it stands, and the values of its parameters."""

    name: str
    line: int
    values: Mapping[str, str]


def is_table(path: str) -> bool:
    """Whether a file is a table of sites: CSV, with a column `site`."""
    if not path.lower().endswith(".csv"):
        return False
    source = read_source(path)
    if isinstance(source, Diagnostic):
        return False
    try:
        _, first = next(_rows(source), (1, []))
    except SitesError:
        return False
    return SITE in [cell.strip() for cell in first]


def read_sites(path: str) -> Iterator[Site]:
    """Yield the sites of a table, in its order.

    An empty cell leaves a parameter at its default. A site's name becomes a folder, so it is
    letters, digits, `.`, `-` and `_`, and no two differ only in case.

    Raises:
        SitesError: the table cannot be read, or a row of it cannot be used.
    """
    source = read_source(path)
    if isinstance(source, Diagnostic):
        raise SitesError(f"{path}: {source.message}")
    rows = _rows(source)
    head = [cell.strip() for cell in next(rows, (1, []))[1]]
    if len(set(head)) < len(head):
        raise SitesError(f"{path}:1: a column is there twice")
    column = head.index(SITE)
    taken: dict[str, int] = {}
    for line, row in rows:
        if not any(map(str.strip, row)):
            continue
        if len(row) != len(head):
            raise SitesError(f"{path}:{line}: {len(row)} cells below {len(head)} names")
        name = row[column].strip()
        if not _NAME.fullmatch(name):
            raise SitesError(
                f"{path}:{line}: the site `{name}` cannot be the name of a folder: "
                "letters, digits, `.`, `-` and `_`, the first a letter or digit"
            )
        if (before := taken.setdefault(name.lower(), line)) != line:
            raise SitesError(f"{path}:{line}: the site `{name}` is on line {before} already")
        cells = zip(head, map(str.strip, row), strict=True)
        yield Site(name, line, {key: cell for key, cell in cells if cell and key != SITE})


def _rows(source: Source) -> Iterator[tuple[int, list[str]]]:
    """Yield each row with the number of its last line; any kind of line end will do.

    Raises:
        SitesError: the text is no CSV from some row on.
    """
    reader = csv.reader(io.StringIO(source.text, newline=None))
    try:
        for row in reader:
            yield reader.line_num, row
    except csv.Error as problem:
        raise SitesError(f"{source.path}:{reader.line_num}: not CSV: {problem}") from problem
