"""Changes that would make a missed requirement hold, each tried before it is named.

A candidate is lowered and simulated as the policy itself was, with the same seed and for the same
back end. What does not make the requirement hold is not mentioned.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from tcc.ir import Policy
from tcc.verify.changes import Change, Missed, changes
from tcc.verify.judge import DIRECTIONS, Verdict, judge
from tcc.verify.measured import Measured
from tcc.verify.scenario import Scenario

MOST = 3
"""Mends that are named for one requirement; the first ones are the likeliest."""

Prepare = Callable[[Policy], Sequence[Scenario]]
Measure = Callable[[Scenario, int], Measured]


@dataclass(frozen=True, slots=True)
class Mend:
    """A change that was simulated, and made a requirement hold.

    Attributes:
        words: the change, as a policy says it.
        verdicts: of the requirement with it, in each direction.
        others: requirements of the same objective that miss with it, by index.
    """

    words: str
    verdicts: tuple[Verdict, ...]
    others: tuple[int, ...] = ()


class Attempt(NamedTuple):
    """What came of looking for mends.

    Attributes:
        tried: changes that were simulated.
        mends: those that made the requirement hold, the likeliest first.
    """

    tried: int
    mends: tuple[Mend, ...]


class Mender:
    """Tries changes to one policy; results are kept, so that none is simulated twice."""

    def __init__(self, policy: Policy, prepare: Prepare, measure: Measure) -> None:
        self.policy = policy
        self.prepare = prepare
        self.measure = measure
        self.tried: dict[tuple[int, int, str], list[Verdict] | None] = {}

    def attempt(self, scenario: Scenario, verdicts: Sequence[Verdict], seed: int) -> Attempt:
        """Look for what makes the requirement of `verdicts` (one per direction) hold."""
        index = verdicts[0].index
        requirement = scenario.objective.require[index]
        ways = [one.direction for one in verdicts if one.direction and not one.holds]
        missed = Missed(requirement.metric, requirement.subject, tuple(ways) or DIRECTIONS)
        found: list[Mend] = []
        tried = 0
        for change in changes(self.policy, scenario, missed):
            tried += 1
            mend = self._try(scenario, change, index, seed)
            if mend is not None:
                found.append(mend)
            if len(found) == MOST:
                break
        return Attempt(tried, tuple(found))

    def _try(self, scenario: Scenario, change: Change, index: int, seed: int) -> Mend | None:
        key = (scenario.index, seed, change.words)
        if key not in self.tried:
            self.tried[key] = self._verdicts(scenario, change, seed)
        everything = self.tried[key]
        if everything is None:
            return None
        own = tuple(one for one in everything if one.index == index)
        if not own or not all(one.holds for one in own):
            return None
        others = {one.index for one in everything if not one.holds}
        return Mend(change.words, own, tuple(sorted(others)))

    def _verdicts(self, scenario: Scenario, change: Change, seed: int) -> list[Verdict] | None:
        for made in self.prepare(change.policy):
            if made.index == scenario.index:
                measured = self.measure(made, seed)
                if measured.interrupted:
                    raise KeyboardInterrupt
                return judge(made, measured)
        return None
