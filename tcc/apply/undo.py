"""Going back: after a change that did not finish, or by steps from those that did.

Several steps are one way back: it leads straight to what was there before the oldest of them,
so that nothing in between is ever there again.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from tcc.apply.findings import restore_failed
from tcc.apply.interrupt import noted
from tcc.apply.journal import Journal, Step
from tcc.apply.pending import Pending
from tcc.apply.records import Record
from tcc.apply.stored import DamagedError
from tcc.apply.system import System
from tcc.apply.transaction import Outcome, Report, closed, guarded, put_back
from tcc.diagnostics import Diagnostic, error, has_errors, warning
from tcc.plan.restore import restore, unlike
from tcc.plan.state import LINK, State, is_tree


def roll_back(system: System, journal: Journal, command: str, steps: int | None = None) -> Report:
    """Put back what was there before the change that did not finish, else before the last one.

    What nobody has confirmed yet goes back as a whole; with `steps` it is that many changes.
    What did not finish counts as the first of them.

    Found: `nothing-to-roll-back`, `history-damaged`, `cannot-restore` where somebody else has
    since put something there that would be lost for good, `restore-failed`, `state-busy`,
    `state-unusable`.
    """
    return guarded(journal, command, lambda: _Way(system, journal, command).back(steps))


def expire(system: System, journal: Journal, pending: Pending, command: str) -> Report:
    """Put back what was there before the changes that nobody confirmed, come what may.

    The caller holds the lock. Whether somebody else's qdisc gets lost is not asked: the
    line may be unusable. Found: as `roll_back`.
    """
    return _Way(system, journal, command).expire(pending)


def put_back_unfinished(system: System, journal: Journal, command: str) -> Report:
    """Put back what was there before a change that did not finish; `UNCHANGED` if all did.

    The caller holds the lock, so that nobody is at it. Found: as `roll_back`.
    """
    way = _Way(system, journal, command)
    return way.unfinished() or Report(Outcome.UNCHANGED)


@dataclass
class _Way:
    """One way back, under the lock; `told` gathers what to tell about it."""

    system: System
    journal: Journal
    command: str
    told: list[str] = field(default_factory=list)
    found: list[Diagnostic] = field(default_factory=list)

    def back(self, steps: int | None) -> Report:
        """Go `steps` back; by default the one step, or all that is pending."""
        pending = self._pending()
        first = self.unfinished()
        if first is not None and (first.outcome is Outcome.STUCK or not (steps or pending)):
            return self._ended(first, pending)
        left = None if steps is None else steps - (first is not None)
        chosen = self._chosen(left, pending)
        if not chosen:
            return self._ended(first or Report(Outcome.REFUSED, (_nothing(),)), pending)
        return self._ended(self._go(chosen, careful=True), pending)

    def _pending(self) -> Pending | None:
        """Return what is on trial; where that cannot be read, the way back is open all the same."""
        try:
            return self.journal.on_trial()
        except DamagedError as problem:
            self.told.append(f"{problem}; its timer may still fire")
            return None

    def expire(self, pending: Pending) -> Report:
        """Undo what is pending, all of it."""
        first = self.unfinished()
        if first is not None and first.outcome is Outcome.STUCK:
            return first
        chosen = self._chosen(None, pending)
        if not chosen:
            return self._ended(first or Report(Outcome.UNCHANGED), pending)
        return self._ended(self._go(chosen, careful=False), pending)

    def unfinished(self) -> Report | None:
        """Take back the change that did not finish; None where there is none."""
        record = self.journal.unfinished()
        return None if record is None else self._undo(record)

    def _chosen(self, steps: int | None, pending: Pending | None) -> list[Step]:
        """Return the steps of the history to take back, oldest first."""
        history = self.journal.steps()
        if steps is None and pending is not None:
            return [step for step in history if step.number >= pending.first]
        wanted = 1 if steps is None else steps
        return history[-wanted:] if wanted > 0 else []

    def _go(self, chosen: Sequence[Step], *, careful: bool) -> Report:
        oldest = chosen[0].record
        if oldest is None:
            return Report(Outcome.REFUSED, (*self.found, self._unreadable(chosen[0])))
        self.found += [_skipped(step) for step in chosen if step.record is None]
        way = self._merged([step.record for step in chosen if step.record], chosen[0].number)
        now = self.system.observe({**way.after, **way.before})
        if careful:
            obstacles = self.system.obstacles(restore(now, way.before, self.system))
            if has_errors(obstacles):
                return Report(Outcome.REFUSED, (*self.found, *obstacles))
        self.told += [
            f"{place.device} ({place.at}) had been changed by somebody else since"
            for place in unlike(now, way.after, self.system)
        ]
        self.journal.begin(way)
        return self._undo(way, [step.record for step in reversed(chosen) if step.record])

    def _merged(self, records: Sequence[Record], since: int) -> Record:
        """Return the one change that all of `records`, oldest first, amount to."""
        before: State = {}
        after: State = {}
        for record in reversed(records):
            before = _over(before, record.before)
            after = _over(record.after, after)
        when = datetime.now().astimezone().isoformat(timespec="seconds")
        return replace(
            Record(self.command, when, before, after),
            owned_before=records[0].owned_before,
            owned_after=records[-1].owned_after,
            since=since,
        )

    def _undo(self, record: Record, told: Sequence[Record] = ()) -> Report:
        with noted():
            left = put_back(self.system, record)
            if left:
                return Report(Outcome.STUCK, (*self.found, restore_failed(left)), (*self.told,))
            gone = {place.device for place in record.before}
            gone -= {place.device for place in self.system.observe(record.before)}
            self.found += closed(self.journal, record)
        self.told[:0] = [f"undone: `{one.command}` of {one.when}" for one in told or [record]]
        self.told += [f"{device} is gone, and what hung on it" for device in sorted(gone)]
        return Report(Outcome.DONE, tuple(self.found), tuple(self.told))

    def _ended(self, report: Report, pending: Pending | None) -> Report:
        """Disarm the timer when nothing is left of what it is for."""
        if pending is None or report.outcome in {Outcome.STUCK, Outcome.REFUSED}:
            return report
        if all(step.number < pending.first for step in self.journal.steps()):
            self.journal.disarm()
        return report

    def _unreadable(self, step: Step) -> Diagnostic:
        older = [one for one in self.journal.steps() if one.number < step.number and one.record]
        steps = [one.number for one in self.journal.steps()]
        cure = "`tcc remove` takes away what is there"
        if older:
            count = len(steps) - steps.index(older[-1].number)
            command = older[-1].record.command if older[-1].record else ""
            cure = f"`tcc rollback --steps {count}` goes back to what was before `{command}`"
        return error(
            "history-damaged",
            None,
            f"what was there before change {step.number} cannot be read: {step.trouble}",
            cure,
        )


def _over(below: State, above: State) -> State:
    """Return `above`, and of `below` what is on other places; a device's tree goes as a whole."""
    covered = {place.device for place in above if is_tree(place) or place.at == LINK}
    rest = {
        place: item
        for place, item in below.items()
        if not (is_tree(place) and place.device in covered)
    }
    return {**rest, **above}


def _skipped(step: Step) -> Diagnostic:
    return warning(
        "history-damaged",
        None,
        f"change {step.number} cannot be read: {step.trouble}",
        "what that change alone touched stays as it is",
    )


def _nothing() -> Diagnostic:
    return error(
        "nothing-to-roll-back",
        None,
        "no change of this namespace is remembered",
        "the history begins with the first apply, and ends with a reboot",
    )
