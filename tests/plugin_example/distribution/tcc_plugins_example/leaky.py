"""`leaky`: a leaky bucket, as an out-of-tree kernel module might have it."""

from __future__ import annotations

import struct
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import Field

from tcc.diagnostics import Diagnostic, error
from tcc.ir import Options
from tcc.lower.draft import Draft
from tcc.lower.inner import explain_idle, refusals
from tcc.plugin import Child, Difference, Lowering, Wish, Word

if TYPE_CHECKING:
    from tcc.engine.foreign import ForeignQueueDisc
    from tcc.engine.scene import Scene

WIRE = struct.Struct("=QI")
LIMIT = 100


class LeakyOptions(Options):
    """The options of leaky."""

    limit: Annotated[int, Field(ge=1, lt=2**32)] | None = None
    """Packets."""


@dataclass(frozen=True, slots=True)
class LeakySettings:
    """A rate in bit/s and a length in packets."""

    rate: int
    limit: int


class Leaky:
    """The leaky bucket."""

    kind = "leaky"
    options_model = LeakyOptions
    words: Mapping[str, Word] = {"limit": Word("limit")}
    inner_only = False
    changes_in_place = True

    def lower(self, wish: Wish, options: Options | None) -> Lowering:
        """Turn a wish into LeakySettings; it needs a rate."""
        draft = Draft(wish)
        said = options if isinstance(options, LeakyOptions) else LeakyOptions()
        asked = wish.shaping.bandwidth
        if asked is None or isinstance(asked.rate, str):
            draft.found.append(
                error(
                    "leaky-without-rate",
                    wish.at("bandwidth"),
                    "a leaky bucket needs a rate",
                    "write `bandwidth 10mbit`",
                )
            )
            return draft.lowering(None, ())
        limit = LIMIT if said.limit is None else said.limit
        draft.explain(f"bandwidth {asked.rate}bit", f"rate {asked.rate}bit")
        draft.explain("leaky", f"limit {limit} packets", span=wish.at_option("limit"))
        explain_idle(draft, self.kind)
        return draft.lowering(LeakySettings(asked.rate, limit), refusals(wish, self.kind))

    def check(self, settings: LeakySettings, wish: Wish) -> Iterator[Diagnostic]:
        """Yield nothing: the module takes every rate and limit."""
        yield from ()

    def netlink(self, settings: LeakySettings) -> bytes:
        """Return the module's option structure."""
        return WIRE.pack(settings.rate, settings.limit)

    def read(self, payload: bytes) -> LeakySettings:
        """Return the settings of a dump."""
        return LeakySettings(*WIRE.unpack(payload))

    def differences(self, wanted: LeakySettings, observed: LeakySettings) -> Sequence[Difference]:
        """Compare field by field."""
        return [
            Difference(name, str(getattr(wanted, name)), str(getattr(observed, name)))
            for name in LeakySettings.__slots__
            if getattr(wanted, name) != getattr(observed, name)
        ]

    def command(self, settings: LeakySettings) -> Sequence[str]:
        """Return the module's words for tc."""
        return ["rate", f"{settings.rate}bit", "limit", str(settings.limit)]

    def children(self, settings: LeakySettings) -> Sequence[Child]:
        """Return nothing: it has no classes."""
        return ()

    def model(self, settings: LeakySettings, scene: Scene) -> ForeignQueueDisc:
        """Return the bucket in plain Python, through the engine's slower door."""
        from tcc.engine.foreign import ForeignQueueDisc
        from tcc_plugins_example.bucket import Bucket

        model: Any = Bucket(settings.rate, settings.limit)
        return ForeignQueueDisc(scene.pool, model)
