"""Lowered qdiscs as a State: which handle each gets, and where it hangs.

A root is 1:, what hangs in its classes 10:, 11: and so on, which are handles that the kernel
never gives by itself (those begin at 8001:).
"""

from collections.abc import Iterable, Iterator, Sequence

from tcc.lower.link import LoweredQdisc
from tcc.plan.state import Item, Place, QdiscItem, State
from tcc.plugin import Child

ROOT_HANDLE = 0x0001_0000
FIRST_INNER = 0x0010_0000


def egress_state(lowered: Iterable[LoweredQdisc]) -> State:
    """Return the root qdiscs of the devices whose egress was lowered, with what hangs inside.

    Wishes for ingress, and those that could not be lowered, are left out.
    """
    state: dict[Place, Item] = {}
    for one in lowered:
        if one.wish.direction == "egress" and one.settings is not None:
            state.update(tree(one.wish.device.name, one))
    return state


def tree(device: str, one: LoweredQdisc) -> Iterator[tuple[Place, Item]]:
    """Yield the root that `one` is on `device`, and what hangs inside."""
    path = one.wish.path
    yield Place(device, "root"), QdiscItem(one.kind, ROOT_HANDLE, one.settings, path=path)
    yield from _inner(device, one.children, path)


def _inner(
    device: str, children: Sequence[Child], path: tuple[str | int, ...]
) -> Iterator[tuple[Place, Item]]:
    for index, child in enumerate(children):
        handle = FIRST_INNER + index * 0x1_0000
        place = Place(device, f"{ROOT_HANDLE >> 16:x}:{child.minor:x}")
        yield place, QdiscItem(child.kind, handle, child.settings, path=path)
