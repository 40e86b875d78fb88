"""`require [egress|ingress] [SUBJECT] METRIC [STAT] >=|<= VALUE`: one inequality."""

from collections.abc import Iterator
from fractions import Fraction
from typing import Any, NamedTuple

from tcc import language
from tcc.diagnostics import Fix
from tcc.ir import Link, Path, Policy, Requirement
from tcc.passes.context import Kind, listed, nearest
from tcc.passes.reader import Operands, Reader, operands_span
from tcc.passes.values import Amount
from tcc.syntax.tree import Clause, Operand, Symbol, Word
from tcc.units import Dimension


class Metric(NamedTuple):
    """What a metric measures, and what it needs to be said with."""

    bounds: tuple[str, ...]
    """The fields of `Requirement` that can hold its bound."""
    statistic: str
    """`needed`, `allowed` or `none`."""
    low: int = 0
    high: int = 1
    """Of a ratio."""


METRICS: dict[str, Metric] = {
    "goodput": Metric(("rate",), "allowed"),
    "throughput": Metric(("rate",), "allowed"),
    "utilisation": Metric(("ratio",), "none"),
    "latency": Metric(("duration",), "needed"),
    "induced-latency": Metric(("duration",), "needed"),
    "sojourn": Metric(("duration",), "needed"),
    "loss": Metric(("ratio",), "none"),
    "marks": Metric(("count", "ratio"), "none"),
    "mos": Metric(("ratio",), "allowed", 1, 5),  # ITU-T P.800: 1 bad to 5 excellent
    "fairness": Metric(("ratio",), "none"),
}
SUBJECT_METRICS = {
    "flow": ("fairness",),
    "host": ("fairness",),
    "ping": ("latency", "induced-latency", "sojourn", "loss"),
}
"""What can be measured of the subjects that are words of the language."""


class Subjects:
    """The tiers, workloads and parts of a policy by name, looked up once for all objectives."""

    def __init__(self, policy: Policy) -> None:
        self.policy = policy
        self.tiers = frozenset(tier.name for tier in policy.tiers)
        self.parts = {
            workload.name: frozenset(part.name for part in workload.parts if part.name)
            for workload in policy.workloads
        }
        self.links = {link.name: index for index, link in enumerate(policy.links)}


class Scope(NamedTuple):
    """What the subjects of an objective's requirements can be."""

    subjects: Subjects
    link: int | None
    """The link it is about; None when that is not clear."""
    workloads: tuple[str, ...]
    """The names of those that are running."""

    def kinds_of(self, name: str) -> list[Kind]:
        """Return the kinds of thing that are called `name` here."""
        kinds = []
        if name in self.subjects.tiers or any(
            tier.name == name for link in self._links() for tier in link.tiers
        ):
            kinds.append(Kind.TIER)
        if name in self.workloads:
            kinds.append(Kind.WORKLOAD)
        elif any(name in self.subjects.parts.get(load, ()) for load in self.workloads):
            kinds.append(Kind.PART)
        return kinds

    def _links(self) -> tuple[Link, ...]:
        links = self.subjects.policy.links
        return links if self.link is None else (links[self.link],)

    def known(self) -> list[str]:
        """Return all names that can be a subject, for messages."""
        names = [*self.subjects.tiers, *self.workloads]
        names += [tier.name for link in self._links() for tier in link.tiers]
        names += [part for load in self.workloads for part in self.subjects.parts.get(load, ())]
        return [*dict.fromkeys(sorted(names)), *language.SUBJECTS]


def read_requirement(
    reader: Reader, clause: Clause, path: Path, scope: Scope
) -> Requirement | None:
    """Read one `require`.

    Codes: unknown-metric, unknown-statistic, unknown-subject, ambiguous-subject, subject-metric,
    missing-statistic, unexpected-statistic and those of values.
    """
    return RequirementReader(reader, clause, path, scope).run()


class RequirementReader:
    """Reads one inequality from left to right."""

    def __init__(self, reader: Reader, clause: Clause, path: Path, scope: Scope) -> None:
        self.reader = reader
        self.context = reader.context
        self.path = path
        self.scope = scope
        self.span = operands_span(clause)
        self.operands = Operands(reader, clause, language.OBJECTIVE["require"].syntax)
        self.values: dict[str, Any] = {}

    def run(self) -> Requirement | None:
        """Read words, comparison and bound."""
        self.context.spans[self.path] = self.span
        operands = self.operands
        words: list[Word] = []
        while isinstance(word := operands.peek(), Word):
            operands.take()
            words.append(word)
        comparison = operands.peek()
        if not (isinstance(comparison, Symbol) and comparison.text in (">=", "<=")):
            operands.expect(">=", "<=")
            return None
        operands.take()
        bound = operands.take("a bound")
        operands.end()
        metric = self._words(words)
        if metric is None or bound is None:
            return None
        self.values["comparison"] = comparison.text
        self._bound(METRICS[metric], metric, bound)
        return Requirement(**self.values)

    def _put(self, field: str, word: Word) -> None:
        self.values[field] = word.text
        self.context.spans[*self.path, field] = word.span

    def _words(self, words: list[Word]) -> str | None:
        """Read direction, subject, metric and statistic; return the metric."""
        if words and words[0].text in language.DIRECTIONS:
            self.values["direction"] = words.pop(0).text
        statistic = words.pop() if len(words) > 1 and _is_statistic(words) else None
        if not words:
            self.operands.missing("a metric")
            return None
        metric = words.pop()
        if metric.text not in METRICS:
            self.reader.unknown_word(metric, tuple(language.METRICS), "a metric", "unknown-metric")
            return None
        self._put("metric", metric)
        if statistic:
            self.values["statistic"] = statistic.text
        if words:
            self._subject(words.pop(0), metric)
        if words:
            self.context.error(
                "unexpected-operand", words[0].span, "a requirement has one subject",
                self.operands.usage,
            )  # fmt: skip
        elif "subject" not in self.values and metric.text == "fairness":
            self.context.missing(
                "subject-metric", metric.span, "fairness between what?",
                "write: flow fairness, or: host fairness",
            )  # fmt: skip
        self._statistic(metric, statistic)
        return metric.text

    def _statistic(self, metric: Word, statistic: Word | None) -> None:
        wanted = METRICS[metric.text].statistic
        if statistic is not None and statistic.text not in language.STATISTICS:
            self.reader.unknown_word(
                statistic, language.STATISTICS, "a statistic", "unknown-statistic"
            )
            return
        if wanted == "needed" and statistic is None:
            self.context.missing(
                "missing-statistic", metric.span, f"`{metric.text}` of which packets?",
                f"it needs one of {listed(language.STATISTICS)}",
            )  # fmt: skip
        elif wanted == "none" and statistic is not None:
            self.context.error(
                "unexpected-statistic",
                statistic.span,
                f"`{metric.text}` is one number: it has no {statistic.text}",
            )

    def _subject(self, word: Word, metric: Word) -> None:
        self._put("subject", word)
        if word.text in SUBJECT_METRICS:
            if metric.text not in SUBJECT_METRICS[word.text]:
                self.context.error(
                    "subject-metric",
                    metric.span,
                    f"`{metric.text}` is not measured of `{word.text}`",
                    f"of it there is {listed(SUBJECT_METRICS[word.text])}",
                )
            return
        kinds = self.scope.kinds_of(word.text)
        if not kinds:
            known = self.scope.known()
            near = nearest(word.text, known)
            self.context.missing(
                "unknown-subject",
                word.span,
                f"`{word.text}` is neither a tier nor a part of the load",
                f"there are {listed(known)}",
                fix=Fix(f"write `{near}`", word.span, near, safe=False) if near else None,
            )
        elif len(kinds) > 1:
            self.context.error(
                "ambiguous-subject",
                word.span,
                f"`{word.text}` is both a {kinds[0]} and a {kinds[1]}",
                "rename one of them",
            )
        else:
            self.context.use(kinds[0], self._owners(kinds[0]), word)

    def _owners(self, kind: Kind) -> Iterator[str]:
        """Yield the owners of tiers or parts, nearest first."""
        if kind is Kind.PART:
            yield from (f"workload {load}" for load in self.scope.workloads)
        elif kind is Kind.WORKLOAD:
            yield ""
        elif self.scope.link is not None:
            link = self.scope.subjects.policy.links[self.scope.link].name
            yield f"link {link}"
            yield f"profile {self.context.profile_of.get(link)}"
        yield ""

    def _bound(self, metric: Metric, name: str, operand: Operand) -> None:
        field = metric.bounds[0]
        value: int | Fraction | None
        if len(metric.bounds) > 1 and self._is_percent(operand):
            field = metric.bounds[1]
        if field == "rate":
            value = self.reader.quantity(operand, Dimension.RATE, 0, 2**63 - 1)
        elif field == "duration":
            value = self.reader.duration(operand, 0)
        elif field == "count":
            value = self.reader.count(operand, 0, 2**63 - 1)
        else:
            value = self.reader.ratio(operand, metric.low, metric.high)
        self.context.spans[*self.path, field] = operand.span
        if value is None:
            self.context.unknown.add((*self.path, field))
        else:
            self.values[field] = value

    def _is_percent(self, operand: Operand) -> bool:
        before = len(self.context.found)
        value = self.reader.values.evaluate(operand)
        del self.context.found[before:]  # said when it is read for good
        return isinstance(value, Amount) and value.dimension is Dimension.PERCENT


def _is_statistic(words: list[Word]) -> bool:
    """Whether the last word is a statistic, or stands where only one could."""
    return words[-1].text in language.STATISTICS or (
        words[-1].text not in METRICS and words[-2].text in METRICS
    )
