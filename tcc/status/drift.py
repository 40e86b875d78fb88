"""Whether what runs is what was applied, and what `tcc set` has altered since."""

from dataclasses import dataclass

from tcc.apply.journal import Journal
from tcc.apply.records import Ownership, Record
from tcc.apply.stored import DamagedError
from tcc.apply.system import System
from tcc.lower.ifb import ifb_name
from tcc.plan.around import is_gone
from tcc.plan.render import name
from tcc.plan.state import (
    FilterItem,
    Item,
    LinkItem,
    Nothing,
    Place,
    QdiscItem,
    State,
    is_tree,
)
from tcc.status import settings
from tcc.status.document import Ours
from tcc.status.model import Change, Drift, LiveSetting


@dataclass(frozen=True, slots=True)
class Applied:
    """What was applied and is ours: items by place, and what has been set since."""

    state: State
    owned: Ownership
    record: Record | None
    settings: tuple[LiveSetting, ...] = ()

    @property
    def ours(self) -> Ours:
        """Names: the link of each device on which a qdisc of ours is, and our ifbs."""
        links = {place.device: one.link for place, one in self.owned.items() if place.at == "root"}
        devices = {place.device for place in self.owned}
        ifbs = {ifb_name(device): device for device in devices if ifb_name(device) in devices}
        return Ours(links, ifbs)


LOST = "to a device that is gone, so that everything that comes in is lost"


def applied(journal: Journal) -> Applied:
    """Return what should be there, with what `tcc set` made of it.

    Raises:
        OSError: the state directory cannot be read.
        DamagedError: a file in it is not what was written.
    """
    owned = journal.owned()
    record = journal.last()
    state: dict[Place, Item] = {}
    for step in reversed(journal.steps()):
        for place, item in (step.record.after if step.record else {}).items():
            if place in owned or _hangs_on(place, owned):
                state.setdefault(place, item)
    made = settings.read(journal)
    return Applied({**state, **made.over(state)}, owned, record, made.listed)


def _hangs_on(place: Place, owned: Ownership) -> bool:
    """Whether a place is below a root of ours."""
    return is_tree(place) and Place(place.device, "root") in owned


def drift(journal: Journal, system: System) -> tuple[Drift, Ours]:
    """Compare what was applied with what is there; and say whose the devices are."""
    try:
        found = applied(journal)
    except (OSError, DamagedError, KeyError, ValueError) as problem:
        return Drift("unknown", str(problem), "", (), ()), Ours()
    return of(found, system), found.ours


def of(found: Applied, system: System) -> Drift:
    """Return the drift from what was applied."""
    when = found.record.when if found.record else ""
    if not found.state:
        return Drift("nothing-applied", "", when, (), ())
    try:
        there = system.observe(found.state)
    except (OSError, ValueError) as problem:
        return Drift("unknown", str(problem), when, (), found.settings)
    changes = tuple(
        change
        for place, item in found.state.items()
        for change in _changes(place, item, there, system)
    )
    return Drift("drifted" if changes else "none", "", when, changes, found.settings)


def _changes(place: Place, item: Item, there: State, system: System) -> list[Change]:
    now = there.get(place)
    if now is None or _is_missing(item, now):
        gone = "the device is gone" if now is None else "nothing"
        return [Change(place.device, place.at, "", name(item), gone)]
    if isinstance(now, FilterItem) and now.dead:
        return [Change(place.device, place.at, "redirect", f"to {_target(item)}", LOST)]
    if not isinstance(now, type(item)) or _kind(now) != _kind(item):
        return [Change(place.device, place.at, "", name(item), name(now))]
    return [
        Change(place.device, place.at, one.name, one.wanted, one.observed)
        for one in system.differences(item, now)
    ]


def _is_missing(item: Item, now: Item) -> bool:
    if isinstance(item, QdiscItem):
        return isinstance(now, Nothing) or (isinstance(now, QdiscItem) and now.default)
    return isinstance(now, Nothing) or (is_gone(now) and not is_gone(item))


def _target(item: Item) -> str:
    return item.redirects if isinstance(item, FilterItem) else ""


def _kind(item: Item) -> object:
    match item:
        case QdiscItem():
            return item.kind, item.handle
        case LinkItem():
            return item.kind
    return None
