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
from typing import Final

from tcc.apply.interrupt import Interruption, noted
from tcc.apply.journal import Journal, UntrustedDirectoryError
from tcc.apply.lock import BusyError
from tcc.apply.records import Owned, Ownership, Record
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


@dataclass(frozen=True)
class Transaction:
    """How one change is carried out.

    Args:
        system: what is changed.
        journal: the state directory of its namespace.
        command: the command line, for those who find the journal or wait for the lock.
        links: the link that each device is shaped for, for `tcc remove`.
        at: where in the policy something was asked for.
    """

    system: System
    journal: Journal
    command: str
    links: Mapping[str, str] = field(default_factory=dict)
    at: Callable[[Path], Span | None] = lambda path: None

    def run(self, plan: Plan) -> Report:
        """Carry `plan` out.

        Found: `state-busy`, `state-unusable`, `unfinished-change`, `stale-plan`, what
        `System.obstacles` finds, `kernel-refused`, `read-back-differs`, `interrupted`,
        `restore-failed`.
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
        if not plan:
            return Report(Outcome.UNCHANGED, obstacles)
        record = self._record(plan, now)
        with noted() as interruption:
            self.journal.begin(record)
            return self._begun(plan, record, interruption)

    def _record(self, plan: Plan, now: State) -> Record:
        owned = self.journal.owned()
        when = datetime.now().astimezone().isoformat(timespec="seconds")
        after = owned_after(owned, now, plan.wanted, self.links)
        return Record(self.command, when, now, plan.wanted, owned, after)

    def _begun(self, plan: Plan, record: Record, interruption: Interruption) -> Report:
        """Perform and complete; on the way out of any failure everything is put back."""
        try:
            trouble = self._trouble(plan, interruption)
            if trouble is None:
                self.journal.commit(record)
                return Report(Outcome.DONE)
        except (OSError, ValueError) as problem:
            trouble = error("change-failed", None, f"the change failed: {problem}")
        except BaseException:
            put_back(self.system, record)
            raise
        return failed(self.system, self.journal, record, trouble)

    def _trouble(self, plan: Plan, interruption: Interruption) -> Diagnostic | None:
        """Perform and read back; return what went wrong."""
        for results in self.system.perform(plan.operations):
            for result in results:
                if not result.done:
                    return self._refused(result)
            if interruption.name is not None:
                return _interrupted(interruption.name)
        wrong = read_back(self.system, plan)
        if wrong:
            place, why = wrong[0]
            at = self.at(path_of(plan.wanted.get(place)))
            return error("read-back-differs", at, why, *(text for _, text in wrong[1:]))
        return None if interruption.name is None else _interrupted(interruption.name)

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
                left += [_not_back(result) for result in results if not result.done]
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


def unfinished_change(record: Record) -> Diagnostic:
    """Return `unfinished-change`: what was left half done, and the way out."""
    devices = ", ".join(dict.fromkeys(place.device for place in record.before))
    return error(
        "unfinished-change",
        None,
        f"a change did not finish: `{record.command}` of {record.when}, on {devices}",
        "it was killed, or the way back failed; what is there now may be half of it",
        "put back what was there before it: tcc rollback",
    )


def restore_failed(left: Sequence[str]) -> Diagnostic:
    """Return `restore-failed`, with everything that is still not as it was."""
    return error(
        "restore-failed",
        None,
        "what was there before could not all be put back",
        *dict.fromkeys(left),
        "when the reason is gone: tcc rollback",
    )


def stale(moved: Sequence[Place], planned: State, now: State) -> Diagnostic:
    """Return `stale-plan`: what is no longer as it was when the plan was made."""
    return error(
        "stale-plan",
        None,
        "what is there is no longer what the plan was made for",
        *(
            f"{place.device} ({place.at}) was {name(planned.get(place))}, "
            f"is {name(now.get(place))}{_options_moved(planned.get(place), now.get(place))}"
            for place in moved
        ),
        "make the plan again",
    )


def _options_moved(planned: object, now: object) -> str:
    if isinstance(planned, QdiscItem) and isinstance(now, QdiscItem):
        same = (planned.kind, planned.handle) == (now.kind, now.handle)
        return ", set otherwise" if same else ""
    return ""


def _gone(now: State, planned: State) -> list[Place]:
    there = {place.device for place in now}
    return [place for place in planned if place.device not in there and place.at in {"root", HOOK}]


def _not_back(result: Result) -> str:
    step = result.operation
    what = name(step.after) if step.after is not None else f"the end of {name(step.before)}"
    return f"{what} on {step.place.device} ({step.place.at}): {result.text}"


def _interrupted(signal_name: str) -> Diagnostic:
    return error("interrupted", None, f"{signal_name} came before the change was complete")
