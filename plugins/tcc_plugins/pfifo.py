"""`pfifo`: one queue, first in first out, of a given length in packets.

Sources: net/sched/sch_fifo.c; tc-pfifo(8).
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, cast

from tcc.diagnostics import Diagnostic, error
from tcc.ir import Options
from tcc.ir.base import Between
from tcc.lower.draft import Draft
from tcc.lower.inner import explain_idle, refusals
from tcc.netlink.kinds import decode_options, encode_options
from tcc.plugin import Child, Difference, Lowering, Wish, Word

if TYPE_CHECKING:
    from tcc.engine.fifo import Fifo
    from tcc.engine.scene import Scene

TXQUEUELEN = 1000
"""Packets; what a device has when nobody sets it, and so the kernel's default here."""


class PfifoOptions(Options):
    """The options of pfifo."""

    limit: Annotated[int, Between(0, 2**32 - 1)] | None = None
    """Packets."""


@dataclass(frozen=True, slots=True)
class PfifoSettings:
    """How long the queue may be, in packets."""

    limit: int


class Pfifo:
    """The packet FIFO; a super-packet counts as one."""

    kind = "pfifo"
    options_model = PfifoOptions
    words: Mapping[str, Word] = {"limit": Word("limit")}
    inner_only = True
    changes_in_place = True

    def lower(self, wish: Wish, options: Options | None) -> Lowering:
        """Turn a wish into PfifoSettings; without a limit the kernel's default, spelled out."""
        draft = Draft(wish)
        said = options if isinstance(options, PfifoOptions) else PfifoOptions()
        limit = TXQUEUELEN if said.limit is None else said.limit
        draft.fits("limit", limit, range(2**32), "", wish.at_option("limit"))
        draft.explain("pfifo", f"limit {limit} packets", span=wish.at_option("limit"))
        explain_idle(draft, self.kind)
        return draft.lowering(PfifoSettings(limit), refusals(wish, self.kind))

    def check(self, settings: PfifoSettings, wish: Wish) -> Iterator[Diagnostic]:
        """Yield `fifo-limit-below-frame`: nothing would ever be let in."""
        if settings.limit < 1:
            yield error(
                "fifo-limit-below-frame",
                wish.at_option("limit"),
                "a queue of 0 packets cannot hold one",
                f"{wish.device.name} would drop every packet",
            )

    def netlink(self, settings: PfifoSettings) -> bytes:
        """Return struct tc_fifo_qopt."""
        return encode_options(self.kind, {"limit": settings.limit})

    def read(self, payload: bytes) -> PfifoSettings:
        """Return the settings of a dump; raises DecodeError for malformed bytes."""
        said = cast("Mapping[str, int]", decode_options(self.kind, payload))
        return PfifoSettings(said["limit"])

    def differences(self, wanted: PfifoSettings, observed: PfifoSettings) -> Sequence[Difference]:
        """Compare the limits."""
        if wanted == observed:
            return ()
        return (Difference("limit", f"{wanted.limit}p", f"{observed.limit}p"),)

    def command(self, settings: PfifoSettings) -> Sequence[str]:
        """Return tc's words."""
        return ["limit", f"{settings.limit}"]

    def children(self, settings: PfifoSettings) -> Sequence[Child]:
        """Return nothing: a FIFO has no classes."""
        return ()

    def model(self, settings: PfifoSettings, scene: "Scene") -> "Fifo":
        """Return the engine's packet FIFO."""
        from tcc.engine.fifo import Fifo  # noqa: PLC0415  (the engine is for simulations)

        return Fifo(scene.pool, settings.limit, in_bytes=False)
