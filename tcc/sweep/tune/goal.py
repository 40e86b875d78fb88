"""What is to be reached: `--for` and `--maximise` as an objective of the policy.

The policy's own objectives are taken out while searching; they are run at the end, to say what
becomes of them.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from tcc import api
from tcc.diagnostics import Diagnostic, Severity, error
from tcc.ir import Link, Policy, Testbed
from tcc.passes import Built, Given
from tcc.passes.requirements import METRICS
from tcc.source import Source
from tcc.sweep.flat import flat
from tcc.syntax.tree import Clause
from tcc.units import NS_PER_MS

TITLE = "what was asked for"
DEFAULT_LOAD = "rrul for 10s"
DEFAULT_RTT = 20 * NS_PER_MS
LEAST = {"rate": "0bit", "duration": "0s", "ratio": "0%", "count": "0"}
"""A bound that is always held, by the field that holds it: what is measured is not required."""


class Wish(NamedTuple):
    """What the options say.

    Attributes:
        require: the texts of `--for`.
        metric: what there shall be most of, or least.
        least: whether it is least.
        under: the load; None for that of the policy's first objective.
        over: the link; None for the only one, or that of the first objective.
    """

    require: tuple[str, ...]
    metric: str
    least: bool
    under: str | None
    over: str | None


@dataclass(frozen=True, slots=True)
class Goal:
    """The wish, made an objective.

    Attributes:
        wish: what was asked for.
        source: the policy with this as its only objective.
        policy: the same, built.
        load: what it runs under, as the objective says it.
    """

    wish: Wish
    source: Source
    policy: Policy
    load: str

    @property
    def link(self) -> Link:
        """Return the link that is tuned."""
        objective = self.policy.objectives[0]
        return next(
            one for one in self.policy.links if objective.link in (None, one.name)
        )  # fmt: skip

    @property
    def testbed(self) -> Testbed | None:
        """Return the machine and path behind it."""
        name = self.policy.objectives[0].testbed
        return next((one for one in self.policy.testbeds if one.name == name), None)

    @property
    def rtt(self) -> int:
        """Return the idle round trip (ns)."""
        return self.policy.objectives[0].rtt or DEFAULT_RTT

    @property
    def sought(self) -> int:
        """Return the index of the requirement that is only measured."""
        return len(self.policy.objectives[0].require) - 1


def read_goal(built: Built, given: Given, wish: Wish) -> Goal | list[Diagnostic]:
    """Return the goal, or what stands against it. Codes: tune-goal, and those of building."""
    whole = flat(built)
    tree = api.load(whole, given).trees[0]
    clauses = [one for one in tree.clauses if one.word.text == "objective"]
    text = whole.text
    for clause in reversed(clauses):
        text = text[: clause.span.start] + text[clause.span.end :]
    over = wish.over or (clauses and _said(whole.text, clauses[0], "over")) or ""
    under = wish.under or (clauses and _said(whole.text, clauses[0], "under")) or DEFAULT_LOAD
    on = (clauses and _said(whole.text, clauses[0], "on")) or ""
    said = [("on", on), ("over", over), ("under", under)]
    said += [("require", one) for one in wish.require]
    said += [("require", _measured(wish.metric))]
    lines = "".join(f"    {word} {words}\n" for word, words in said if words)
    source = Source(whole.path, f'{text}\nobjective "{TITLE}" {{\n{lines}}}\n')
    ready = api.load(source, given, complete=True)
    if ready.policy is not None:
        return Goal(wish, source, ready.policy, under)
    return _blamed(ready, len(text), lines, source)


def _blamed(ready: Built, at: int, lines: str, source: Source) -> list[Diagnostic]:
    """Tell what is wrong with the goal from what is wrong with the policy."""
    found = []
    for item in ready.found:
        if item.severity is not Severity.ERROR or item.span is None or item.span.start < at:
            found.append(item)
            continue
        line = source.line(source.position(item.span.start).line).strip()
        found.append(error("tune-goal", None, f"`{line}`: {item.message}", *item.hints))
    return found


def _said(text: str, objective: Clause, word: str) -> str:
    """Return the operands of a clause of an objective, as they are written."""
    for clause in objective.block.clauses if objective.block else ():
        if clause.word.text == word and clause.operands:
            return text[clause.operands[0].span.start : clause.operands[-1].span.end]
    return ""


def _measured(metric: str) -> str:
    """Return a requirement that measures and is always met: `egress utilisation >= 0%`."""
    words = words_of(metric)
    kinds = [METRICS[word] for word in words if word in METRICS]
    bound = LEAST[kinds[0].bounds[0]] if kinds else "0%"
    if "mos" in words:
        bound = "1"
    return f"{' '.join(words)} >= {bound}"


def words_of(metric: str) -> Sequence[str]:
    """Return the words of a metric: `egress.utilisation`, `voice induced-latency p99.9`.

    >>> words_of("ping.latency.p99.9")
    ['ping', 'latency', 'p99.9']
    """
    return re.sub(r"\.(?!9\b)", " ", metric).split()
