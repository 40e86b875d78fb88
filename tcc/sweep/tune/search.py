"""The search: one knob after the other, first coarsely, then between two values.

It knows no gradient and draws no numbers: the same policy, goal and seeds give the same choice.
A setting is better when everything required holds with every seed, and then when it gives more of
what is sought, by more than `MARGIN`; less than that is not worth an edit.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from tcc.sweep.tune.trial import Setting, Trial, Trials
from tcc.units import read_quantity

MARGIN = Fraction(1, 200)
NEARER = Fraction(1, 20)
"""The part of what is missing that a setting which does not hold either must make up."""
ROUNDS = 3
"""How often all knobs are gone through: what one gives may change what another takes."""
CONFIRMING = 10
"""Further seeds with which the choice is run."""
STEPS = 10**6
"""Of a share that is ranked, so that its first two digits can be told."""
CHOICES = 8
"""Settings that are confirmed, best first, before the search gives up."""


@dataclass(frozen=True, slots=True)
class Choice:
    """What the search found.

    Attributes:
        before: the policy as it is.
        best: the setting that is chosen; it holds, or comes nearest.
        confirmed: the same with further seeds; None where nothing holds.
        given_up: settings that were better and missed with a further seed.
        limits: the nearest setting that would give more and misses; None at the end of a range.
    """

    before: Trial
    best: Trial
    confirmed: Trial | None
    given_up: tuple[Trial, ...]
    limits: Trial | None

    @property
    def found(self) -> bool:
        """Whether the choice holds, with all seeds."""
        return self.best.holds and self.confirmed is not None and self.confirmed.holds


def better(one: Trial, other: Trial) -> bool:
    """Whether a setting is worth changing to from another."""
    if one.holds != other.holds:
        return one.holds
    if not one.holds:
        return one.shortfall < other.shortfall * (1 - NEARER)
    return _gives_more(one, other)


def _gives_more(one: Trial, other: Trial) -> bool:
    """Whether a setting gives more of what is sought, by more than the margin."""
    if one.score is None or other.score is None:
        return False
    return one.score - other.score > MARGIN * abs(other.score)


def search(trials: Trials, seeds: Sequence[int]) -> Choice:
    """Return the best setting that could be found."""
    [before] = trials.run([(None,) * len(trials.knobs)], seeds)
    best = before
    for _ in range(ROUNDS):
        start = best.setting
        for number, knob in enumerate(trials.knobs):
            if not (knob.last and best.holds):
                best = _turn(trials, number, best, seeds)
        if best.setting == start:
            break
    return _confirm(trials, before, best, seeds)


def _turn(trials: Trials, number: int, best: Trial, seeds: Sequence[int]) -> Trial:
    """Return the best setting with one knob turned, and all others as they are."""
    knob = trials.knobs[number]

    def turned(value: str) -> Setting:
        return (*best.setting[:number], value, *best.setting[number + 1 :])

    tried = trials.run([turned(value) for value in knob.axis.values], seeds)
    found = _best_of([best, *tried])
    if not knob.fine:
        return found
    place = next((at for at, trial in enumerate(tried) if trial is found), None)
    if place is None:
        return found
    for neighbour in (place + 1, place - 1):
        if 0 <= neighbour < len(tried):
            found = _between(trials, number, found, tried[neighbour], seeds)
    return found


def _between(trials: Trials, number: int, good: Trial, other: Trial, seeds: Sequence[int]) -> Trial:
    """Return the best setting between two, by halving what lies between them.

    Where the other one misses, this finds the edge; where it holds as well, it goes towards the
    better half.
    """
    knob = trials.knobs[number]
    while True:
        low, high = sorted((good, other), key=lambda one: _amount(one.setting[number], knob.behind))
        middle = knob.between(str(low.setting[number]), str(high.setting[number]))
        if middle is None:
            return good
        setting = (*good.setting[:number], middle, *good.setting[number + 1 :])
        [trial] = trials.run([setting], seeds)
        if better(trial, good):
            good = trial
        else:
            other = trial


def _amount(value: str | None, behind: str) -> Fraction:
    quantity = read_quantity(str(value).removesuffix(behind).strip())
    return quantity.amount if quantity else Fraction(0)


def _best_of(trials: Sequence[Trial]) -> Trial:
    best = trials[0]
    for trial in trials[1:]:
        if better(trial, best):
            best = trial
    return best


def _confirm(trials: Trials, before: Trial, best: Trial, seeds: Sequence[int]) -> Choice:
    """Run the choice with further seeds; where it misses, take the next best."""
    further = range(seeds[-1] + 1, seeds[-1] + 1 + CONFIRMING)
    known = [trial for (_, used), trial in trials.done.items() if used == tuple(seeds)]
    ranked = sorted(
        (trial for trial in known if trial.holds and trial is not best), key=_rank, reverse=True
    )
    if not best.holds:
        return Choice(before, best, None, (), None)
    given_up: list[Trial] = []
    for candidate in _distinct([best, *ranked])[:CHOICES]:
        [confirmed] = trials.run([candidate.setting], further)
        if confirmed.holds:
            limits = _limits(trials, candidate, [*known, *given_up])
            return Choice(before, candidate, confirmed, tuple(given_up), limits)
        given_up.append(confirmed)
    return Choice(before, best, given_up[0], tuple(given_up[1:]), None)


def _rank(trial: Trial) -> tuple[int, Fraction, Fraction]:
    """Order settings by what they give; of those that give about the same, the safest is best."""
    score = trial.score or Fraction(0)
    digits = len(str(int(abs(score * STEPS)))) - 2
    rough = int(score * STEPS) // 10 ** max(0, digits)
    return rough, trial.slack, score


def _distinct(trials: Sequence[Trial]) -> list[Trial]:
    """Leave out settings that do the same as one before: a limit that nothing reaches."""
    found: dict[object, Trial] = {}
    for trial in trials:
        found.setdefault((trial.required, trial.sought), trial)
    return list(found.values())


def _limits(trials: Trials, chosen: Trial, known: Sequence[Trial]) -> Trial | None:
    """Return what stands in the way of more: the next faster setting that misses.

    Where no rate was turned, the least of those that would give more and miss.
    """
    near = [
        (place, trial)
        for trial in known
        if not trial.holds
        for place in _differing(trial, chosen)
        if len(_differing(trial, chosen)) == 1
    ]
    faster = []
    for place, trial in near:
        knob, own = trials.knobs[place], chosen.setting[place]
        amount = _amount(trial.setting[place], knob.behind)
        if knob.fine and own is not None and amount > _amount(own, knob.behind):
            faster.append((amount, trial))
    if faster:
        return min(faster, key=lambda pair: pair[0])[1]
    more = [trial for _, trial in near if _gives_more(trial, chosen)]
    return min(more, key=lambda trial: trial.score or 0, default=None)


def _differing(one: Trial, other: Trial) -> list[int]:
    pairs = zip(one.setting, other.setting, strict=True)
    return [place for place, (mine, theirs) in enumerate(pairs) if mine != theirs]
