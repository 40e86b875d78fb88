"""What one worker does: a policy as text in, verdicts and figures as text out.

The same text, objective and seed give the same bytes, whichever process or machine worked.
"""

import json
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import NamedTuple

from tcc import api, plugin
from tcc.diagnostics import Diagnostic, Severity
from tcc.facts import Facts
from tcc.passes import Built, Given
from tcc.source import Source
from tcc.sweep import provenance
from tcc.sweep.figures import figures
from tcc.verify.arithmetic import refusals
from tcc.verify.document import exact
from tcc.verify.judge import judge
from tcc.verify.prepare import prepare
from tcc.verify.scenario import Scenario

VERIFIER = "reference"


@dataclass(frozen=True, slots=True)
class Setup:
    """What all runs of a sweep have in common.

    Attributes:
        path: what the policy is called.
        given: values of its parameters.
        facts: the host it is for, if known.
        target: the back end whose configuration is run; None for the kernel's own.
    """

    path: str
    given: Given
    facts: Facts | None
    target: str | None


class Job(NamedTuple):
    """Runs of one policy: its text, and which objectives with which seeds, each by its key."""

    text: str
    runs: tuple[tuple[str, int, int], ...]
    """Key, number of the objective, seed."""


class Done(NamedTuple):
    """What a worker made of some jobs: results by key, the program that made them, the time."""

    program: str
    seconds: float
    results: tuple[tuple[str, str], ...]


def load() -> None:
    """Load what every run needs: before a fork, so that all workers have it at once."""
    plugin.verifier(VERIFIER)
    import_module("tcc.engine.simulation")


def work(setup: Setup, jobs: Sequence[Job]) -> Done:
    """Do the runs of some jobs.

    Raises:
        KeyboardInterrupt: a run was ended early; nothing of these jobs is handed back.
    """
    began = time.monotonic()
    results = tuple(pair for job in jobs for pair in _job(setup, job))
    return Done(provenance.program(), time.monotonic() - began, results)


def _job(setup: Setup, job: Job) -> Iterator[tuple[str, str]]:
    built = api.load(Source(setup.path, job.text), setup.given, complete=True)
    scenarios, refused = _prepared(built, setup)
    for key, number, seed in job.runs:
        reasons = refused.get(number, refused.get(None, []))
        result = {"refused": reasons} if reasons else _run(scenarios[number], seed)
        yield key, json.dumps(result, sort_keys=True, separators=(",", ":"))


def _prepared(
    built: Built, setup: Setup
) -> tuple[Sequence[Scenario], dict[int | None, list[dict[str, str]]]]:
    """Return the scenarios, and why some objectives (None: all of them) cannot be run."""
    if built.policy is None:
        return (), {None: _reasons(built.found)}
    scenarios, found = prepare(built.policy, setup.facts, built.spans, setup.target)
    if any(item.severity is Severity.ERROR for item in (*built.found, *found)):
        return (), {None: _reasons((*built.found, *found))}
    owners = {
        span: path[1]
        for path, span in built.spans.items()
        if path[:1] == ("objectives",) and isinstance(path[1], int)
    }
    refused: dict[int | None, list[dict[str, str]]] = {}
    against = refusals(built, scenarios, setup.facts)
    for scenario in scenarios:
        against += plugin.verifier(VERIFIER).refuses(scenario, built.spans)
    for item in dict.fromkeys(against):
        for reason in _reasons([item]):
            owner = owners.get(item.span) if item.span is not None else None
            refused.setdefault(owner, []).append(reason)
    return scenarios, refused


def _reasons(found: Sequence[Diagnostic]) -> list[dict[str, str]]:
    return [
        {"code": item.code, "message": item.message}
        for item in dict.fromkeys(found)
        if item.severity is Severity.ERROR
    ]


def _run(scenario: Scenario, seed: int) -> dict[str, object]:
    measured = plugin.verifier(VERIFIER).measure(scenario, seed)
    if measured.interrupted:
        raise KeyboardInterrupt
    return {
        "basis": measured.basis,
        "verdicts": [
            {
                "requirement": one.index,
                "direction": one.direction,
                "measured": exact(one.measured),
                "bound": exact(one.bound),
                "unit": one.unit,
                "holds": one.holds,
            }
            for one in judge(scenario, measured)
        ],
        "figures": {
            name: exact(value) for name, value in figures(scenario, measured).items()
        },
    }  # fmt: skip
