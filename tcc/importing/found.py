"""What was found on a system or in its files: links, each direction's qdisc, and remarks."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import NamedTuple

from tcc.tcwords.cake import CakeSaid, Replay


class Kind(StrEnum):
    """What a remark is about."""

    LOST = "lost"
    """Something that the policy does not say."""
    SUSPICIOUS = "suspicious"
    """Something that hardly does what was meant."""
    DOUBLE = "double"
    """Something that is said, or counted, twice."""


class Remark(NamedTuple):
    """One remark."""

    kind: Kind
    what: str
    """A few words joined by hyphens, the same for all remarks of one sort."""
    text: str
    line: int | None = None
    """In the text that was read; the first is 1."""


@dataclass(frozen=True, slots=True)
class Bucket:
    """A tbf: bit/s, bytes, us."""

    rate: int
    burst: int
    limit: int | None = None
    latency: int | None = None
    peak: int = 0
    mtu: int = 0
    overhead: int = 0
    """On top of the link-layer header."""
    mpu: int = 0
    atm: bool = False
    inner: tuple[str, tuple[str, ...]] | None = None
    """The kind inside, and its words for tc."""


@dataclass(slots=True)
class End:
    """One direction: a CAKE, or a bucket."""

    kind: str
    cake: CakeSaid = field(default_factory=CakeSaid)
    bucket: Bucket | None = None
    bounds: tuple[int, int] | None = None
    """bit/s between which a daemon moves the rate."""


@dataclass(slots=True)
class FoundLink:
    """A device, and what shapes it."""

    device: str
    ends: dict[str, End] = field(default_factory=dict)
    name: str = ""
    remarks: list[Remark] = field(default_factory=list)

    def say(self, kind: Kind, what: str, text: str, line: int | None = None) -> None:
        """Add a remark."""
        self.remarks.append(Remark(kind, what, text, line))


@dataclass(slots=True)
class Imported:
    """All that was found."""

    links: list[FoundLink] = field(default_factory=list)
    remarks: list[Remark] = field(default_factory=list)
    """Those that belong to no link."""

    def say(self, kind: Kind, what: str, text: str, line: int | None = None) -> None:
        """Add a remark that belongs to no link."""
        self.remarks.append(Remark(kind, what, text, line))

    def link(self, device: str) -> FoundLink:
        """Return the link of a device; a new one if there is none."""
        for link in self.links:
            if link.device == device:
                return link
        self.links.append(FoundLink(device))
        return self.links[-1]


def remarks_of(replayed: Replay, where: str, line: int | None = None) -> Sequence[Remark]:
    """Return what is odd about a CAKE's words; `where` says which ones they are."""
    found = [
        Remark(
            Kind.DOUBLE if note.code in ("said-twice", "overhead-added") else Kind.SUSPICIOUS,
            note.code, f"{where}: {note.text}", line,
        )
        for note in replayed.notes
    ]  # fmt: skip
    if replayed.unknown:
        words = " ".join(f"`{word}`" for word in replayed.unknown)
        found.append(Remark(Kind.LOST, "words-unknown", f"{where}: cake has no word {words}", line))
    return found
