"""What could not be put back exactly, and is therefore not touched.

A qdisc can be put back when what the kernel tells of it is what makes it again. That holds
for kinds without classes of their own, but neither for those whose dump leaves things out
(netem's distribution table, RED's probability table) nor for trees of classes and filters.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tcc import plugin
from tcc.diagnostics import Diagnostic, error, note
from tcc.netlink import filters, qdisc
from tcc.netlink.handle import Handle
from tcc.netlink.transport import RouteSocket
from tcc.plan.operation import Plan, Verb
from tcc.plan.state import LINK, Place, QdiscItem, handle_text, is_tree, qdiscs_by_device

# Their dump is what makes them again (tests/apply/guest_cake.py tries each).
# Not codel, whose dump, sent again, is rounded down once more; not fq_pie, which refuses its own.
RESENT: Final = frozenset({"fq", "mq", "noqueue", "pfifo_fast", "pfifo_head_drop", "pie"})
_DEFAULT_QDISC = Path("/proc/sys/net/core/default_qdisc")


@dataclass(frozen=True, slots=True)
class Tree:
    """The qdiscs on one device, as observed, and the kinds of the kernel's own below them."""

    device: str
    number: int
    hanging: Mapping[str, QdiscItem]
    queue_kinds: frozenset[str]


def obstacles(
    plan: Plan, numbers: Mapping[str, int], kinds: Mapping[str, set[str]], route: RouteSocket
) -> Iterator[Diagnostic]:
    """Yield `cannot-restore` for everything that the plan would lose for good."""
    there = qdiscs_by_device(plan.observed)
    default = default_qdisc()
    estimators = _estimators(plan, route)
    for device, steps in plan.by_device().items():
        if device not in numbers or device not in there:
            continue
        tree = Tree(device, numbers[device], there[device], frozenset(kinds.get(device, ())))
        lost = {
            step.place.at
            for step in steps
            if step.verb in {Verb.REPLACE, Verb.DELETE, Verb.ADD} and is_tree(step.place)
        }
        if any(step.place.at == LINK and step.verb is Verb.DELETE for step in steps):
            lost.add("root")  # it goes with its device
        touched = {step.place.at for step in steps} | lost
        yield from _sized(tree, touched)
        if lost:
            yield from _estimated(tree, lost, estimators)
        if "root" in lost:
            yield from _default_changed(tree, default)
            yield from _tree(tree, route)
        elif lost:
            yield from _tree(Tree(device, tree.number, _only(tree, lost), frozenset()), route)


def default_qdisc() -> str | None:
    """Return the kind that the kernel gives to a device by itself; None when it does not say."""
    try:
        return _DEFAULT_QDISC.read_text("ascii").strip()
    except OSError:  # only the first namespace has it
        return None


def _only(tree: Tree, places: set[str]) -> dict[str, QdiscItem]:
    return {at: item for at, item in tree.hanging.items() if at in places}


def _refuse(place: Place, item: QdiscItem, why: str, cure: str) -> Diagnostic:
    name = f"{item.kind} {handle_text(item.handle)}"
    return error(
        "cannot-restore", None, f"{name} on {place.device} could not be put back: {why}", cure
    )


def _delete_first(device: str) -> str:
    return f"if it is not needed: tc qdisc delete dev {device} root"


def _sized(tree: Tree, touched: set[str]) -> Iterator[Diagnostic]:
    for at, item in tree.hanging.items():
        if item.sized and (at in touched or "root" in touched):
            why = "a size table (tc-stab) hangs on it, which the kernel never tells whole"
            yield _refuse(Place(tree.device, at), item, why, _delete_first(tree.device))


def _default_changed(tree: Tree, default: str | None) -> Iterator[Diagnostic]:
    """Yield where the kernel would now attach another default than the one that is there.

    It takes net.core.default_qdisc as it is when the default is attached
    (net/sched/sch_generic.c, attach_default_qdiscs()); `noqueue` depends on the device alone.
    """
    root = tree.hanging.get("root")
    if root is None or not root.default or default is None:
        return
    kinds = tree.queue_kinds if root.kind == "mq" else {root.kind}
    others = kinds - {default, "noqueue", ""}
    if others:
        kind = min(others)
        yield error(
            "cannot-restore",
            None,
            f"{kind} on {tree.device} could not be put back: "
            f"net.core.default_qdisc is now {default}, so the kernel would attach that",
            f"to keep {kind}: sysctl net.core.default_qdisc={kind}",
            f"to take {default}: tc qdisc replace dev {tree.device} root pfifo && "
            f"tc qdisc delete dev {tree.device} root",
        )


def _estimators(plan: Plan, route: RouteSocket) -> dict[tuple[int, str], str]:
    """Return the qdiscs with a rate estimator, where something goes at all: one dump for all."""
    going = {Verb.REPLACE, Verb.DELETE}
    if not any(step.verb in going and is_tree(step.place) for step in plan.operations):
        return {}
    return {
        (found.ifindex, str(found.parent)): f"{found.kind} {handle_text(found.handle)}"
        for found in qdisc.dump(route)
        if found.estimated and found.handle
    }


def _estimated(
    tree: Tree, lost: set[str], estimators: Mapping[tuple[int, str], str]
) -> Iterator[Diagnostic]:
    """Yield a note where a rate estimator of tc(8) goes: the kernel never tells how it was set.

    It counts and decides nothing, so that is no reason to refuse (gen_new_estimator() in
    net/core/gen_estimator.c; it dumps its rates and not its interval).
    """
    for at in tree.hanging if "root" in lost else lost:
        if (name := estimators.get((tree.number, at))) is not None:
            yield note(
                "estimator-lost",
                None,
                f"the rate estimator of {name} on {tree.device} goes, and a rollback does not "
                "bring it back",
                "afterwards, if it is needed: tc qdisc change ... estimator 1s 8s",
            )


def _tree(tree: Tree, route: RouteSocket) -> Iterator[Diagnostic]:
    for at, item in tree.hanging.items():
        if item.default:
            continue
        place = Place(tree.device, at)
        if not is_resendable(item.kind):
            why = _contents(tree, route) or "what the kernel tells of this kind is not all of it"
            yield _refuse(place, item, why, _delete_first(tree.device))
        elif _has_filters(route, tree.number, item.handle):
            yield _refuse(place, item, "filters hang on it", _delete_first(tree.device))


def is_resendable(kind: str) -> bool:
    """Whether what the kernel dumps of a qdisc of this kind makes the same one again."""
    if kind in RESENT:
        return True
    try:
        plugin.qdisc(kind)
    except (KeyError, plugin.PluginError):
        return False
    return True


def _contents(tree: Tree, route: RouteSocket) -> str:
    classes = sum(1 for _ in qdisc.dump_classes(route, tree.number))
    parts = [f"{classes} class{'es' * (classes != 1)}"] if classes else []
    if any(_has_filters(route, tree.number, item.handle) for item in tree.hanging.values()):
        parts.append("filters")
    return f"it holds {' and '.join(parts)}" if parts else ""


def _has_filters(route: RouteSocket, number: int, handle: int) -> bool:
    return (
        bool(handle) and next(iter(filters.dump(route, number, Handle(handle))), None) is not None
    )
