"""`tcc experiment NAME`: a published experiment: published, ours, deviation."""

import importlib
from pathlib import Path
from typing import NamedTuple

import click


class Entry(NamedTuple):
    """Where an experiment lives, and what it is in a few words."""

    module: str
    summary: str


EXPERIMENTS: dict[str, Entry] = {
    "kernel-tcp": Entry("kernel_tcp_report", "TCP through every shaper, against Linux 7.3.4"),
    "mq-rate-adjust": Entry("mq_rate_adjust", "what cake_mq's shared rate costs, by kernel"),
    "split-gso-bql": Entry("split_gso_bql", "splitting super-packets, and a NIC's queue limit"),
    "udp-backpressure": Entry("udp_backpressure", "UDP senders held back by a shaper, or dropped"),
    "udp-flood": Entry("udp_flood", "a flood of small packets through CAKE's root lock, by kernel"),
}
"""Every experiment; each module has `report(rows, seed, repeat, as_json) -> int`."""


@click.command()
@click.argument("name", required=False)
@click.option(
    "--rows", type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="Recorded runs to repeat instead of the shipped ones, one JSON object a line.",
)  # fmt: skip
@click.option("--seed", default=1, show_default=True, help="First seed of the engine's runs.")
@click.option("--repeat", type=click.IntRange(min=1), help="Runs of each row; the median counts.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object a row.")
def command(
    *, name: str | None, rows: Path | None, seed: int, repeat: int | None, as_json: bool
) -> int:
    """Repeat a published experiment on the engine and compare.

    Without a NAME, list the experiments.

    Exit codes: 0 inside the bands, 1 not, 2 no such experiment or unreadable rows.
    """
    if name is None:
        for known, entry in EXPERIMENTS.items():
            click.echo(f"{known}  {entry.summary}")
        return 0
    if name not in EXPERIMENTS:
        known = ", ".join(EXPERIMENTS)
        raise click.UsageError(f"There is no experiment `{name}`. There are: {known}.")
    module = importlib.import_module(f"tcc.experiments.{EXPERIMENTS[name].module}")
    return int(module.report(rows, seed, repeat, as_json))
