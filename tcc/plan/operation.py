"""What a plan is made of: steps on single places, in order."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum

from tcc.plan.state import Difference, Item, Place, State


class Verb(Enum):
    """What a step does to a place."""

    ADD = "add"
    """Make one where nothing, or only the kernel's default, hangs."""
    CHANGE = "change"
    """Alter the settings of the one that is there; it keeps its packets and counters."""
    REPLACE = "replace"
    """Put a new one in the place of another, which goes with its packets."""
    DELETE = "delete"
    """Take it away; on a root the kernel's default comes back."""


@dataclass(frozen=True, slots=True)
class Operation:
    """One step: `before` is what hangs at `place`, `after` what shall hang there.

    None stands for nothing at all, which for a file or a class of a qdisc is what it says.
    """

    verb: Verb
    place: Place
    before: Item | None
    after: Item | None
    differences: tuple[Difference, ...] = ()
    """For CHANGE: the settings that alter."""


@dataclass(frozen=True, slots=True)
class Plan:
    """Steps that take `observed` to `wanted`; none when nothing is to be done.

    `wanted` names the handles that will be there, which are those of what is kept; the
    steps are ordered so that a parent comes before what hangs on it.
    """

    operations: tuple[Operation, ...]
    observed: State
    wanted: State

    def __bool__(self) -> bool:
        """Whether there is anything to do."""
        return bool(self.operations)

    def by_device(self) -> Mapping[str, Sequence[Operation]]:
        """Return the steps on each device that will be touched, both in the plan's order."""
        found: dict[str, list[Operation]] = {}
        for step in self.operations:
            found.setdefault(step.place.device, []).append(step)
        return found
