"""Runs a study for `tcc experiment` and prints it."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import click

from tcc.experiments.comparison import as_json, held, show

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tcc.experiments.comparison import Study

INVALID, OUTSIDE = 2, 1


def report(
    study: Callable[[int], Study],
    rows: Path | None,
    seed: int,
    repeat: int | None,
    *,
    json: bool,
) -> int:
    """Run a study and print it.

    Returns:
        0 if every judged figure is inside its band, 1 if not, 2 for options it does not take.
    """
    for option, value in (("--rows", rows), ("--repeat", repeat)):
        if value is not None:
            click.echo(f"{option} is for kernel-tcp: this experiment has its rows", err=True)
            return INVALID
    began = time.monotonic()
    made = study(seed)
    seconds = time.monotonic() - began
    if json:
        click.echo(as_json(made, seconds))
    else:
        show(made, seconds)
    return 0 if held(made) else OUTSIDE
