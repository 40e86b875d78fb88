"""What exists, or should: the same shape for wanted and observed.

A state maps places to items. A place is a spot in the kernel where one thing can be, such as
the root of a device, or a file. Planning compares two states and knows nothing about what the
items mean.
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
    """`root` or a class such as `1:1`, one of the words below, or the path of a file."""


LINK = "link"
"""The device itself (`LinkItem`)."""
HOOK = "ingress"
"""Where ingress and clsact hang (`HookItem`)."""
REDIRECT = "redirect"
"""Our filter for what comes in (`FilterItem`)."""
PRIORITY = "priority"
"""Our filter for what leaves (`FilterItem`)."""
MARKS = "marks"
"""Our nftables table for the device (`RulesItem`)."""


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


class LinkItem(NamedTuple):
    """A virtual device: made for shaping, or there already.

    `number` and `address` are those of one that is there, so that it can be made again as it
    was, with just as many queues; wanted items leave them open, and take one with more queues.
    """

    kind: str
    up: bool = True
    tx_queues: int = 1
    number: int = 0
    address: bytes = b""
    path: Path = ()


class HookItem(NamedTuple):
    """The qdisc without queues that filters hang on: `ingress` or `clsact`.

    `others` counts the filters on it that are not ours, `shared` says that it uses a block of
    filters which other devices may share (observed items only).
    """

    kind: str
    others: int = 0
    shared: bool = False
    path: Path = ()


class FilterItem(NamedTuple):
    """A filter of ours, for every packet: it stands at one priority, under one handle.

    `restores` are the masks with which ctinfo brings a DSCP back from the connection's mark
    (value, valid), `redirects` is the device that packets go to and `clears_priority` sets
    the packet's priority to 0. `dead`: the device that it leads to is gone, and so is every
    packet. `foreign` says what is there when it is no filter of this form.
    """

    kind: str
    restores: tuple[int, int] | None = None
    redirects: str = ""
    clears_priority: bool = False
    dead: bool = False
    foreign: str = ""
    path: Path = ()


class RulesItem(NamedTuple):
    """An nftables table of the family `inet`, as text that nft(8) takes."""

    table: str
    text: str
    path: Path = ()


@dataclass(frozen=True, slots=True)
class Nothing:
    """Nothing: what is at a place where none of the above is, or shall not be."""


NOTHING = Nothing()

Item = QdiscItem | FileItem | LinkItem | HookItem | FilterItem | RulesItem | Nothing
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


def is_tree(place: Place) -> bool:
    """Whether `place` is in a device's tree of qdiscs: its root, or a class below."""
    return bool(place.device) and (place.at == "root" or ":" in place.at)


def path_of(item: Item | None) -> Path:
    """Return the IR path of the clause that asked for `item`, if that is known."""
    return () if item is None or isinstance(item, FileItem | Nothing) else item.path


def handle_text(handle: int) -> str:
    """Return tc's spelling of a handle or class: `1:`, `1:1`; `0:` for the kernel's own."""
    minor = handle & 0xFFFF
    return f"{handle >> 16:x}:{minor:x}" if minor else f"{handle >> 16:x}:"
