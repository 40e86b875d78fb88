"""Results as JUnit XML, for build servers: a suite for each objective, a case for each verdict."""

from collections.abc import Iterator, Sequence

from tcc.report.junit import xml
from tcc.verify.github import missed_text
from tcc.verify.run import Outcome
from tcc.verify.summary import Summary, summarise
from tcc.verify.text import requirement_text


def render(policy: str, outcomes: Sequence[Outcome]) -> str:
    """Return a document."""
    cases = [summary for outcome in outcomes for summary in summarise(outcome.runs)]
    lines = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        f'<testsuites name="tcc verify" {_counts(cases)}>',
        *(line for outcome in outcomes for line in _suite(policy, outcome)),
        "</testsuites>",
    ]
    return "".join(f"{line}\n" for line in lines)


def _counts(cases: Sequence[Summary]) -> str:
    failures = sum(not one.holds for one in cases)
    return f'tests="{len(cases)}" failures="{failures}" errors="0"'


def _suite(policy: str, outcome: Outcome) -> Iterator[str]:
    summaries = summarise(outcome.runs)
    scenario = outcome.runs[0].scenario
    name = f"{scenario.objective.text} ({outcome.runs[0].measured.verifier})"
    yield f'  <testsuite name="{xml(name)}" {_counts(summaries)} skipped="0">'
    for summary in summaries:
        requirement = scenario.objective.require[summary.verdict.index]
        words = filter(None, (summary.verdict.direction, requirement_text(requirement)))
        head = f'    <testcase classname="{xml(policy)}" name="{xml(" ".join(words))}"'
        if summary.holds:
            yield f"{head} />"
            continue
        said = [xml(line) for line in missed_text(outcome, summary).splitlines()]
        yield f"{head}>"
        yield f'      <failure type="missed" message="{said[0]}">'
        yield "\n".join(said) + "</failure>"
        yield "    </testcase>"
    yield "  </testsuite>"
