"""`bfifo`: one queue, first in first out, of a given length in bytes.

Sources: net/sched/sch_fifo.c; tc-bfifo(8).
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

from tcc.diagnostics import Diagnostic, error
from tcc.ir import Options
from tcc.ir.base import Bytes
from tcc.lower.draft import Draft
from tcc.lower.inner import explain_idle, refusals
from tcc.netlink.kinds import decode_options, encode_options
from tcc.plugin import Child, Difference, Lowering, Wish, Word
from tcc.units import format_size

if TYPE_CHECKING:
    from tcc.engine.fifo import Fifo
    from tcc.engine.scene import Scene

TXQUEUELEN = 1000
"""Packets; what a device has when nobody sets it, and so the kernel's default here."""


class BfifoOptions(Options):
    """The options of bfifo."""

    limit: Bytes | None = None


@dataclass(frozen=True, slots=True)
class BfifoSettings:
    """How long the queue may be, in bytes."""

    limit: int


class Bfifo:
    """The byte FIFO; also what tbf holds when nothing else is asked for."""

    kind = "bfifo"
    options_model = BfifoOptions
    words: Mapping[str, Word] = {"limit": Word("limit")}
    inner_only = True
    changes_in_place = True

    def lower(self, wish: Wish, options: Options | None) -> Lowering:
        """Turn a wish into BfifoSettings; without a limit the kernel's default, spelled out."""
        draft = Draft(wish)
        said = options if isinstance(options, BfifoOptions) else BfifoOptions()
        limit = TXQUEUELEN * wish.device.max_frame if said.limit is None else said.limit
        draft.fits("limit", limit, range(2**32), "B", wish.at_option("limit"))
        draft.explain("bfifo", f"limit {format_size(limit)}", span=wish.at_option("limit"))
        explain_idle(draft, self.kind)
        return draft.lowering(BfifoSettings(limit), refusals(wish, self.kind))

    def check(self, settings: BfifoSettings, wish: Wish) -> Iterator[Diagnostic]:
        """Yield `fifo-limit-below-frame`: no full-size packet would ever be let in."""
        if settings.limit < wish.device.max_frame:
            yield error(
                "fifo-limit-below-frame",
                wish.at_option("limit"),
                f"a queue of {settings.limit}B cannot hold a frame of {wish.device.max_frame}B",
                f"{wish.device.name} would drop every full-size packet",
            )

    def netlink(self, settings: BfifoSettings) -> bytes:
        """Return struct tc_fifo_qopt."""
        return encode_options(self.kind, {"limit": settings.limit})

    def read(self, payload: bytes) -> BfifoSettings:
        """Return the settings of a dump; raises DecodeError for malformed bytes."""
        said = cast("Mapping[str, int]", decode_options(self.kind, payload))
        return BfifoSettings(said["limit"])

    def differences(self, wanted: BfifoSettings, observed: BfifoSettings) -> Sequence[Difference]:
        """Compare the limits."""
        if wanted == observed:
            return ()
        return (Difference("limit", f"{wanted.limit}b", f"{observed.limit}b"),)

    def command(self, settings: BfifoSettings) -> Sequence[str]:
        """Return tc's words."""
        return ["limit", f"{settings.limit}"]

    def children(self, settings: BfifoSettings) -> Sequence[Child]:
        """Return nothing: a FIFO has no classes."""
        return ()

    def model(self, settings: BfifoSettings, scene: "Scene") -> "Fifo":
        """Return the engine's byte FIFO."""
        from tcc.engine.fifo import Fifo  # noqa: PLC0415  (the engine is for simulations)

        return Fifo(scene.pool, settings.limit)
