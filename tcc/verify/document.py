"""Results as a versioned JSON document: exact, and the same bytes for the same seed.

`SCHEMA` is the document's JSON Schema, which the package carries as a file. A change that could
break a reader raises `VERSION`.
"""

import json
from collections.abc import Sequence
from dataclasses import asdict
from fractions import Fraction
from pathlib import Path
from typing import Any

from tcc.ir import Requirement, Testbed
from tcc.ir.document import plain
from tcc.verify.judge import Verdict
from tcc.verify.mend import Mend
from tcc.verify.run import Advice, Outcome, Run
from tcc.verify.summary import Summary, summarise
from tcc.verify.text import requirement_text

VERSION = 1
SCHEMA = Path(__file__).with_name("results.schema.json")


def document(policy: str, target: str | None, outcomes: Sequence[Outcome]) -> str:
    """Return the results of all objectives as text."""
    return json.dumps(results(policy, target, outcomes), indent=2, sort_keys=True)


def results(policy: str, target: str | None, outcomes: Sequence[Outcome]) -> dict[str, Any]:
    """Return the results of all objectives.

    Rates are in bit/s, sizes in bytes, durations in ns; ratios are exact fractions such as
    `"19/20"`.
    """
    return {
        "version": VERSION,
        "policy": policy,
        "target": target,
        "objectives": [_objective(outcome) for outcome in outcomes],
    }


def _objective(outcome: Outcome) -> dict[str, object]:
    scenario = outcome.runs[0].scenario
    return {
        "text": scenario.objective.text,
        "link": scenario.link.name,
        "verifier": outcome.runs[0].measured.verifier,
        "holds": outcome.held,
        "interrupted": outcome.interrupted,
        "rtt": scenario.rtt,
        "warmup": scenario.warmup,
        "load": [use.name for use in scenario.objective.under],
        "testbed": _testbed(scenario.testbed),
        "requirements": [
            {
                **_requirement(scenario.objective.require[summary.verdict.index]),
                "index": summary.verdict.index,
                **over_seeds(summary),
            }
            for summary in summarise(outcome.runs)
        ],
        "advice": [_advice(one) for one in outcome.advice],
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
        "runs": [_run(run) for run in outcome.runs],
    }


def _testbed(testbed: Testbed | None) -> dict[str, object] | None:
    return None if testbed is None else plain(testbed, without="none")


def _requirement(requirement: Requirement) -> dict[str, object]:
    return {
        "text": requirement_text(requirement),
        "subject": requirement.subject,
        "metric": requirement.metric,
        "statistic": requirement.statistic,
    }


def _advice(advice: Advice) -> dict[str, object]:
    return {
        "requirement": advice.index,
        "direction": advice.direction,
        "where": list(advice.where),
        "tried": advice.tried,
        "mends": [_mend(mend) for mend in advice.mends],
    }


def _mend(mend: Mend) -> dict[str, object]:
    return {
        "change": mend.words,
        "verdicts": [_verdict(one) for one in mend.verdicts],
        "misses": list(mend.others),
    }


def _run(run: Run) -> dict[str, object]:
    measured = asdict(run.measured)
    del measured["recorded"]  # the file says it
    if run.measured.series is None:
        del measured["series"]
    return {**measured, "verdicts": [_verdict(one) for one in run.verdicts]}


def _verdict(verdict: Verdict) -> dict[str, object]:
    return {
        "requirement": verdict.index,
        "direction": verdict.direction,
        "measured": exact(verdict.measured),
        "holds": verdict.holds,
    }


def over_seeds(one: Summary) -> dict[str, object]:
    """Return what came out for a requirement, over the seeds."""
    return {
        "direction": one.verdict.direction,
        "unit": one.verdict.unit,
        "bound": exact(one.verdict.bound),
        "measured": [exact(value) for value in one.values],
        "interval": [exact(value) for value in one.interval or ()],
        "holds": one.holds,
        "noisy": one.noisy,
    }


def exact(value: Fraction | None) -> int | str | None:
    """Return a value as JSON holds it without loss: a whole number, or a text such as `19/20`."""
    if value is None:
        return None
    return value.numerator if value.denominator == 1 else f"{value.numerator}/{value.denominator}"
