"""Options that several commands share, and how their values are read.

A decorator adds its options and hands the command what they mean, not what was typed.
"""

import os
from collections.abc import Callable
from functools import wraps
from importlib import import_module
from typing import TYPE_CHECKING, Any, TypeVar

import click

from tcc import report
from tcc.units import NS_PER_S, Dimension, read_quantity, whole

if TYPE_CHECKING:
    from tcc.facts import Facts
    from tcc.passes import Given

F = TypeVar("F", bound=Callable[..., Any])
PER_PROCESSOR = 32
"""Processes that may share a processor: more only wait for each other, and all take memory."""
SHORTEST_TRIAL, LONGEST_TRIAL = NS_PER_S, 24 * 3600 * NS_PER_S


class Failure(click.ClickException):
    """Something that could not be read or written: one line, exit code 2."""

    exit_code = 2


def values(function: F) -> F:
    """Add `--set NAME=value` and `--vars FILE`; the command gets `given`, a `Given`."""

    @wraps(function)
    def with_values(*args: Any, set_: tuple[str, ...], vars_: tuple[str, ...], **rest: Any) -> Any:  # noqa: ANN401
        return function(*args, given=read_given(set_, vars_), **rest)

    added = click.option(
        "--vars", "vars_", multiple=True, metavar="FILE",
        help="Values of parameters: a YAML, JSON or CSV file.",
    )(with_values)  # fmt: skip
    return click.option(
        "--set", "set_", multiple=True, metavar="NAME=VALUE",
        help="The value of a parameter of the policy, such as up=18mbit.",
    )(added)  # type: ignore[return-value]  # fmt: skip


def schema(module: str, of: str = "--json") -> Callable[[F], F]:
    """Add `--schema`, which prints the file that `SCHEMA` of a module names, and ends."""

    def told(ctx: click.Context, parameter: click.Parameter, value: bool) -> None:
        if value:
            click.echo(import_module(module).SCHEMA.read_text(encoding="utf-8"), nl=False)
            ctx.exit()

    return click.option(
        "--schema", is_flag=True, is_eager=True, expose_value=False, callback=told,
        help=f"Print the JSON Schema of {of}, and end.",
    )  # fmt: skip


def read_given(assignments: tuple[str, ...], files: tuple[str, ...]) -> "Given":
    """Return the values of parameters.

    Raises:
        click.UsageError: they cannot be read.
    """
    from tcc.passes.params import Given  # noqa: PLC0415

    if not assignments and not files:
        return Given()
    from tcc.passes.vars import VarsError, read_values  # noqa: PLC0415

    try:
        return read_values(assignments, files)
    except VarsError as problem:
        raise click.UsageError(str(problem)) from problem


def facts(function: F) -> F:
    """Add `--facts FILE`; the command gets `facts`, a `Facts` or None."""

    @wraps(function)
    def with_facts(*args: Any, facts_: str | None, **rest: Any) -> Any:  # noqa: ANN401
        return function(*args, facts=read_facts(facts_) if facts_ else None, **rest)

    return click.option(
        "--facts", "facts_", metavar="FILE",
        help="What is known about the host, as `tcc facts` prints it; - is standard input.",
    )(with_facts)  # type: ignore[return-value]  # fmt: skip


def read_facts(path: str) -> "Facts":
    """Return the facts in a file.

    Raises:
        click.UsageError: they cannot be read.
    """
    from pydantic import ValidationError  # noqa: PLC0415

    from tcc.diagnostics import Diagnostic  # noqa: PLC0415
    from tcc.facts import Facts  # noqa: PLC0415
    from tcc.ir import document  # noqa: PLC0415
    from tcc.syntax.read import read_source  # noqa: PLC0415

    source = read_source(path)
    if isinstance(source, Diagnostic):
        raise click.UsageError(f"{path}: {source.message}")
    try:
        return document.read_text(Facts, source.text)
    except ValidationError as problem:
        first = problem.errors(include_url=False)[0]
        where = ".".join(map(str, first["loc"]))
        raise click.UsageError(f"{path}: not facts: {where}: {first['msg']}") from problem


def netns(function: F) -> F:
    """Add `--netns NAME`: an existing network namespace; it is never created."""
    return click.option(
        "--netns", metavar="NAME",
        help="Work in this network namespace, which must exist.",
    )(function)  # fmt: skip


class _Duration(click.ParamType[int]):
    """A time such as `60s`, as nanoseconds."""

    name = "duration"

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """Return the nanoseconds; fail with the reason and the cure."""
        found = read_quantity(value)
        if found is None or found.dimension is not Dimension.DURATION:
            cure = "write --confirm=60s, or --confirm behind FILE"
            self.fail(f"`{value}` is no time such as 60s or 5min: {cure}", param, ctx)
        if not SHORTEST_TRIAL <= found.amount <= LONGEST_TRIAL:
            self.fail(f"{value} is not between 1s and 24h", param, ctx)
        return whole(found.amount)


def confirm(function: F) -> F:
    """Add `--confirm [DURATION]`; the command gets `confirm`, nanoseconds or None."""
    return click.option(
        "--confirm", is_flag=False, flag_value="120s", type=_Duration(), metavar="[TIME]",
        help="Undo it after this time, 120s if none is given, unless `tcc confirm` comes.",
    )(function)  # fmt: skip


def jobs(function: F) -> F:
    """Add `--jobs`; the command gets `jobs`, or None for one for each processor."""
    return click.option(
        "--jobs", type=click.IntRange(1), default=None, metavar="N", callback=_few,
        help="Processes to use; by default as many as there are processors.",
    )(function)  # fmt: skip


def _few(ctx: click.Context, parameter: click.Parameter, value: int | None) -> int | None:
    """Refuse processes that could only fill the memory."""
    processors = os.cpu_count() or 1
    most = PER_PROCESSOR * processors
    if value is not None and value > most:
        reason = f"{value:,} is more than {most:,}, {PER_PROCESSOR} for each processor"
        raise click.BadParameter(f"{reason}: write --jobs {processors}", ctx, parameter)
    return value


def output_format(function: F) -> F:
    """Add `--format`; the command gets `form`."""
    return click.option(
        "--format",
        "form",
        type=click.Choice(report.FORMATS),
        default="text",
        help="How to print findings.",
    )(function)
