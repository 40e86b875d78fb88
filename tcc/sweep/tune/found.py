"""What a search came to: the choice, and what it was chosen from."""

from collections.abc import Sequence
from typing import NamedTuple

from tcc.sweep.tune.own import Fate
from tcc.sweep.tune.search import Choice
from tcc.sweep.tune.trial import Trials


class Found(NamedTuple):
    """A search that came to its end."""

    trials: Trials
    """All that was tried."""
    choice: Choice
    """The best of it."""
    fates: Sequence[Fate]
    """What becomes of the policy's own objectives."""
    seeds: Sequence[int]
    """Every setting was tried with them."""
