"""Files of flent, written and read for `tcc verify`."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from tcc.cli import show
from tcc.cli.options import Failure
from tcc.diagnostics import Diagnostic

if TYPE_CHECKING:
    from tcc.verify.flent.reading import DataFile
    from tcc.verify.run import Outcome, Run
    from tcc.verify.scenario import Scenario

ENDINGS = (".flent.gz", ".flent")


def write_files(path: str, outcomes: "Sequence[Outcome]") -> None:
    """Write the first run of each objective; say on standard error where several went.

    Raises:
        Failure: one cannot be written.
    """
    from tcc.verify.flent.writing import data_file  # noqa: PLC0415

    runs = [outcome.runs[0] for outcome in outcomes if outcome.runs[0].measured.series]
    for where, run in zip(_paths(path, runs), runs, strict=True):
        try:
            Path(where).write_bytes(data_file(run, where))
        except OSError as problem:
            raise Failure(f"{where}: {problem.strerror}") from problem
        if len(runs) > 1:
            click.echo(f"{where}: {run.scenario.objective.text}", err=True)


def _paths(path: str, runs: "Sequence[Run]") -> list[str]:
    """Return one path for each run: the one given, or numbered ones."""
    ending = next((one for one in ENDINGS if path.endswith(one)), None)
    if ending is None:
        raise click.UsageError(f"--flent writes files that end in {' or '.join(ENDINGS)}")
    if len(runs) == 1:
        return [path]
    return [f"{path.removesuffix(ending)}-{number}{ending}" for number in range(1, len(runs) + 1)]


def matched(
    path: str, scenarios: "Sequence[Scenario]", color: bool | None
) -> "tuple[DataFile, Scenario] | None":
    """Return a measurement and the scenario it is of; None where a finding says what is wrong."""
    from tcc.verify.flent.against import match  # noqa: PLC0415
    from tcc.verify.flent.reading import read_file  # noqa: PLC0415

    if not scenarios:
        return None
    data = read_file(path)
    scenario = data if isinstance(data, Diagnostic) else match(scenarios, data)
    if isinstance(data, Diagnostic) or isinstance(scenario, Diagnostic):
        found = [one for one in (scenario,) if isinstance(one, Diagnostic)]
        show.findings(found, {}, color=color)
        return None
    return data, scenario


def measured(predicted: "Outcome", data: "DataFile") -> "Outcome":
    """Return what flent measured as the outcome of the same objective."""
    from tcc.verify.flent.against import measured_run  # noqa: PLC0415
    from tcc.verify.run import Outcome  # noqa: PLC0415

    run = predicted.runs[0]
    return Outcome((measured_run(run.scenario, data, run.measured.seed),))


def text(predicted: "Outcome", real: "Outcome") -> str:
    """Return both, what they have in common, and every series."""
    from tcc.verify.compare import side_by_side  # noqa: PLC0415
    from tcc.verify.flent.table import series_text  # noqa: PLC0415
    from tcc.verify.text import objective_text  # noqa: PLC0415

    blocks = [objective_text(one) for one in (predicted, real) if one.runs[0].verdicts]
    blocks += [side_by_side((predicted, real)), series_text(predicted.runs[0], real.runs[0])]
    return "\n\n".join(blocks)


def alike(predicted: "Outcome", real: "Outcome") -> bool:
    """Whether all that both have is within the bands of `tcc.verify.compare`."""
    from tcc.verify.compare import rows  # noqa: PLC0415

    return all(row.inside for row in rows(predicted.runs[0], real.runs[0]))
