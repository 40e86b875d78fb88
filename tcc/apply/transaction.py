"""A plan becomes fact as a whole or not at all.

Observe, write down what is there, perform, read back, complete. Whatever goes wrong on the
way, what was observed is put back at once and looked at again. What a killed process leaves
is in the journal (`tcc.apply.journal`), and `tcc.apply.undo` puts it back.
"""

import errno
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import Enum
from typing import Final, Protocol

from tcc.apply.findings import (
    interrupted,
    not_back,
    restore_failed,
    stale,
    unconfirmed_change,
    unfinished_change,
)
from tcc.apply.interrupt import Interruption, noted
from tcc.apply.journal import Journal, UntrustedDirectoryError
from tcc.apply.lock import BusyError
from tcc.apply.pending import Pending
from tcc.apply.records import Owned, Ownership, PolicyText, Record
from tcc.apply.stored import DamagedError
from tcc.apply.system import Result, System
from tcc.diagnostics import Diagnostic, error, has_errors
from tcc.ir.base import Path
from tcc.plan.around import is_gone
from tcc.plan.operation import Plan
from tcc.plan.render import name
from tcc.plan.restore import restore, unlike
from tcc.plan.state import (
    HOOK,
    NOTHING,
    FileItem,
    FilterItem,
    HookItem,
    Item,
    LinkItem,
    Nothing,
    Place,
    QdiscItem,
    RulesItem,
    State,
    is_tree,
    path_of,
)
from tcc.source import Span

ATTEMPTS: Final = 3
"""How often a restore is tried before it counts as failed."""


class Outcome(Enum):
    """How a change ended."""

    UNCHANGED = "nothing was to be done"
    DONE = "done"
    REFUSED = "refused before anything was touched"
    RESTORED = "failed, and everything was put back"
    STUCK = "failed, and not everything could be put back"


@dataclass(frozen=True, slots=True)
class Report:
    """What came of a change."""

    outcome: Outcome
    found: tuple[Diagnostic, ...] = ()
    notes: tuple[str, ...] = ()


class Trial(Protocol):
    """What undoes a change that nobody confirms (`tcc.apply.trial`)."""

    def arm(self, number: int, pending: Pending | None) -> Diagnostic | None:
        """Be ready before change `number` begins; return why that cannot be."""
        ...

    def made(self) -> None:
        """The change is made: from now on it is to be confirmed."""
        ...

    def failed(self) -> None:
        """The change failed and was taken back: what was so before holds again."""
        ...


@dataclass(frozen=True)
class Transaction:
    """How one change is carried out.

    Args:
        system: what is changed.
        journal: the state directory of its namespace.
        command: the command line, for those who find the journal or wait for the lock.
        links: the link that each device is shaped for, for `tcc remove`.
        at: where in the policy something was asked for.
        policy: key and text of the policy that is carried out, where it is one.
        trial: what undoes the change unless it is confirmed; None where it is for good.
        repair: whether it only brings back what was applied, and is no step of the history.
    """

    system: System
    journal: Journal
    command: str
    links: Mapping[str, str] = field(default_factory=dict)
    at: Callable[[Path], Span | None] = lambda path: None
    policy: tuple[str, str] | None = None
    trial: Trial | None = None
    repair: bool = False

    def run(self, plan: Plan) -> Report:
        """Carry `plan` out.

        Found: `state-busy`, `state-unusable`, `unfinished-change`, `unconfirmed-change`,
        `stale-plan`, what `System.obstacles` finds, `confirm-unavailable`, `kernel-refused`,
        `read-back-differs`, `interrupted`, `restore-failed`.
        """
        return guarded(self.journal, self.command, lambda: self._locked(plan))

    def _locked(self, plan: Plan) -> Report:
        unfinished = self.journal.unfinished()
        if unfinished is not None:
            return Report(Outcome.REFUSED, (unfinished_change(unfinished),))
        now = self.system.observe(plan.wanted)
        moved = unlike(now, plan.observed, self.system) + _gone(now, plan.observed)
        if moved:
            return Report(Outcome.REFUSED, (stale(moved, plan.observed, now),))
        obstacles = tuple(self.system.obstacles(plan))
        if has_errors(obstacles):
            return Report(Outcome.REFUSED, obstacles)
        pending = self.journal.on_trial()
        if not plan:
            return self._unchanged(obstacles, pending)
        if pending is not None and self.trial is None:
            return Report(Outcome.REFUSED, (unconfirmed_change(pending),))
        record = self._record(plan, now)
        with noted() as interruption:
            if self.trial is not None:
                unready = self.trial.arm(self.journal.next_number(), pending)
                if unready is not None:
                    return Report(Outcome.REFUSED, (unready,))
            self._begin(record)
            return self._begun(plan, record, interruption)

    def _begin(self, record: Record) -> None:
        """Write the change down; where that fails nothing is armed."""
        try:
            if self.trial is not None and record.policy is not None:
                self.journal.reject(record.policy)
            self.journal.begin(record)
        except OSError:
            if self.trial is not None:
                self.trial.failed()
            raise

    def _unchanged(self, found: Sequence[Diagnostic], pending: Pending | None) -> Report:
        """Return that nothing is to be done; a policy that is so already is confirmed by that."""
        if pending is not None:
            note = f"still to be confirmed: `{pending.command}` (tcc confirm), by {pending.until}"
            return Report(Outcome.UNCHANGED, (*found,), (note,))
        if self.policy is not None and self.trial is None and not self.repair:
            self.journal.keep(PolicyText(*self.policy))
        return Report(Outcome.UNCHANGED, (*found,))

    def _record(self, plan: Plan, now: State) -> Record:
        owned = self.journal.owned()
        when = datetime.now().astimezone().isoformat(timespec="seconds")
        after = owned_after(owned, now, plan.wanted, self.links)
        number = 0 if self.repair else self.journal.next_number()
        policy = None
        if self.policy is not None and not self.repair:
            policy = PolicyText(*self.policy, self.journal.known(self.policy[0]).confirmed)
        return Record(self.command, when, now, plan.wanted, owned, after, number, policy)

    def _begun(self, plan: Plan, record: Record, interruption: Interruption) -> Report:
        """Perform and complete; on the way out of any failure everything is put back."""
        try:
            trouble = self._trouble(plan, interruption)
            if trouble is None:
                self.journal.commit(record, confirmed=self.trial is None)
                return self._done()
        except (OSError, ValueError) as problem:
            trouble = error("change-failed", None, f"the change failed: {problem}")
        except BaseException:
            put_back(self.system, record)
            raise
        report = failed(self.system, self.journal, record, trouble)
        if self.trial is not None and report.outcome is Outcome.RESTORED:
            self.trial.failed()
        return report

    def _done(self) -> Report:
        """Let the time begin in which the change is to be confirmed."""
        try:
            if self.trial is not None:
                self.trial.made()
        except OSError as problem:  # then it is the time that began with the change
            return Report(Outcome.DONE, (), (f"the time could not be begun anew: {problem}",))
        return Report(Outcome.DONE)

    def _trouble(self, plan: Plan, interruption: Interruption) -> Diagnostic | None:
        """Perform and read back; return what went wrong."""
        for results in self.system.perform(plan.operations):
            for result in results:
                if not result.done:
                    return self._refused(result)
            if interruption.name is not None:
                return interrupted(interruption.name)
        wrong = read_back(self.system, plan)
        if wrong:
            place, why = wrong[0]
            at = self.at(path_of(plan.wanted.get(place)))
            return error("read-back-differs", at, why, *(text for _, text in wrong[1:]))
        return None if interruption.name is None else interrupted(interruption.name)

    def _refused(self, result: Result) -> Diagnostic:
        step = result.operation
        item = step.after
        what = f"{step.verb.value} {name(item if item is not None else step.before)}"
        where = f"{step.place.device} ({step.place.at})"
        hints = []
        if result.errno == errno.EPERM:
            hints.append("it takes CAP_NET_ADMIN in the namespace that the device is in")
        return error(
            "kernel-refused",
            self.at(path_of(item)),
            f"the kernel refused to {what} on {where}: {result.text}",
            *hints,
        )


def guarded(journal: Journal, command: str, change: Callable[[], Report]) -> Report:
    """Return what `change` does while the namespace is locked, or why it was not begun."""
    try:
        with journal.held(command):
            return change()
    except BusyError as problem:
        found = error(
            "state-busy",
            None,
            f"another change is under way: {problem}",
            "try again when it is done",
        )
    except (UntrustedDirectoryError, DamagedError) as problem:
        found = error(
            "state-unusable",
            None,
            str(problem),
            f"look into {journal.path}; without it tcc forgets how to go back",
        )
    except OSError as problem:
        found = error(
            "state-unusable",
            None,
            f"the state directory cannot be used: {problem}",
            "it is /var/lib/tcc unless TCC_STATE_DIR names another one",
        )
    return Report(Outcome.REFUSED, (found,))


def failed(system: System, journal: Journal, record: Record, trouble: Diagnostic) -> Report:
    """Put everything back after `trouble`, and say how that went."""
    left = put_back(system, record)
    if left:
        return Report(Outcome.STUCK, (trouble, restore_failed(left)))
    found = (trouble, *closed(journal, record))
    return Report(Outcome.RESTORED, found, ("everything is as it was before",))


def closed(journal: Journal, record: Record) -> list[Diagnostic]:
    """Note that a change was taken back; return `state-unusable` where that cannot be written."""
    try:
        journal.undone(record)
    except OSError as problem:
        found = error(
            "state-unusable",
            None,
            f"that could not be written down: {problem}",
            "when there is room, tcc rollback does it again and writes it down",
        )
        return [found]
    return []


def put_back(system: System, record: Record) -> list[str]:
    """Bring back what was there before a change; return what could not be brought back.

    It looks at what is there now, so it does not matter how far the change got.
    """
    left: list[str] = []
    for _ in range(ATTEMPTS):
        left = []
        try:
            way = restore(system.observe({**record.after, **record.before}), record.before, system)
            for results in system.perform(way.operations):
                left += [not_back(result) for result in results if not result.done]
            places = unlike(system.observe(record.before), record.before, system)
        except (OSError, ValueError) as problem:
            left.append(str(problem))
            continue
        if not places:
            return []
        left += [f"{place.device} ({place.at}) is not as it was" for place in places]
    return left


def read_back(system: System, plan: Plan) -> list[tuple[Place, str]]:
    """Return where what is there is not what was meant, each with a sentence.

    Source of the need: net/sched drops attributes that it does not know without a word, so
    that success is no proof.
    """
    there = system.observe(plan.wanted)
    wrong = []
    for place, item in plan.wanted.items():
        if not isinstance(item, FileItem) and (why := _unlike_wanted(system, place, item, there)):
            wrong.append((place, f"{place.device} ({place.at}) reads back otherwise: {why}"))
    return wrong


def _unlike_wanted(system: System, place: Place, item: Item, there: State) -> str:
    found = there.get(place)
    if isinstance(item, Nothing):
        return "" if is_gone(found) else f"{name(found)} is still there"
    if isinstance(item, QdiscItem) and item.default:
        kernels = found is None or (isinstance(found, QdiscItem) and found.default)
        return "" if kernels else f"{name(found)} is still there"
    if found is None or _identity(found) != _identity(item):
        return f"{name(found)} is there, not {name(item)}"
    return ", ".join(
        f"{one.name} is {one.observed}, not {one.wanted}" for one in system.differences(item, found)
    )


def _identity(item: Item) -> tuple[object, ...]:
    """Return what no setting makes up for: what sort of thing it is, kind and handle."""
    handle = (item.kind, item.handle) if isinstance(item, QdiscItem) else ()
    return (type(item), *handle)


def owned_after(
    owned: Ownership, before: State, wanted: State, links: Mapping[str, str]
) -> Ownership:
    """Return what is ours once `wanted` is so.

    A root left to the kernel is no longer ours; a device or hook that somebody else made is
    not ours for being used.
    """
    after = dict(owned)
    for place, item in wanted.items():
        link = links.get(place.device, "")
        match item:
            case Nothing() | FileItem():
                after.pop(place, None)
            case QdiscItem():
                if item.default:
                    after.pop(place, None)
                elif is_tree(place) and place.at == "root":
                    after[place] = Owned(link, item.kind, item.handle)
            case LinkItem() | HookItem():
                if place in owned or isinstance(before.get(place, NOTHING), Nothing):
                    after[place] = Owned(link, item.kind)
            case FilterItem():
                after[place] = Owned(link, item.kind)
            case RulesItem():
                after[place] = Owned(link, item.table)
    return after


def _gone(now: State, planned: State) -> list[Place]:
    there = {place.device for place in now}
    return [place for place in planned if place.device not in there and place.at in {"root", HOOK}]
