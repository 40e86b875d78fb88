"""The steps around the qdiscs: devices to shape on, hooks, filters, marks.

A redirect to a device that is down, gone or made anew loses every packet, so it is the last
thing to come and the first to go:

    take away   redirect and other filters, the hook they hang on, the device
    then        devices, and bring them up
    (qdiscs)    `tcc.plan.diff`, `tcc.plan.restore`
    last        the hook, marks, filters

A filter, once there, is never altered, only taken away and added: what it leads to is bound
by number, and for the moment in between packets pass unshaped instead of being lost. So a
device that has to be made anew takes its qdiscs and the redirect to it along.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from tcc.plan.operation import Operation, Verb
from tcc.plan.state import (
    NOTHING,
    Comparison,
    FileItem,
    FilterItem,
    HookItem,
    Item,
    LinkItem,
    Nothing,
    Place,
    QdiscItem,
    State,
)

_GOING = (FilterItem, HookItem, LinkItem)
_COMING = (HookItem, FilterItem)


@dataclass
class Around:
    """Steps to be taken before and after those on qdiscs."""

    before: list[Operation] = field(default_factory=list)
    after: list[Operation] = field(default_factory=list)


def around(observed: State, wanted: State, comparison: Comparison) -> Around:
    """Return the steps on everything that is neither a qdisc nor a file.

    Places that `wanted` omits stay as they are; `NOTHING` takes away what is there.
    """
    anew = made_anew(observed, wanted, comparison)
    going: list[Operation] = []
    links: list[Operation] = []
    rules: list[Operation] = []
    coming: list[Operation] = []
    for place, item in wanted.items():
        if isinstance(item, QdiscItem | FileItem):
            continue
        now = observed.get(place, NOTHING)
        bound = isinstance(now, FilterItem) and now.redirects in anew
        for step in _steps(place, now, item, comparison, bound):
            kind = type(step.after if step.verb is not Verb.DELETE else step.before)
            if step.verb is Verb.DELETE and kind in _GOING:
                going.append(step)
            else:
                (coming if kind in _COMING else links if kind is LinkItem else rules).append(step)
    return Around(
        [*_by_kind(going, _GOING), *links],
        [*_by_kind(coming, (HookItem,)), *rules, *_by_kind(coming, (FilterItem,))],
    )


def made_anew(observed: State, wanted: State, comparison: Comparison) -> frozenset[str]:
    """Return the devices that are there and cannot become what is wanted: all on them goes."""
    return frozenset(
        place.device
        for place, item in wanted.items()
        if isinstance(item, LinkItem)
        and isinstance(now := observed.get(place), LinkItem)
        and comparison.differences(item, now)
        and not comparison.changeable(item, now)
    )


def _steps(
    place: Place, now: Item, item: Item, comparison: Comparison, bound: bool
) -> Iterator[Operation]:
    """Yield the steps at one place; `bound`: what is there leads to a device that is made anew."""
    if is_gone(now) and isinstance(item, Nothing):
        return
    if isinstance(now, Nothing):
        yield Operation(Verb.ADD, place, None, item)
        return
    if isinstance(item, Nothing):
        yield Operation(Verb.DELETE, place, now, None)
        return
    found = tuple(comparison.differences(item, now))
    if not found and not bound:
        return
    if not bound and comparison.changeable(item, now):
        yield Operation(Verb.CHANGE, place, now, item, found)
    else:
        yield Operation(Verb.DELETE, place, now, None)
        yield Operation(Verb.ADD, place, None, item)


def is_gone(item: Item | None) -> bool:
    """Whether nothing is there, as far as it is ours to say: others may use a hook."""
    if isinstance(item, HookItem):
        return bool(item.others) or item.shared
    return item is None or isinstance(item, Nothing)


def _by_kind(steps: Iterable[Operation], kinds: tuple[type, ...]) -> Iterator[Operation]:
    steps = list(steps)
    for kind in kinds:
        for step in steps:
            if isinstance(step.before if step.verb is Verb.DELETE else step.after, kind):
                yield step
