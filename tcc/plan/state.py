"""What exists, or should: the same shape for wanted and observed.

A state maps places to items. A place is a spot in the kernel where one qdisc can hang, or
a file. Planning compares two states and knows nothing about what the items mean.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from tcc.ir.base import Path


class Place(NamedTuple):
    """Where an item lives: a device and the parent it hangs on, or a file's path."""

    device: str
    """The device's name; empty for files."""
    at: str
    """`root`, `ingress` or a class such as `1:1`; for files the path."""


@dataclass(frozen=True, slots=True)
class QdiscItem:
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


@dataclass(frozen=True, slots=True)
class FileItem:
    """A file's whole text."""

    text: str
    mode: int = 0o644


Item = QdiscItem | FileItem
State = Mapping[Place, Item]
