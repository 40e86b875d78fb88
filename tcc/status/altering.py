"""`tcc set`: one clause of a link that runs, altered by one request for each of its qdiscs."""

import errno
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal

from tcc.apply.findings import unfinished_change
from tcc.apply.journal import Journal
from tcc.apply.system import System
from tcc.apply.transaction import Outcome, Report, guarded
from tcc.diagnostics import Diagnostic, error
from tcc.lower.live import Alteration, CannotSetError, alter
from tcc.plan.operation import Operation, Verb
from tcc.plan.render import name, readable
from tcc.plan.state import Difference, Place, QdiscItem, State, is_tree
from tcc.status import settings
from tcc.status.drift import Applied, applied
from tcc.status.model import LiveSetting
from tcc.status.settings import Setting

FrameOf = Callable[[str], int]
"""The longest packet that a device sends, in bytes."""


@dataclass(frozen=True, slots=True)
class Goal:
    """What shall be altered, and to what, in the words that it was asked for."""

    link: str
    direction: Literal["egress", "ingress"]
    alteration: Alteration
    value: str


@dataclass(frozen=True, slots=True)
class Altered:
    """How it ended, and what was altered on each device."""

    report: Report
    changes: Mapping[str, Sequence[Difference]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class _Step:
    place: Place
    before: QdiscItem
    after: QdiscItem
    wanted: QdiscItem
    """What was applied, with the clause altered: what is no drift from now on."""


def set_live(
    system: System, journal: Journal, command: str, goal: Goal, frame_of: FrameOf
) -> Altered:
    """Alter one clause of what was applied, in place.

    Found: `unknown-shaper`, `cannot-set`, `no-longer-ours`, `unfinished-change`,
    `kernel-refused`, `read-back-differs`, `state-busy`, `state-unusable`.
    """
    changes: dict[str, Sequence[Difference]] = {}
    report = guarded(journal, command, lambda: _locked(system, journal, goal, frame_of, changes))
    return Altered(report, changes if report.outcome is Outcome.DONE else {})


def _locked(
    system: System,
    journal: Journal,
    goal: Goal,
    frame_of: FrameOf,
    changes: dict[str, Sequence[Difference]],
) -> Report:
    unfinished = journal.unfinished()
    if unfinished is not None:
        return Report(Outcome.REFUSED, (unfinished_change(unfinished),))
    found = applied(journal)
    places = list(_places(found, goal))
    if not places:
        return Report(Outcome.REFUSED, (_unknown(found, goal),))
    there = system.observe({place: found.state[place] for place in places})
    try:
        steps = [_step(place, found, there, goal, frame_of) for place in places]
    except CannotSetError as problem:
        what = f"{goal.link}.{goal.direction}.{goal.alteration.clause}"
        refused = error(
            "cannot-set", None, f"{what} cannot be set to {goal.value}: {problem}",
            "alter the policy, and apply it: that changes as much as it takes",
        )  # fmt: skip
        return Report(Outcome.REFUSED, (refused,))
    except _ReplacedError as problem:
        return Report(Outcome.REFUSED, (problem.found,))
    return _performed(system, journal, goal, found, there, steps, changes)


def _places(found: Applied, goal: Goal) -> Iterator[Place]:
    """Yield the roots of a link in one direction."""
    ours = found.ours
    for place, one in found.owned.items():
        if place.at != "root" or one.link != goal.link or place not in found.state:
            continue
        if ("ingress" if place.device in ours.ifbs else "egress") == goal.direction:
            yield place


def _unknown(found: Applied, goal: Goal) -> Diagnostic:
    ours = found.ours
    known = sorted(
        f"{one.link}.{'ingress' if place.device in ours.ifbs else 'egress'}"
        for place, one in found.owned.items()
        if place.at == "root"
    )
    return error(
        "unknown-shaper",
        None,
        f"nothing that was applied here shapes {goal.link}.{goal.direction}",
        f"there is {', '.join(known)}" if known else "nothing was applied here",
    )


class _ReplacedError(Exception):
    """What was applied is no longer there."""

    def __init__(self, found: Diagnostic) -> None:
        super().__init__(found.message)
        self.found = found


def _step(place: Place, found: Applied, there: State, goal: Goal, frame_of: FrameOf) -> _Step:
    item, now = found.state[place], there.get(place)
    assert isinstance(item, QdiscItem)
    if not isinstance(now, QdiscItem) or (now.kind, now.handle) != (item.kind, item.handle):
        raise _ReplacedError(
            error(
                "no-longer-ours",
                None,
                f"{place.device} has {name(now)}, not {name(item)} as it was applied",
                "apply the policy again first",
            )
        )
    frame = frame_of(place.device)
    after = alter(item.kind, item.settings, goal.alteration, frame)  # it knows the bounds
    live = alter(now.kind, now.settings, goal.alteration, frame)
    return _Step(
        place,
        now,
        now._replace(settings=live, raw=b""),
        item._replace(settings=after, raw=b""),
    )


def _performed(
    system: System,
    journal: Journal,
    goal: Goal,
    found: Applied,
    there: State,
    steps: Sequence[_Step],
    changes: dict[str, Sequence[Difference]],
) -> Report:
    """Send the requests, read back, and keep what was set."""
    todo = [one for one in steps if system.differences(one.after, one.before)]
    done: list[_Step] = []
    for one in todo:
        trouble = _sent(system, one.place, one.before, one.after)
        if trouble is not None:
            return _undone(system, done, trouble)
        done.append(one)
    after = system.observe({one.place: one.after for one in steps})
    for one in steps:
        now = after.get(one.place)
        wrong = system.differences(one.after, now) if isinstance(now, QdiscItem) else ()
        if not isinstance(now, QdiscItem) or wrong:
            text = ", ".join(f"{each.name} is {each.observed}" for each in wrong) or "it is gone"
            back = error(
                "read-back-differs", None, f"{one.place.device} reads back otherwise: {text}"
            )
            return _undone(system, done, back)
    if todo:
        made = [*_made(goal, steps), *_followed(goal, found, there, after, system)]
        settings.write(journal, made)
    for one in todo:
        changes[one.place.device] = system.differences(one.after, one.before)
    return Report(Outcome.DONE if todo else Outcome.UNCHANGED)


def _sent(system: System, place: Place, before: QdiscItem, after: QdiscItem) -> Diagnostic | None:
    """Send one change; return what the kernel said against it."""
    step = Operation(Verb.CHANGE, place, before, after)
    for results in system.perform([step]):
        for result in results:
            if not result.done:
                hint = (
                    "it takes CAP_NET_ADMIN in the namespace" if result.errno == errno.EPERM else ""
                )
                return error(
                    "kernel-refused",
                    None,
                    f"the kernel refused to change {name(after)} on {place.device}: {result.text}",
                    *filter(None, (hint,)),
                )
    return None


def _undone(system: System, done: Sequence[_Step], trouble: Diagnostic) -> Report:
    """Take back what was set so far."""
    left = [
        back
        for one in done
        if (back := _sent(system, one.place, one.after, one.before)) is not None
    ]
    outcome = Outcome.STUCK if left else Outcome.RESTORED
    return Report(outcome, (trouble, *left))


def _told(goal: Goal) -> LiveSetting:
    when = datetime.now().astimezone().isoformat(timespec="seconds")
    return LiveSetting(goal.link, goal.direction, goal.alteration.clause, goal.value, when)


def _made(goal: Goal, steps: Sequence[_Step]) -> Iterator[Setting]:
    for one in steps:
        yield Setting(_told(goal), one.place, one.wanted)


def _followed(
    goal: Goal, found: Applied, before: State, after: State, system: System
) -> Iterator[Setting]:
    """Yield what the kernel altered along: tbf's own limit is that of a FIFO inside it."""
    for place, item in found.state.items():
        was, now = before.get(place), after.get(place)
        if place.at == "root" or not is_tree(place) or not isinstance(item, QdiscItem):
            continue
        if isinstance(was, QdiscItem) and isinstance(now, QdiscItem) and was.kind == item.kind:
            as_applied = not system.differences(item, was)
            if as_applied and system.differences(now, was):
                yield Setting(_told(goal), place, now)


def change_text(device: str, changes: Sequence[Difference]) -> str:
    """Return what was altered on a device, in words."""
    parts = (f"{one.name} {readable(one.observed)} -> {readable(one.wanted)}" for one in changes)
    return f"{device}: {', '.join(parts)}"
