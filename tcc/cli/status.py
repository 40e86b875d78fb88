"""`tcc status`: what runs now, and whether it is what was applied."""

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

import click

from tcc.cli import options, show

if TYPE_CHECKING:
    from tcc.status.model import Status
    from tcc.status.observer import Choice, Observer

DRIFTED = 1
NS_PER_S = 10**9
DRIFT_EVERY = 10
"""Looks between two comparisons with what was applied, while following."""


@dataclass(frozen=True, slots=True)
class Asked:
    """How the status shall be told."""

    as_json: bool
    metrics: bool
    out: str | None
    queues: bool
    interval: int
    """ns."""


def _interval(_: click.Context, __: click.Parameter, text: str) -> int:
    from tcc.units import Dimension, read_quantity, whole  # noqa: PLC0415

    quantity = read_quantity(text)
    if quantity is not None and quantity.dimension is Dimension.DURATION and quantity.amount >= 0:
        return whole(quantity.amount)
    raise click.BadParameter(f"{text!r} is no duration; write it with its unit, such as 1s")


@click.command()
@click.argument("names", metavar="[LINK or DEVICE]...", nargs=-1)
@options.netns
@click.option("--all", "everything", is_flag=True, help="Every device with a queue, not only ours.")
@click.option("--queues", is_flag=True, help="The queues of a cake_mq one by one, too.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON; --follow: one document a line.")
@click.option("--metrics", is_flag=True, help="Print OpenMetrics text.")
@click.option("-o", "out", metavar="FILE", help="Write there, old text or new and never between.")
@click.option("--follow", is_flag=True, help="Look again and again, in a view of the terminal.")
@click.option("--listen", metavar="ADDRESS:PORT",
              help="Serve metrics over HTTP, such as on 127.0.0.1:9469.")  # fmt: skip
@click.option("--interval", default="1s", show_default=True, callback=_interval,
              metavar="DURATION", help="Between two looks; 0s: one look and no rates.")  # fmt: skip
@click.option("--schema", is_flag=True, help="Print the JSON Schema of --json, and no more.")
@click.pass_context
def command(  # noqa: PLR0913
    ctx: click.Context,
    names: tuple[str, ...],
    netns: str | None,
    *,
    everything: bool,
    queues: bool,
    as_json: bool,
    metrics: bool,
    out: str | None,
    follow: bool,
    listen: str | None,
    interval: int,
    schema: bool,
) -> int:
    """Show rates, delays, drops and flows of every link, direction and tin.

    Of what was applied here; where nothing was, of every cake, cake_mq and tbf. The kernel
    is asked directly. What is no longer as it was applied is listed.

    Exit codes: 0 as applied, or nothing was; 1 not so, or it cannot be told; 2 wrong usage,
    or something that could not be read or written.
    """
    if schema:
        return _print_schema()
    if as_json and metrics:
        raise click.UsageError("--json and --metrics are two forms: give one of them")
    if listen and (follow or as_json or out):
        raise click.UsageError("--listen serves metrics: it goes with no other form")
    if follow and not interval:
        raise click.UsageError("--follow takes an --interval above 0s")
    from tcc.status.observer import Choice  # noqa: PLC0415

    asked = Asked(as_json, metrics, out, queues, interval)
    choice = Choice(frozenset(names), everything)
    with _observer(netns, choice, DRIFT_EVERY if follow else 1) as observer:
        if listen:
            return _serve(observer, listen)
        if follow:
            return _follow(observer, asked)
        status = _look(observer, 0 if metrics else interval)
    _put(_rendered(status, asked), out)
    if names and not status.shapers:
        raise options.Failure(f"no shaper here is called {' or '.join(names)}")
    return _code(status)


def _print_schema() -> int:
    import json  # noqa: PLC0415

    from tcc.status.model import json_schema  # noqa: PLC0415

    click.echo(json.dumps(json_schema(), indent=2))
    return 0


@contextmanager
def _observer(netns: str | None, choice: "Choice", drift_every: int) -> "Iterator[Observer]":
    from tcc.cli import live  # noqa: PLC0415  (looks through installed distributions)
    from tcc.netlink.messages import KernelRefusal  # noqa: PLC0415
    from tcc.netlink.wire import DecodeError  # noqa: PLC0415
    from tcc.status.observer import Observer  # noqa: PLC0415
    from tcc.status.reader import Reader  # noqa: PLC0415

    where = live.namespace(netns)
    try:
        with Reader(where) as reader, live.backend().open(where) as system:
            yield Observer(reader, system, live.journal(where), choice, drift_every)
    except (PermissionError, KernelRefusal, DecodeError) as problem:
        raise options.Failure(f"the kernel would not tell: {problem}") from problem


def _look(observer: "Observer", interval: int) -> "Status":
    """Look, and look again after the interval if there is one."""
    status = observer.status()
    if interval:
        time.sleep(interval / NS_PER_S)
        status = observer.status()
    return status


def _code(status: "Status") -> int:
    return DRIFTED if status.drift.state in {"drifted", "unknown"} else 0


def _rendered(status: "Status", asked: Asked) -> str:
    if asked.as_json:
        from tcc.status.model import as_json  # noqa: PLC0415

        return as_json(status) + "\n"
    if asked.metrics:
        from tcc.status.metrics import as_openmetrics  # noqa: PLC0415

        return as_openmetrics(status)
    from tcc.status.text import as_text  # noqa: PLC0415

    return show.harmless(as_text(status, queues=asked.queues))


def _put(text: str, out: str | None) -> None:
    """Write to a file, all at once, or to standard output."""
    if out is None or out == "-":
        click.echo(text, nl=False)
        return
    from tcc.files import put  # noqa: PLC0415

    try:
        put(out, text.encode("utf-8", "backslashreplace"))
    except OSError as problem:
        raise options.Failure(f"{out}: {problem.strerror}") from problem


def _serve(observer: "Observer", listen: str) -> int:
    from tcc.status.metrics import as_openmetrics  # noqa: PLC0415
    from tcc.status.server import (  # noqa: PLC0415
        AddressError,
        MetricsServer,
        address,
        is_loopback,
    )

    try:
        where = address(listen)
        server = MetricsServer(where, lambda: as_openmetrics(observer.status()))
    except AddressError as problem:
        raise click.UsageError(str(problem)) from problem
    except OSError as problem:
        raise options.Failure(f"{listen} cannot be had: {problem.strerror}") from problem
    port = server.server_address[1]
    if not is_loopback(where[0]):
        click.echo(f"everybody who reaches {where[0]} can read the metrics", err=True)
    shown = f"[{where[0]}]" if ":" in where[0] else where[0]
    click.echo(f"metrics are at http://{shown}:{port}/metrics", err=True)
    with server:
        try:
            server.serve_forever(poll_interval=3600)
        except KeyboardInterrupt:
            return 0
    return 0


def _follow(observer: "Observer", asked: Asked) -> int:
    """Look until somebody ends it."""
    plain = asked.as_json or asked.metrics or asked.out or not sys.stdout.isatty()
    if not plain:
        return _board(observer, asked)
    try:
        return _repeat(observer, asked)
    except KeyboardInterrupt:
        return 0


def _repeat(observer: "Observer", asked: Asked) -> int:
    """Write the status again and again: over a file, or one after another."""
    while True:
        status = observer.status()
        if asked.as_json:
            from tcc.status.model import as_json  # noqa: PLC0415

            text = as_json(status, indent=None) + "\n"
        else:
            text = _rendered(status, asked)
        _put(text, asked.out)
        if asked.out is None:
            sys.stdout.flush()
        due = observer.looked + asked.interval
        time.sleep(max(0, due - time.monotonic_ns()) / NS_PER_S)


def _board(observer: "Observer", asked: Asked) -> int:
    try:
        from tcc.status.board import Board  # noqa: PLC0415
    except ModuleNotFoundError as problem:
        missing = (problem.name or "").partition(".")[0]
        raise options.Failure(
            f"the live view takes {missing}, which is not installed: "
            "pip install 'tcpolicy[ui]'; or follow in plain text: tcc status --follow | cat"
        ) from problem
    board = Board(observer.status, asked.interval / NS_PER_S)
    code = board.run()
    return code if code is not None else board.return_code or 0
