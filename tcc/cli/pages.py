"""Pages of results, written to a file."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from tcc import __version__, api
from tcc.cli.options import Failure

if TYPE_CHECKING:
    from tcc.facts import Facts
    from tcc.passes import Built
    from tcc.plugin import Expressed
    from tcc.verify.run import Outcome


def write_page(
    path: str,
    file: str,
    built: "Built",
    outcomes: "Sequence[Outcome]",
    facts: "Facts | None",
    target: str | None,
) -> None:
    """Write the page of a verification.

    Raises:
        Failure: it cannot be written.
    """
    from tcc.report.page.page import Context, render  # noqa: PLC0415
    from tcc.verify.document import results  # noqa: PLC0415

    found = tuple(api.lint(built, facts, target))
    context = Context(__version__, built.sources, found, _lowered(built, facts))
    write(path, render(results(file, target, outcomes), context))


def write_comparison(
    path: str, file: str, outcomes: "Sequence[Outcome]", target: str | None
) -> None:
    """Write the page on which a prediction and a measurement stand side by side.

    Raises:
        Failure: it cannot be written.
    """
    from tcc.report.page.diff import render  # noqa: PLC0415
    from tcc.verify.document import results  # noqa: PLC0415

    before, after = (results(file, target, [one]) for one in outcomes)
    names = ("the prediction", f"the measurement, {outcomes[1].runs[0].measured.model}")
    write(path, render(before, after, names, __version__, "Predicted and measured"))


def _lowered(built: "Built", facts: "Facts | None") -> "dict[str, Sequence[Expressed]]":
    """Return what becomes of each clause on each system; without those that cannot be loaded."""
    from tcc.plugin import BACKENDS, PluginError, names  # noqa: PLC0415

    found = {}
    for name in names(BACKENDS):
        try:
            found[name] = api.express(built, name, facts)
        except PluginError as problem:
            click.echo(f"the page is without {name}: {problem}", err=True)
    return found


def write(path: str, text: str) -> None:
    """Write a page; `-` is standard output.

    Raises:
        Failure: it cannot be written.
    """
    if path == "-":
        click.echo(text, nl=False)
        return
    try:
        Path(path).write_text(text, encoding="utf-8")
    except OSError as problem:
        raise Failure(f"{path}: {problem.strerror}") from problem
