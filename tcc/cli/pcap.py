"""Recordings of `tcc verify --pcap`: where they go, what is refused, what is said of them."""

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING

import click

from tcc.cli import show
from tcc.diagnostics import Diagnostic, error
from tcc.files import replaced

if TYPE_CHECKING:
    from tcc.verify.run import Outcome
    from tcc.verify.scenario import Scenario

INVALID = 2
ENDING = ".pcapng"
MOST = 1_000_000
"""Packets of a file, unless other bounds are asked for: 200 MB."""


def check(path: str | None, packets: int | None, verifiers: Sequence[str], predicts: str) -> None:
    """Refuse what cannot be recorded.

    Args:
        path: of the file; None if nothing is to be recorded.
        packets: at most.
        verifiers: those that measure.
        predicts: the one that can record.

    Raises:
        click.UsageError: the options do not go together.
        click.exceptions.Exit: nothing is run that could be recorded; this has been said.
    """
    if path is None:
        if packets is not None:
            raise click.UsageError("--pcap-packets bounds what --pcap writes: name its file")
        return
    if not path.endswith(ENDING):
        raise click.UsageError(f"--pcap writes files that end in {ENDING}")
    if predicts not in verifiers:
        _refuse(
            error(
                "pcap-verifier", None,
                f"only a prediction is recorded, and {', '.join(verifiers)} measures",
                f"add {predicts} to --verifier, or record real packets with tcpdump",
            )
        )  # fmt: skip


@contextmanager
def recording(
    path: str | None, packets: int | None, scenarios: "Sequence[Scenario]", seed: int
) -> "Iterator[Sequence[Scenario]]":
    """Have the run of each scenario with a seed recorded; the files are there in the end.

    Raises:
        click.exceptions.Exit: a file cannot be written; this has been said.
    """
    from tcc.verify.scenario import Recording  # noqa: PLC0415

    if path is None:
        yield scenarios
        return
    with ExitStack() as files:
        recorded = []
        for where, scenario in zip(_paths(path, len(scenarios)), scenarios, strict=True):
            try:
                temporary = files.enter_context(replaced(where))
            except OSError as problem:
                _refuse(_unwritable(where, problem))
            order = Recording(temporary, where, seed, packets or MOST)
            recorded.append(replace(scenario, recording=order))
        yield recorded


def _paths(path: str, count: int) -> list[str]:
    """Return one path for each objective: the one given, or numbered ones."""
    if count == 1:
        return [path]
    return [f"{path.removesuffix(ENDING)}-{number}{ENDING}" for number in range(1, count + 1)]


def _unwritable(path: str, problem: OSError) -> Diagnostic:
    return error(
        "pcap-file", None, f"{path}: {problem.strerror or problem}",
        "name a file in a folder that you may write to",
    )  # fmt: skip


def _refuse(found: Diagnostic) -> None:
    show.findings([found], {})
    raise click.exceptions.Exit(INVALID)


def tell(outcomes: "Sequence[Outcome]") -> None:
    """Say on standard error which objective is in which file, and what there was no room for."""
    runs = [
        (one.scenario.recording, one.measured.recorded, one.scenario.objective.text)
        for outcome in outcomes
        for one in outcome.runs
        if one.measured.recorded
    ]
    for order, recorded, text in runs:
        assert order is not None
        assert recorded is not None
        if len(runs) > 1:
            click.echo(f"{order.shown}: {text}", err=True)
        if recorded.kept < recorded.seen:
            click.echo(
                f"{order.shown}: the first {recorded.kept:,} of {recorded.seen:,} packets; "
                f"--pcap-packets {recorded.seen} writes all",
                err=True,
            )
