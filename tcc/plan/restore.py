"""The way back: from what is there now to exactly what was observed once.

A restore does not undo steps; it compares what is there with what was, so it is right
however far an apply got. It is exact where a plan is lenient: handles are those that were.
A qdisc that cannot get its old handle in place is taken away first.
"""

from collections.abc import Iterator, Mapping

from tcc.plan.around import around, is_gone, made_anew
from tcc.plan.diff import ROOT, Hanging, parents_first
from tcc.plan.operation import Operation, Plan, Verb
from tcc.plan.state import (
    LINK,
    NOTHING,
    Comparison,
    FileItem,
    FilterItem,
    Item,
    LinkItem,
    Nothing,
    Place,
    QdiscItem,
    State,
    qdiscs_by_device,
)


def restore(current: State, before: State, comparison: Comparison) -> Plan:
    """Return the steps from `current` back to `before`, last device first.

    Both hold every qdisc with a handle on the devices in question. Devices that `before`
    knows and `current` does not are gone, and left out, unless we know how to make them.
    """
    now = qdiscs_by_device(current)
    operations: list[Operation] = []
    rest = _rest(current, before)
    anew = made_anew(current, rest, comparison)
    wanted: dict[Place, Item] = dict(rest)
    for device, hanging in reversed(qdiscs_by_device(before).items()):
        if device not in now and not isinstance(rest.get(Place(device, LINK)), LinkItem):
            continue
        there = {} if device in anew else now.get(device, {})
        operations += _device_steps(device, there, hanging, comparison)
        wanted.update({Place(device, at): item for at, item in hanging.items()})
    others = around(current, rest, comparison)
    return Plan((*others.before, *operations, *others.after), current, wanted)


def _rest(current: State, before: State) -> dict[Place, Item]:
    """Return what was there besides qdiscs, where it can be again, last place first.

    A filter whose device had gone is not put back: it lost every packet, and the kernel
    makes none that leads nowhere.
    """
    return {
        place: NOTHING if isinstance(item, FilterItem) and item.dead else item
        for place, item in reversed(list(before.items()))
        if not isinstance(item, QdiscItem | FileItem) and place in current
    }


def unlike(current: State, before: State, comparison: Comparison) -> list[Place]:
    """Return the places of devices that are there where `current` is not exactly `before`."""
    now = qdiscs_by_device(current)
    found = []
    for device, hanging in qdiscs_by_device(before).items():
        if device not in now:
            continue
        places = dict.fromkeys([*hanging, *now[device]])
        found += [
            Place(device, at)
            for at in places
            if not _alike(now[device].get(at), hanging.get(at), comparison)
        ]
    found += [
        place
        for place, item in before.items()
        if not isinstance(item, QdiscItem | FileItem)
        and place in current
        and _moved(current[place], item, comparison)
    ]
    return found


def _moved(now: Item, then: Item, comparison: Comparison) -> bool:
    if isinstance(then, Nothing) or (isinstance(then, FilterItem) and then.dead):
        return not is_gone(now) and not (isinstance(now, FilterItem) and now.dead)
    return isinstance(now, Nothing) or bool(comparison.differences(then, now))


def _alike(now: QdiscItem | None, then: QdiscItem | None, comparison: Comparison) -> bool:
    if now is None or then is None or now.default or then.default:
        return _kernels(now) and _kernels(then) and _same_default(now, then)
    if now.handle != then.handle or now.kind != then.kind:
        return False
    return not comparison.differences(then, now)


def _kernels(item: QdiscItem | None) -> bool:
    return item is None or item.default


def _same_default(now: QdiscItem | None, then: QdiscItem | None) -> bool:
    """Whether the kernel's own is the one that it was.

    A device that is down has none until it comes up, so there absence is no difference.
    """
    if now is None or then is None or not now.kind or not then.kind:
        return True
    return now.kind == then.kind


def _device_steps(
    device: str, now: Hanging, then: Hanging, comparison: Comparison
) -> Iterator[Operation]:
    root, old = now.get(ROOT), then.get(ROOT)
    occupied = root is not None and not root.default
    if old is None or old.default:
        if occupied:
            yield Operation(Verb.DELETE, Place(device, ROOT), root, None)
        return
    gentle = list(_gentle_steps(device, now, then, comparison)) if occupied else None
    if gentle is not None and None not in gentle:
        yield from (step for step in gentle if step is not None)
        return
    if occupied and old.handle in {item.handle for item in now.values()}:
        yield Operation(Verb.DELETE, Place(device, ROOT), root, None)
        root, occupied = None, False
    verb = Verb.REPLACE if occupied else Verb.ADD
    yield Operation(verb, Place(device, ROOT), root, old)
    for at in parents_first(_below_root(then)):
        yield Operation(Verb.ADD, Place(device, at), None, then[at])


def _below_root(hanging: Mapping[str, QdiscItem]) -> dict[str, QdiscItem]:
    """Return what hangs in the tree under the root: not the root, nor ingress and clsact."""
    return {at: item for at, item in hanging.items() if ":" in at}


def _gentle_steps(
    device: str, now: Hanging, then: Hanging, comparison: Comparison
) -> Iterator[Operation | None]:
    """Yield the changes in place that lead back; None where no change in place does."""
    if set(_below_root(now)) - set(_below_root(then)):
        yield None
        return
    for at in [ROOT, *parents_first(_below_root(then))]:
        item, old = now.get(at), then[at]
        if item is None:
            taken = {other.handle for other in now.values()}
            yield None if old.handle in taken else Operation(Verb.ADD, Place(device, at), None, old)
        elif item.handle != old.handle or item.kind != old.kind:
            yield None
        elif found := tuple(comparison.differences(old, item)):
            step = Operation(Verb.CHANGE, Place(device, at), item, old, found)
            yield step if comparison.changeable(old, item) else None
