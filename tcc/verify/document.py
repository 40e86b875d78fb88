"""Results as a versioned JSON document: exact, and the same bytes for the same seed."""

import json
from collections.abc import Sequence
from dataclasses import asdict
from fractions import Fraction

from tcc.verify.judge import Verdict
from tcc.verify.run import Run, summarise
from tcc.verify.text import requirement_text

VERSION = 1


def document(policy: str, results: Sequence[Sequence[Run]]) -> str:
    """Return the results of all objectives.

    Rates are in bit/s, sizes in bytes, durations in ns; ratios are exact fractions such as
    `"19/20"`.
    """
    return json.dumps(
        {
            "version": VERSION,
            "policy": policy,
            "objectives": [_objective(runs) for runs in results],
        },
        indent=2,
        sort_keys=True,
    )


def _objective(runs: Sequence[Run]) -> dict[str, object]:
    scenario = runs[0].scenario
    summaries = summarise(runs)
    return {
        "text": scenario.objective.text,
        "link": scenario.link.name,
        "holds": all(summary.holds for summary in summaries),
        "rtt": scenario.rtt,
        "warmup": scenario.warmup,
        "requirements": [
            {
                "text": requirement_text(scenario.objective.require[summary.verdict.index]),
                "direction": summary.verdict.direction,
                "unit": summary.verdict.unit,
                "bound": _exact(summary.verdict.bound),
                "measured": [_exact(value) for value in summary.values],
                "holds": summary.holds,
                "noisy": summary.noisy,
            }
            for summary in summaries
        ],
        "flows": [
            {
                "part": flow.part,
                "workload": flow.workload,
                "kind": flow.kind,
                "direction": flow.direction,
                "dscp": flow.dscp,
                "tier": flow.tier,
                "host": flow.host,
            }
            for flow in scenario.flows
        ],
        "runs": [_run(run) for run in runs],
    }


def _run(run: Run) -> dict[str, object]:
    return {**asdict(run.measured), "verdicts": [_verdict(one) for one in run.verdicts]}


def _verdict(verdict: Verdict) -> dict[str, object]:
    return {
        "requirement": verdict.index,
        "direction": verdict.direction,
        "measured": _exact(verdict.measured),
        "holds": verdict.holds,
    }


def _exact(value: Fraction | None) -> int | str | None:
    if value is None:
        return None
    return value.numerator if value.denominator == 1 else f"{value.numerator}/{value.denominator}"
