"""From what is there and what is wanted to the steps between them.

Three rules of the kernel shape a plan (net/sched/sch_api.c, tc_modify_qdisc()):

- one kind under one handle is altered in place: settings change, no packet is lost;
- another kind under the same handle is refused, so a new kind takes a handle that is free;
- a new root takes everything with it that hung on the old one.

So what is there keeps its handle when its kind stays, and only a new qdisc takes the handle
that was wanted, or the next one that is free on its device. Everything that is no qdisc comes
before or after them, in the order that `tcc.plan.around` gives.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from tcc.plan.around import around, made_anew
from tcc.plan.operation import Operation, Plan, Verb
from tcc.plan.state import (
    Comparison,
    Difference,
    FileItem,
    Item,
    Place,
    QdiscItem,
    State,
    handle_text,
    qdiscs_by_device,
)

ROOT = "root"
Hanging = Mapping[str, QdiscItem]
"""The qdiscs of one device by the parent that they hang on."""


def diff(observed: State, wanted: State, comparison: Comparison) -> Plan:
    """Return the steps from `observed` to `wanted`; places that `wanted` omits stay as they are.

    A wanted root that is marked `default` stands for the kernel's own. `observed` holds every
    qdisc with a handle on the devices that `wanted` names.
    """
    anew = made_anew(observed, wanted, comparison)
    there = {device: hanging for device, hanging in qdiscs_by_device(observed).items()
             if device not in anew}  # fmt: skip
    operations: list[Operation] = []
    final: dict[Place, Item] = {}
    for device, hanging in qdiscs_by_device(wanted).items():
        if _in_place(there.get(device), hanging, comparison):
            final.update({Place(device, at): item for at, item in hanging.items()})
            continue
        planned = _Device(device, there.get(device, {}), comparison)
        operations += planned.steps(hanging)
        final.update(planned.final)
    rest = {place: item for place, item in wanted.items() if not isinstance(item, QdiscItem)}
    if rest:
        beside = around(observed, rest, comparison)
        operations = [*beside.before, *operations, *beside.after]
    for place, item in rest.items():
        if isinstance(item, FileItem):
            operations += _file_steps(place, observed.get(place), item)
        final[place] = item
    return Plan(tuple(operations), observed, final)


def _in_place(there: Hanging | None, wanted: Hanging, comparison: Comparison) -> bool:
    """Whether a device has exactly what is wanted, handles included: the common case, soon told."""
    if there is None or there.keys() != wanted.keys():
        return False
    for at, item in wanted.items():
        found = there[at]
        if found.default or (found.kind, found.handle) != (item.kind, item.handle):
            return False
        if comparison.differences(item, found):
            return False
    return True


def _file_steps(place: Place, before: Item | None, after: FileItem) -> Iterator[Operation]:
    if before is None:
        yield Operation(Verb.ADD, place, None, after)
    elif before != after:
        yield Operation(Verb.REPLACE, place, before, after)


@dataclass
class _Device:
    """The planning of one device: `final` gathers what will be there."""

    name: str
    there: Hanging
    comparison: Comparison
    final: dict[Place, Item] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._taken = {item.handle for item in self.there.values() if item.handle}
        self._renamed: dict[str, str] = {}  # handles as wanted -> as they will be
        self._new: set[str] = set()  # handles of new qdiscs: nothing hangs on them yet

    def steps(self, wanted: Hanging) -> Iterator[Operation]:
        """Yield what turns the device into what is `wanted`."""
        for at in parents_first(wanted):
            item = wanted[at]
            place = Place(self.name, self._where(at))
            before = None if self._is_new(place.at) else self.there.get(place.at)
            if item.default:
                self.final[place] = item
                if before is not None and not before.default:
                    yield Operation(Verb.DELETE, place, before, None)
                continue
            yield from self._one(at, place, before, item, wanted)

    def _one(
        self, at: str, place: Place, before: QdiscItem | None, item: QdiscItem, wanted: Hanging
    ) -> Iterator[Operation]:
        found = None if before is None else self._alterations(before, item, wanted)
        if before is not None and found is not None:
            after = self._under(item, before.handle)
            self.final[place] = after
            if found:
                yield Operation(Verb.CHANGE, place, before, after, found)
            return
        after = self._under(item, self._free(item.handle))
        self._new.add(handle_text(after.handle))
        self.final[place] = after
        occupied = before is not None and not before.default
        yield Operation(Verb.REPLACE if occupied else Verb.ADD, place, before, after)

    def _alterations(
        self, before: QdiscItem, item: QdiscItem, wanted: Hanging
    ) -> tuple[Difference, ...] | None:
        """Return which settings must alter; None when it takes a new instance.

        It does when something hangs on the old one that is not wanted: tbf, for one, has no
        way back from another inner qdisc to its own (tbf_graft() leaves none at all).
        """
        if before.default or before.kind != item.kind:
            return None
        inside = _classes(self.there, before.handle) if len(self.there) > 1 else set()
        if inside and not inside <= _classes(wanted, item.handle):
            return None
        found = tuple(self.comparison.differences(item, before))
        return found if not found or self.comparison.changeable(item, before) else None

    def _where(self, at: str) -> str:
        """Return the parent `at`, as wanted, under the handle that it will have."""
        major, colon, minor = at.partition(":")
        return self._renamed.get(major + colon, major + colon) + minor if colon else at

    def _is_new(self, at: str) -> bool:
        major, colon, _ = at.partition(":")
        return bool(colon) and major + colon in self._new

    def _under(self, wanted: QdiscItem, handle: int) -> QdiscItem:
        """Return what is wanted under the handle that it will have."""
        self._taken.add(handle)
        if handle == wanted.handle:
            return wanted
        self._renamed[handle_text(wanted.handle)] = handle_text(handle)
        return wanted._replace(handle=handle)

    def _free(self, wanted: int) -> int:
        """Return the wanted handle, or the next one that no qdisc of the device has."""
        handle = wanted
        while handle in self._taken or not handle:
            handle = (handle + 0x10000) % 0x80000000  # from 8000: on the kernel hands them out
        return handle


def _classes(hanging: Hanging, handle: int) -> set[str]:
    """Return the minors of the classes of qdisc `handle` that something hangs on."""
    major = handle_text(handle)
    return {at[len(major) :] for at in hanging if at.startswith(major)}


def parents_first(hanging: Hanging) -> list[str]:
    """Return the parents in an order in which every qdisc comes before what hangs on it."""
    if len(hanging) == 1:
        return list(hanging)
    majors = {handle_text(item.handle): at for at, item in hanging.items()}

    def depth(at: str) -> int:
        steps = 0
        while ":" in at and steps < len(hanging):
            at = majors.get(at.partition(":")[0] + ":", ROOT)
            steps += 1
        return steps

    return sorted(hanging, key=depth)
