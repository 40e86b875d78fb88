"""Render one policy for many sites, in several processes; the output is the same for any number.

Every site gets a folder of its own. One that the system cannot express gets none; its findings
are in the summary, as everybody's are.
"""

import gc
import os
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from itertools import islice
from multiprocessing import get_context
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from tcc import api
from tcc.cli import options, policies
from tcc.cli.generate import digest
from tcc.diagnostics import Diagnostic, Severity, has_errors
from tcc.fleet import Site, SitesError, read_sites
from tcc.passes import Given
from tcc.plan.state import FileItem
from tcc.plugin import BACKENDS, PluginError, names
from tcc.plugin import backend as load_backend
from tcc.source import Source
from tcc.syntax.read import read_source
from tcc.syntax.tree import Clause
from tcc.tree_of_files import Folder, PathError

if TYPE_CHECKING:
    from tcc.facts import Facts

BATCH = 64
PLANS = 4096
"""How many different sets of values are kept."""
SUMMARY = "summary.csv"
REFUSED = 1


@dataclass(frozen=True, slots=True)
class Work:
    """What is the same for all sites."""

    backend: str
    source: Source
    given: Given
    facts: "Facts | None"
    settings: Mapping[str, str]
    output: str


@dataclass(frozen=True, slots=True)
class Made:
    """What some values come to: files with their modes, and what was found."""

    files: tuple[tuple[str, bytes, int], ...]
    counts: tuple[int, int, int]
    said: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Rendered:
    """One line of the summary."""

    site: str
    files: int
    counts: tuple[int, int, int]
    """Errors, warnings, notes."""
    said: tuple[str, ...]


def render(
    backend: str,
    file: str,
    sites: str,
    given: Given,
    facts: "Facts | None",
    settings: Mapping[str, str],
    output: str,
    jobs: int | None,
) -> int:
    """Write the files of every site and the summary; return the exit code.

    Raises:
        click.UsageError, options.Failure: what was given cannot be used.
    """
    source = _policy(file, backend)
    work = Work(backend, source, policies.below(source, given), facts, settings, output)
    try:
        rows = list(read_sites(sites))
        Path(output).mkdir(parents=True, exist_ok=True)
        done = list(_all(work, rows, jobs or len(os.sched_getaffinity(0))))
        _summarise(done, output)
    except SitesError as problem:
        raise click.UsageError(str(problem)) from problem
    except PathError as problem:
        raise options.Failure(str(problem)) from problem
    except OSError as problem:
        raise options.Failure(f"{problem.filename or output}: {problem.strerror}") from problem
    failed = sum(1 for one in done if one.counts[0])
    click.echo(_sentence(done, failed, output))
    return REFUSED if failed else 0


def _policy(file: str, backend: str) -> Source:
    try:
        load_backend(backend)
    except KeyError as problem:
        known = ", ".join(names(BACKENDS))
        raise click.UsageError(f"there is no back end `{backend}`; there are {known}") from problem
    except PluginError as problem:
        raise click.UsageError(str(problem)) from problem
    source = read_source(file)
    if isinstance(source, Diagnostic):
        raise options.Failure(f"{file}: {source.message}")
    return source


def _all(work: Work, sites: Sequence[Site], jobs: int) -> Iterator[Rendered]:
    """Yield each site's line, in the order of the table."""
    batches = list(_batches(sites))
    if jobs == 1 or len(batches) < 2:
        _start(work)
        for batch in batches:
            yield from _batch(batch)
        return
    context = get_context("fork")
    with ProcessPoolExecutor(jobs, context, initializer=_start, initargs=(work,)) as pool:
        for done in pool.map(_batch, batches):
            yield from done


def _batches(sites: Sequence[Site]) -> Iterator[tuple[Site, ...]]:
    left = iter(sites)
    while batch := tuple(islice(left, BATCH)):
        yield batch


_WORK: list[Work] = []
"""This process's work: set once, when it starts."""
_MADE: dict[tuple[tuple[str, str], ...], Made] = {}
"""What came of values before: many sites have the same plan on the same device."""


_KEPT: dict[Clause, Any] = {}
"""What clauses that name no parameter came to."""


def _start(work: Work) -> None:
    _WORK[:] = [work]
    _MADE.clear()
    _KEPT.clear()
    gc.freeze()


def _batch(sites: tuple[Site, ...]) -> list[Rendered]:
    work = _WORK[0]
    gc.disable()  # a site leaves few cycles: they are collected between batches
    try:
        with Folder(Path(work.output)) as folder:
            return [_site(work, site, folder) for site in sites]
    finally:
        gc.enable()


def _site(work: Work, site: Site, folder: Folder) -> Rendered:
    values = tuple(sorted(site.values.items()))
    made = _MADE.get(values)
    if made is None:
        made = _made(work, site)
        if len(_MADE) < PLANS:
            _MADE[values] = made
    if made.files:
        folder.put_together(site.name, made.files)
    return Rendered(site.name, len(made.files), made.counts, made.said)


def _made(work: Work, site: Site) -> Made:
    given = Given({**work.given.values, **site.values})
    built = api.load(work.source, given, complete=True, kept=_KEPT)
    found = list(built.found)
    files: list[tuple[str, bytes, int]] = []
    if built.policy is not None and not has_errors(found):
        settings = {**work.settings, "policy-sha256": digest(built)}
        state, more = api.lower(built, work.backend, work.facts, settings)
        found += more
        if not has_errors(found):
            files = [
                (place.at.lstrip("/"), item.text.encode(), item.mode)
                for place, item in state.items()
                if isinstance(item, FileItem)
            ]
    return Made(tuple(files), *_said(list(dict.fromkeys(found))))


def _said(found: Sequence[Diagnostic]) -> tuple[tuple[int, int, int], tuple[str, ...]]:
    by = Counter(item.severity for item in found)
    counts = (by[Severity.ERROR], by[Severity.WARNING], by[Severity.NOTE])
    worst = sorted(found, key=lambda item: -item.severity)
    said = tuple(f"{item.severity}[{item.code}]: {item.message}" for item in worst)
    return counts, said


def _summarise(done: Sequence[Rendered], output: str) -> None:
    """Write a line for each site: how many files, and what was found."""
    import csv  # noqa: PLC0415
    import io  # noqa: PLC0415

    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["site", "files", "errors", "warnings", "notes", "found"])
    for one in done:
        writer.writerow([one.site, one.files, *one.counts, "; ".join(one.said)])
    with Folder(Path(output)) as folder:
        folder.put(SUMMARY, text.getvalue().encode())


def _sentence(done: Sequence[Rendered], failed: int, output: str) -> str:
    warned = sum(1 for one in done if one.counts[1])
    written = sum(one.files for one in done)
    return (
        f"{len(done)} sites: {len(done) - failed} written ({written} files), {failed} refused, "
        f"{warned} with warnings; see {output}/{SUMMARY}"
    )
