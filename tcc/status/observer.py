"""Looks again and again, and says each time how it is."""

from collections.abc import Callable
from dataclasses import dataclass, field

from tcc.apply.journal import Journal
from tcc.apply.system import System
from tcc.status import redirects
from tcc.status.document import SHAPERS, Moment, Ours, shapers
from tcc.status.drift import drift
from tcc.status.model import VERSION, Drift, Shaper, Status
from tcc.status.reader import Reader

NO_DRIFT = Drift("nothing-applied", "", "", (), ())


@dataclass(frozen=True, slots=True)
class Choice:
    """Which shapers are wanted: `names` of links or devices, or all roots, or the usual ones."""

    names: frozenset[str] = frozenset()
    everything: bool = False

    def wants(self, ours: Ours) -> Callable[[Shaper], bool]:
        """Return whether a shaper is wanted, as a function."""
        if self.names:
            return lambda one: bool(self.names & {one.link, one.device, one.on})
        if self.everything:
            return lambda one: one.root.kind != "noqueue"
        if ours.links:
            return lambda one: one.link is not None
        return lambda one: one.root.kind in SHAPERS


@dataclass
class Observer:
    """One namespace, watched."""

    reader: Reader
    system: System
    journal: Journal
    choice: Choice = field(default_factory=Choice)
    drift_every: int = 1
    """Compare with what was applied on every so many looks; the answer stands in between."""

    def __post_init__(self) -> None:
        self._before: Moment | None = None
        self._looks = 0
        self._drift, self._ours = NO_DRIFT, Ours()

    @property
    def looked(self) -> int:
        """When the last look was, ns of the monotonic clock; 0 before the first one."""
        return self._before.look.clock if self._before else 0

    def status(self) -> Status:
        """Return how it is now, with rates since the last call.

        Raises:
            OSError: the kernel would not list.
            DecodeError: malformed data.
        """
        if self._looks % self.drift_every == 0:
            self._drift, self._ours = drift(self.journal, self.system)
        self._looks += 1
        look = self.reader.look()
        now = Moment(look, redirects.read(self.reader.route, look))
        before, self._before = self._before, now
        made = shapers(now, before, self._ours, self.choice.wants(self._ours))
        interval = look.clock - before.look.clock if before else None
        return Status(VERSION, look.time, interval, made, self._drift)
