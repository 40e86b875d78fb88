"""Lint any number of files: those that have not changed from the cache, the others in parallel."""

import contextlib
import gc
import json
import os
import selectors
import signal
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import TextIO

from tcc.diagnostics import Diagnostic
from tcc.linting.cache import Cache, digest, kept
from tcc.linting.config import Config
from tcc.linting.encoded import decode, encode
from tcc.linting.includers import Includers
from tcc.linting.one import Result, lint_one
from tcc.linting.settings import Asked, Settings, SettingsFor
from tcc.source import Source, Span
from tcc.syntax.read import STDIN, read_source

EACH = 16
"""The least number of files that are worth a process of their own."""
CHUNK = 2**16


@dataclass
class Task:
    """One policy to be looked at, in its settings."""

    source: Source
    settings: Settings
    key: str = ""


@dataclass
class Linted:
    """What came out.

    Attributes:
        shown: what is to be shown, file by file in the order asked for.
        sources: every file that was read; those with nothing to show have no text.
        failed: whether a file could not be read.
        cached: how many results came from the cache.
        processes: how many processes worked beside this one.
    """

    shown: list[Diagnostic] = field(default_factory=list)
    sources: dict[str, Source] = field(default_factory=dict)
    failed: bool = False
    cached: int = 0
    processes: int = 0


def lint_files(
    paths: Sequence[str],
    asked: Asked,
    cache: Cache | None,
    jobs: int,
    progress: Callable[[int, int], None] = lambda done, total: None,
    stdin_name: str | None = None,
    stdin: Source | None = None,
) -> Linted:
    """Look at policies; a fragment is looked at in the policies that include it.

    Args:
        paths: the files, `-` for standard input.
        asked: what the command line says.
        cache: where results are kept; None for nowhere.
        jobs: the most processes to work beside this one; below 2, none does.
        progress: called with how many are done, of how many.
        stdin_name: what standard input is called.
        stdin: what standard input held, when it has been read.

    Raises:
        ConfigError: a configuration cannot be used.
        KeyError, PluginError: there is no such back end, or it cannot be loaded.
    """
    done = Linted()
    tasks = list(_tasks(paths, SettingsFor(asked), done, stdin_name, stdin).values())
    results: dict[str, Result] = {}
    if cache is not None:
        for task in tasks:
            task.key = cache.key(task.source, task.settings.key + str(task.settings.declared))
            kept_result = cache.read(task.key)
            if kept_result is not None:
                results[task.source.path] = kept_result
        done.cached = len(results)
    left = [task for task in tasks if task.source.path not in results]
    with contextlib.closing(_run(left, cache, jobs, done)) as running:
        for path, result in running:
            results[path] = result
            progress(len(results), len(tasks))
    _gather(tasks, results, done)
    if cache is not None and left:
        cache.prune()
    return done


def _tasks(
    paths: Iterable[str],
    settings_for: SettingsFor,
    done: Linted,
    stdin_name: str | None,
    stdin: Source | None,
) -> dict[str, Task]:
    """Read the files; put those that include a fragment in its place."""
    tasks: dict[str, Task] = {}
    graphs: dict[str, Includers] = {}
    for path in paths:
        source = stdin if path == STDIN and stdin else _read(path, done, stdin_name)
        if source is None:
            continue
        settings = settings_for(source)
        tops = _tops(path, settings, graphs) if settings.fragment else []
        for top in tops:
            if top not in tasks:
                above = _read(top, done)
                if above is not None:
                    whole = replace(settings_for(above), declared=False)
                    tasks[top] = Task(above, whole)
        if not tops:
            tasks.setdefault(source.path, Task(source, settings))
    return tasks


def _tops(path: str, settings: Settings, graphs: dict[str, Includers]) -> list[str]:
    config: Config | None = settings.config
    if config is None or path == STDIN:
        return []
    graph = graphs.get(config.path)
    if graph is None:
        graph = graphs[config.path] = Includers(config)
    return graph.tops(path)


def _read(path: str, done: Linted, name: str | None = None) -> Source | None:
    source = read_source(path, name if path == STDIN else None)
    if isinstance(source, Source):
        return source
    done.shown.append(source)
    done.failed = done.failed or source.code == "file-unreadable"
    return None


def _run(
    tasks: Sequence[Task], cache: Cache | None, jobs: int, done: Linted
) -> Generator[tuple[str, Result], None, None]:
    jobs = min(jobs, len(tasks) // EACH)
    if jobs < 2 or not hasattr(os, "fork"):
        for task in tasks:
            yield task.source.path, _look(task, cache)
        return
    done.processes = jobs
    _look(tasks[0], None)  # what is imported and worked out here, no child has to do again
    yield from _in_children(tasks, cache, jobs)


def _look(task: Task, cache: Cache | None) -> Result:
    result, sources = lint_one(task.source, task.settings)
    if cache is not None and kept(result.found):
        others = {
            path: digest(source.text)
            for path, source in sources.items()
            if path != task.source.path and path not in task.settings.given.sources
        }
        cache.write(task.key, result, others)
    return result


def _in_children(
    tasks: Sequence[Task], cache: Cache | None, jobs: int
) -> Iterator[tuple[str, Result]]:
    """Share the tasks out among forks of this process; each sends a line of JSON for each."""
    gc.freeze()  # what is there stays shared
    children: dict[int, int] = {}
    try:
        with selectors.DefaultSelector() as selector:
            with _uninterrupted():  # so that none is forgotten
                for number in range(jobs):
                    reading, child = _fork(tasks[number::jobs], cache)
                    children[child] = reading
                    selector.register(reading, selectors.EVENT_READ, [b""])
            while selector.get_map():
                for event, _ in selector.select():
                    data = os.read(event.fd, CHUNK)
                    if not data:
                        selector.unregister(event.fd)
                    *lines, event.data[0] = (event.data[0] + data).split(b"\n")
                    yield from map(_received, lines)
        for child in list(children):
            _, status = os.waitpid(child, 0)
            os.close(children.pop(child))
            if status:
                raise RuntimeError("a process that looked at policies ended early")
    finally:
        gc.unfreeze()
        for child, reading in children.items():
            with contextlib.suppress(ProcessLookupError):
                os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
            os.close(reading)


@contextlib.contextmanager
def _uninterrupted() -> Iterator[None]:
    """Let Ctrl-C wait."""
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})


def _fork(tasks: Sequence[Task], cache: Cache | None) -> tuple[int, int]:
    """Start a child; return the end that it is read by, and its id."""
    reading, writing = os.pipe()
    child = os.fork()
    if child:
        os.close(writing)
        return reading, child
    code = 1
    try:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
        os.close(reading)
        with os.fdopen(writing, "w", encoding="ascii") as out:
            _send(out, tasks, cache)
        code = 0
    except KeyboardInterrupt:
        pass  # the parent says so
    finally:
        os._exit(code)


def _send(out: TextIO, tasks: Sequence[Task], cache: Cache | None) -> None:
    """Look at policies in a child, and write a line for each; a fault of ours is one too."""
    for task in tasks:
        try:
            result = _look(task, cache)
        except Exception as problem:
            fault = f"{task.source.path}: {type(problem).__name__}: {problem}"
            print(json.dumps(fault), file=out, flush=True)
            raise
        line = [task.source.path, [encode(item) for item in result.found], result.sources]
        print(json.dumps(line), file=out, flush=True)


def _received(line: bytes) -> tuple[str, Result]:
    received = json.loads(line)
    if isinstance(received, str):
        raise RuntimeError(received)
    path, found, sources = received
    return path, Result(tuple(map(decode, found)), tuple(sources))


def _gather(tasks: Sequence[Task], results: dict[str, Result], done: Linted) -> None:
    """Put what is to be shown in the order of the files; read again what must be quoted."""
    read = {task.source.path: task.source for task in tasks}
    for task in tasks:
        result = results[task.source.path]
        shown = [item for item in result.found if task.settings.shows(item)]
        given = task.settings.given.sources
        for path in result.sources:
            done.sources.setdefault(path, Source(path, ""))
        for path in {span.path for item in shown for span in _spans(item)}:
            done.sources[path] = read.get(path) or given.get(path) or _text(path)
        done.shown += shown
    done.shown = list(dict.fromkeys(done.shown))


def _spans(item: Diagnostic) -> Iterator[Span]:
    if item.span is not None:
        yield item.span
    for fix in item.fixes:
        yield fix.span
    for _, span in item.related:
        yield span


def _text(path: str) -> Source:
    source = read_source(path)
    return source if isinstance(source, Source) else Source(path, "")
