"""The choice in words: what was turned, what it costs, what limits it, how sure it is."""

from collections.abc import Iterator, Sequence
from difflib import unified_diff
from fractions import Fraction
from typing import Any

from tcc.source import Source
from tcc.sweep.text import aligned
from tcc.sweep.tune.knobs import DIRECTIONS, line_rate
from tcc.sweep.tune.search import CONFIRMING, Choice
from tcc.sweep.tune.trial import Trial, Trials
from tcc.units import format_rate
from tcc.verify.judge import in_words
from tcc.verify.summary import Summary
from tcc.verify.text import requirement_text

AS_IT_IS = "as it is"
MOST_ROWS = 12


def explained(trials: Trials, choice: Choice, seeds: Sequence[int]) -> str:
    """Return the whole explanation, without the edit of the policy."""
    return "\n".join(_lines(trials, choice, seeds))


def _lines(trials: Trials, choice: Choice, seeds: Sequence[int]) -> Iterator[str]:
    yield heading(trials)
    yield f"    {effort(trials, seeds)}"
    yield ""
    yield from _choice(trials, choice)
    yield ""
    yield from (f"    {line}" for line in (limit(trials, choice), *certainty(choice, seeds)))
    yield ""
    yield "what was tried, the best last:"
    yield from _table(trials, choice, seeds)


def heading(trials: Trials) -> str:
    """Say what was asked for."""
    *required, sought = trials.goal.policy.objectives[0].require
    words = " and ".join(
        " ".join(filter(None, (one.direction, requirement_text(one)))) for one in required
    )
    most = "the least" if trials.goal.wish.least else "the most"
    name = requirement_text(sought).partition(" >=")[0]
    name = " ".join(filter(None, (sought.direction, name)))
    of_line = _of_line(trials)
    return f"{most} {name}{of_line}" + (f" with {words}" if words else "")


def effort(trials: Trials, seeds: Sequence[int]) -> str:
    """Say under what load, and how much was tried."""
    tried = len({setting for setting, _ in trials.done})
    return (
        f"under {trials.goal.load}; {tried} settings tried, {trials.runs} runs; "
        f"seeds {seeds[0]}..{seeds[-1]}, the choice {CONFIRMING} more"
    )


def _of_line(trials: Trials) -> str:
    if not trials.is_share:
        return ""
    rates = [line_rate(trials.goal, way) for way in DIRECTIONS]
    said = "/".join(format_rate(rate) for rate in dict.fromkeys(rates) if rate)
    return f" (of the line's {said})" if said else ""


def _choice(trials: Trials, choice: Choice) -> Iterator[str]:
    if not choice.found:
        yield f"{shortcoming(choice)}:"
    yield from aligned([
        [f"    {knob.name}", value or AS_IT_IS]
        for knob, value in zip(trials.knobs, choice.best.setting, strict=True)
    ])  # fmt: skip
    before, best = choice.before, choice.best
    figures = [*best.required, *best.sought]
    olds: dict[Any, Summary] = {place_of(one): one for one in (*before.required, *before.sought)}
    rows = []
    for one in figures:
        words = words_of(trials, one)
        rows.append([f"    {words}", mean_of(one), f"was {mean_of(olds.get(place_of(one)))}"])
    if best.score is not None and trials.is_share:
        was = "-" if before.score is None else in_words(before.score, "ratio")
        rows.append(["    of the line", in_words(best.score, "ratio"), f"was {was}"])
    yield from aligned(rows)


def shortcoming(choice: Choice) -> str:
    """Say what is wrong with a choice that was not found."""
    if not choice.best.holds:
        return "nothing that was tried holds with every seed; this comes nearest"
    return "nothing that was tried holds with every further seed; this was the best"


def place_of(one: Summary) -> tuple[int, str | None]:
    """Return which requirement a summary is of, and in which direction."""
    return one.verdict.index, one.verdict.direction


def words_of(trials: Trials, one: Summary) -> str:
    """Return what a summary is of."""
    requirement = trials.goal.policy.objectives[0].require[one.verdict.index]
    said = requirement_text(requirement)
    if one.verdict.index == trials.goal.sought:
        said = said.partition(" >=")[0]
    return " ".join(filter(None, (one.verdict.direction, said)))


def mean_of(one: Summary | None) -> str:
    """Return a summary's mean over the seeds; `-` where there is none."""
    values = [value for value in one.values if value is not None] if one else []
    if one is None or not values:
        return "-"
    return in_words(sum(values, Fraction(0)) / len(values), one.verdict.unit)


def limit(trials: Trials, choice: Choice) -> str:
    """Say what stands in the way of more."""
    limits = choice.limits
    if not choice.found:
        return "what limits it: " + ", ".join(_missed(trials, choice.best)) + " is missed"
    if trials.is_share and (choice.best.score or 0) > 1:
        return (
            "what limits it: nothing, as no testbed says what lies beyond the shaper (`beyond`): "
            "more than the line was tried as if it were carried"
        )
    if limits is None:
        return "what limits it: nothing that was tried gives more"
    turned = [
        f"{knob.name} {value or AS_IT_IS}"
        for knob, value, own in zip(trials.knobs, limits.setting, choice.best.setting, strict=True)
        if value != own
    ]
    return f"what limits it: with {', '.join(turned)} it is {', '.join(_missed(trials, limits))}"


def _missed(trials: Trials, trial: Trial) -> list[str]:
    return [
        f"{words_of(trials, one).partition(' >=')[0].partition(' <=')[0]} {_worst(trials, one)}"
        for one in trial.required
        if not one.holds
    ] or ["a further seed"]


def _worst(trials: Trials, one: Summary) -> str:
    """Return the value that is furthest on the wrong side."""
    values = [value for value in one.values if value is not None]
    if not values:
        return "unmeasured"
    requirement = trials.goal.policy.objectives[0].require[one.verdict.index]
    far = min(values) if requirement.comparison == ">=" else max(values)
    return in_words(far, one.verdict.unit)


def certainty(choice: Choice, seeds: Sequence[int]) -> Iterator[str]:
    """Yield what was given up, and how sure the choice is."""
    for trial in choice.given_up:
        yield f"given up: another setting, which held with {trial.held} of {CONFIRMING} more seeds"
    if choice.confirmed is None:
        return
    count = len(seeds) + CONFIRMING
    held = choice.best.held + choice.confirmed.held
    if choice.found:
        yield (
            f"how sure: held with {held} of {count} seeds, so that at least "
            f"{least_share(count)}% of all seeds hold, 95% sure"
        )
    else:
        yield f"how sure: held with {held} of {count} seeds"


def least_share(count: int) -> int:
    """Return the share of seeds that hold, in per cent, when all of `count` did: 95% sure.

    The p with p ** count = 5%: were fewer to hold, so many in a row would come less often.

    >>> least_share(13)
    79
    """
    share = 100
    while share and Fraction(share, 100) ** count > Fraction(1, 20):
        share -= 1
    return share


def ranked(trials: Trials, seeds: Sequence[int]) -> list[Trial]:
    """Return what was tried with all of these seeds, the best last."""
    tried = [one for (_, used), one in trials.done.items() if used == tuple(seeds)]
    return sorted(
        tried, key=lambda one: (one.holds, one.score is not None, one.score or 0, -one.shortfall)
    )


def _table(trials: Trials, choice: Choice, seeds: Sequence[int]) -> Iterator[str]:
    """Yield what was tried, in order of what is sought; of many the best and those around."""
    tried = ranked(trials, seeds)
    shown = tried[-MOST_ROWS:]
    measured = (*choice.best.required, *choice.best.sought)
    turned = [
        place
        for place in range(len(trials.knobs))
        if any(one.setting[place] is not None for one in shown)
    ]
    heads = [*(trials.knobs[place].name for place in turned), "verdict"]
    heads += [*(words_of(trials, one) for one in measured), *(["of the line"] * trials.is_share)]
    rows = [heads]
    for one in shown:
        figures = {place_of(each): mean_of(each) for each in (*one.required, *one.sought)}
        settings = (one.setting[place] or AS_IT_IS for place in turned)
        cells = (figures.get(place_of(each), "-") for each in measured)
        share = "-" if one.score is None else in_words(one.score, "ratio")
        rows.append([*settings, one.cell.state, *cells, *([share] * trials.is_share)])
    for row in rows:
        row[0] = f"    {row[0]}"
    yield from aligned(rows)
    if len(tried) > len(shown):
        yield f"    and {len(tried) - len(shown)} that were no better"


def diff(before: Source, after: Source) -> str:
    """Return the edit of one file as a unified diff."""
    return "".join(
        unified_diff(
            before.text.splitlines(keepends=True),
            after.text.splitlines(keepends=True),
            before.path,
            after.path,
        )
    )
