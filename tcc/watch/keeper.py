"""One look: is everything as it should be, and if not, make it so.

What should be there comes from the policies and from what is known of the devices now; what is
there from the kernel. Where the plan between them is empty nothing is sent. A repair is a
transaction like any apply, but no step of the history: `tcc rollback` goes back to what people
did.
"""

import errno
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, Protocol

from tcc.apply.findings import unfinished_change
from tcc.apply.journal import Journal, UntrustedDirectoryError
from tcc.apply.lock import BusyError
from tcc.apply.privilege import DAC_OVERRIDE, NET_ADMIN, only
from tcc.apply.stored import DamagedError
from tcc.apply.system import LiveBackend, System
from tcc.apply.transaction import Outcome, Report, Transaction
from tcc.apply.undo import put_back_unfinished
from tcc.diagnostics import Diagnostic, Severity
from tcc.lower.ifb import ifb_name
from tcc.netlink.namespace import Namespace
from tcc.plan.diff import diff
from tcc.plan.operation import Plan
from tcc.plan.render import name
from tcc.plan.state import Place, QdiscItem, State
from tcc.watch.log import Log
from tcc.watch.patience import Patience

COMMAND: Final = "tcc watch"
SOON: Final = 0.2
"""Seconds until the next look when somebody else is at it."""
LATER: Final = 5.0
LATEST: Final = 300.0
"""Seconds until the next try when one failed: at first, and at most."""
PASSING: Final = {
    "stale-plan", "state-busy", "unfinished-change", "unconfirmed-change", "no-such-device",
    "interrupted",
}  # fmt: skip
CHANGING: Final = {errno.ENODEV, errno.EAGAIN, errno.ENXIO}
"""What is over in a moment: findings, and errors of looking while devices come and go."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """What should be there, and of which links; `found` are findings about it."""

    state: State
    links: Mapping[str, str]
    indexes: Mapping[str, int]
    """The devices of the namespace."""
    found: Sequence[Diagnostic] = ()


class Policies(Protocol):
    """What the policies want (`tcc.watch.policies`)."""

    def wanted(self, *, anew: bool) -> Wanted:
        """Return what should be there; with `anew` devices and kernel are looked at again."""
        ...

    def after_a_change(self) -> None:
        """Somebody applied, confirmed or rolled back: take what is confirmed now."""
        ...

    def settle(self) -> None:
        """What is wanted is there: it is what was confirmed last."""
        ...

    @property
    def marked(self) -> bool:
        """Whether nftables matter."""
        ...


@dataclass
class Keeper:
    """Keeps what policies want in one namespace."""

    backend: LiveBackend
    where: Namespace | None
    journal: Journal
    policies: Policies
    log: Log
    patience: Patience = field(default_factory=Patience)
    wanted: Wanted = field(default_factory=lambda: Wanted({}, {}, {}))
    repairs: int = 0
    failed: bool = False
    """Whether the last look found something that could not be put right."""
    on_trial: bool = False
    """Whether it found a change that is not confirmed yet, and kept out of its way."""
    _served: Mapping[str, str] = field(default_factory=dict)
    _version: object = None
    _owned: frozenset[str] = frozenset()
    _aside: frozenset[str] = frozenset()
    _failures: int = 0
    _seen: bool = False

    def look(self, who: Mapping[int, str], *, anew: bool = True) -> float | None:
        """Look, and repair what differs.

        Args:
            who: who has changed something on a device, by its index, for the log.
            anew: whether devices may have changed, too.

        Returns:
            seconds until the next look is due; None when nothing is left to do.
        """
        self.failed = False
        try:
            wait = self._attend()
            if wait is None:
                wait = self._look(who, anew)
        except (OSError, DamagedError, UntrustedDirectoryError) as problem:
            if isinstance(problem, OSError) and problem.errno in CHANGING:
                return SOON
            wait = self._again(f"cannot look: {problem}")
        if not self.failed:
            self._failures = 0
        return wait

    def forget(self) -> None:
        """What was left alone because somebody took it away is kept again."""
        self._aside = frozenset()
        self._owned = frozenset()
        self._version = None

    def _attend(self) -> float | None:
        """Mind what others do with tcc; return how long to keep out of their way."""
        pending = self.journal.pending()
        if pending is not None and not pending.changer.alive():
            pending = self.journal.on_trial()
        self.on_trial = pending is not None
        if pending is not None:
            self.log.once("pending", f"`{pending.command}` is on trial until {pending.until}: "
                          "nothing is touched until then")  # fmt: skip
            self._version = pending  # whatever comes of it is a change
            return 1.0
        self.log.over("pending")
        if self.journal.unfinished() is not None:
            return self._finish()
        version = self.journal.version()
        if self._version is not None and version != self._version:
            self.log.info("somebody has applied, confirmed or rolled back: keeping what is so now")
            self.policies.after_a_change()
            owned = self._owned_devices()
            self._aside = (self._aside | (self._owned - owned)) - owned
        self._version = version
        self._owned = self._owned_devices()
        return None

    def _finish(self) -> float | None:
        """Take back a change whose maker died; return how long to wait when he did not."""
        try:
            with self.journal.held(COMMAND, 0.0):
                record = self.journal.unfinished()
                if record is None:
                    return SOON
                with self.backend.open(self.where) as system, only(NET_ADMIN, DAC_OVERRIDE):
                    report = put_back_unfinished(system, self.journal, COMMAND)
        except BusyError:
            return SOON
        self.log.warning(unfinished_change(record).message)
        return self._ended(report) if report.outcome is Outcome.STUCK else SOON

    def _look(self, who: Mapping[int, str], anew: bool) -> float | None:
        self.wanted = self.policies.wanted(anew=anew)
        self._served = ifbs({place.device for place in self.wanted.state})
        for found in self.wanted.found:
            self.log.finding(found)
        now = time.monotonic()
        self.patience.forget_all_but({place.device for place in self.wanted.state})
        due = {device: self._due(device, now) for device in self._devices()}
        held = {device for device, moment in due.items() if moment > now} | self._aside
        state = {place: item for place, item in self.wanted.state.items()
                 if self._root(place) not in held}  # fmt: skip
        with self.backend.open(self.where) as system:
            plan = diff(system.observe(state), state, system)
            if plan:
                return self._repair(system, plan, who, now)
        later = [moment for device, moment in due.items() if moment > now]
        self._seen = True
        if later:
            return min(later) - now
        self.policies.settle()
        return None

    def _repair(
        self, system: System, plan: Plan, who: Mapping[int, str], now: float
    ) -> float | None:
        obstacles = [one for one in system.obstacles(plan) if one.severity is Severity.ERROR]
        if obstacles:
            return self._ended(Report(Outcome.REFUSED, tuple(obstacles)))
        for line in differences(plan):
            self.log.info(line)
        self._name(plan, who)
        transaction = Transaction(system, self.journal, COMMAND, self.wanted.links, repair=True)
        with only(NET_ADMIN, DAC_OVERRIDE):
            report = transaction.run(plan)
        if report.outcome is Outcome.DONE:
            self._repaired(plan, now)
        return self._ended(report)

    def _repaired(self, plan: Plan, now: float) -> None:
        self.repairs += 1
        self._owned = self._owned_devices()
        took = (time.monotonic() - now) * 1000
        self.log.info(f"made it so in {took:.0f} ms, with {len(plan.operations)} steps")
        if not self._seen:  # what a boot left undone is nobody's fault
            return
        for device in {self._root(step.place) for step in plan.operations}:
            pause = self.patience.repaired(device, self.wanted.indexes.get(device, 0), now)
            if pause:
                self.log.warning(
                    f"{device}: somebody else keeps changing it; the next repair waits {pause:g} s"
                )

    def _ended(self, report: Report) -> float | None:
        """Tell how a repair ended; return when to look again."""
        if report.outcome in {Outcome.DONE, Outcome.UNCHANGED}:
            return 0.0  # look once more: what happened meanwhile was not seen
        codes = {found.code for found in report.found}
        if codes & PASSING:
            return SOON
        for found in report.found:
            self.log.finding(found)
        return self._again(f"not as it should be: {report.outcome.value}")

    def _again(self, why: str) -> float:
        self.failed = True
        pause = min(LATER * (1 << self._failures), LATEST)
        self._failures = min(self._failures + 1, 10)
        self.log.once("failed", f"{why}; next try in {pause:g} s", Severity.ERROR)
        return pause

    def _name(self, plan: Plan, who: Mapping[int, str]) -> None:
        for device in dict.fromkeys(step.place.device for step in plan.operations):
            culprit = who.get(self.wanted.indexes.get(device, -1))
            if culprit:
                self.log.info(f"{device}: last changed by {culprit}")

    def _devices(self) -> set[str]:
        return {self._root(place) for place in self.wanted.state}

    def _due(self, device: str, now: float) -> float:
        return self.patience.due(device, self.wanted.indexes.get(device, 0), now)

    def _root(self, place: Place) -> str:
        """Return the device whose shaping a place is part of: of an ifb the one it serves."""
        return self._served.get(place.device, place.device)

    def device(self, index: int) -> str:
        """Return the name of a device when it was looked at last, or the one that an ifb serves."""
        for name_, number in self.wanted.indexes.items():
            if number == index:
                return self._served.get(name_, name_)
        return ""

    @property
    def marked(self) -> bool:
        """Whether nftables matter."""
        return self.policies.marked

    def _owned_devices(self) -> frozenset[str]:
        return frozenset(place.device for place in self.journal.owned())


def ifbs(devices: set[str]) -> dict[str, str]:
    """Return the ifbs among `devices`, and the device that each serves."""
    return {ifb_name(device): device for device in devices if ifb_name(device) in devices}


def differences(plan: Plan) -> list[str]:
    """Return, for each place that is not as it should be, what is there and what should be."""
    lines = []
    for step in plan.operations:
        where = f"{step.place.device} ({step.place.at})"
        if step.differences and isinstance(step.after, QdiscItem):
            what = ", ".join(
                f"{one.name} {one.observed} instead of {one.wanted}" for one in step.differences
            )
            lines.append(f"{where}: {name(step.after)} has {what}")
        else:
            lines.append(f"{where}: {name(step.before)} instead of {name(step.after)}")
    return lines
