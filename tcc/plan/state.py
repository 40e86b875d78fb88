"""What exists, or should: the same shape for wanted and observed.

A state maps places to items. A place is a spot in the kernel where one qdisc can hang, or
a file. Planning compares two states and knows nothing about what the items mean.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

from tcc.ir.base import Path


class Place(NamedTuple):
    """Where an item lives: a device and the parent it hangs on, or a file's path."""

    device: str
    """The device's name; empty for files."""
    at: str
    """`root`, `ingress` or a class such as `1:1`; for files the path."""


class QdiscItem(NamedTuple):
    """A qdisc as it is or should be.

    `settings` is the kind plugin's complete settings; None when no plugin knows the kind.
    `raw` is the kernel's TCA_OPTIONS as dumped (observed items only), which is what a
    restore sends for kinds that no plugin knows. `default` marks one that the kernel
    attached by itself (handle 0:), which is restored by deleting what replaced it.
    """

    kind: str
    handle: int
    settings: object | None = None
    raw: bytes = b""
    default: bool = False
    path: Path = ()
    """The IR path of the clause that asked for it (wanted items only)."""
    sized: bool = False
    """Whether a size table of tc-stab(8) hangs on it, which the kernel never tells whole."""


@dataclass(frozen=True, slots=True)
class FileItem:
    """A file's whole text."""

    text: str
    mode: int = 0o644


Item = QdiscItem | FileItem
State = Mapping[Place, Item]

KERNELS_OWN = QdiscItem("", 0, default=True)
"""Wanted where nothing of ours shall be: whatever the kernel attaches by itself."""


@dataclass(frozen=True, slots=True)
class Difference:
    """One setting that is not what was wanted, in words for people."""

    name: str
    wanted: str
    observed: str


class Comparison(Protocol):
    """What planning asks about the meaning of items; a back end answers."""

    def differences(self, wanted: Item, observed: Item) -> Sequence[Difference]:
        """Return how two items for one place differ; empty when nothing need be done."""
        ...

    def changeable(self, wanted: Item, observed: Item) -> bool:
        """Whether `observed` can become `wanted`, of the same kind, without a new instance."""
        ...


def qdiscs_by_device(state: State) -> dict[str, dict[str, QdiscItem]]:
    """Return the qdiscs of `state` by device, then by the parent they hang on."""
    found: dict[str, dict[str, QdiscItem]] = {}
    for place, item in state.items():
        if isinstance(item, QdiscItem):
            found.setdefault(place.device, {})[place.at] = item
    return found


def handle_text(handle: int) -> str:
    """Return tc's spelling of a handle or class: `1:`, `1:1`; `0:` for the kernel's own."""
    minor = handle & 0xFFFF
    return f"{handle >> 16:x}:{minor:x}" if minor else f"{handle >> 16:x}:"
