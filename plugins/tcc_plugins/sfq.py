"""`sfq`: one queue per flow, served in turn, with no AQM.

Sources: sfq_change(), sfq_dump() and the limits at the head of net/sched/sch_sfq.c; tc-sfq(8).
RED inside SFQ (`redflowlimit` and what belongs to it) is not offered.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated, cast

from tcc.diagnostics import Diagnostic, error
from tcc.ir import Options
from tcc.ir.base import Between, Bytes, Nanoseconds
from tcc.lower.draft import Draft
from tcc.lower.inner import explain_idle, refusals
from tcc.netlink.kinds import decode_options, encode_options
from tcc.plugin import Child, Difference, Lowering, Wish, Word
from tcc.units import NS_PER_S

if TYPE_CHECKING:
    from tcc.engine.scene import Scene
    from tcc.engine.sfq import Sfq as Model

DEPTHS = range(1, 128)
FLOWS = range(1, 65_409)
QUANTA = range(256, 2**20 + 1)
DIVISORS = tuple(2**power for power in range(17))

Count = Annotated[int, Between(0, 2**32 - 1)]


class SfqOptions(Options):
    """The options of sfq."""

    limit: Count | None = None
    """Packets, of all flows together."""
    perturb: Nanoseconds | None = None
    """How often flows are hashed anew; 0s never."""
    quantum: Bytes | None = None
    divisor: Count | None = None
    """How many hash buckets, a power of two."""
    flows: Count | None = None
    depth: Count | None = None
    """Packets of one flow."""
    headdrop: bool | None = None


@dataclass(frozen=True, slots=True)
class SfqSettings:
    """SFQ as the kernel keeps it; the defaults are the kernel's on an Ethernet device."""

    limit: int = 127
    """Packets."""
    perturb: int = 0
    """Seconds."""
    quantum: int = 1514
    """Bytes."""
    divisor: int = 1024
    flows: int = 128
    depth: int = 127
    """Packets of one flow."""
    headdrop: bool = False


class Sfq:
    """Stochastic fairness queueing."""

    kind = "sfq"
    options_model = SfqOptions
    words: Mapping[str, Word] = {
        **{
            name: Word(name)
            for name in ("limit", "perturb", "quantum", "divisor", "flows", "depth")
        },
        "headdrop": Word("headdrop", value=True),
    }
    inner_only = True
    changes_in_place = False

    def lower(self, wish: Wish, options: Options | None) -> Lowering:
        """Turn a wish into SfqSettings; what is not said is the kernel's default, spelled out."""
        draft = Draft(wish)
        said = options if isinstance(options, SfqOptions) else SfqOptions()
        kernel = SfqSettings()
        frame = min(max(wish.device.max_frame, QUANTA.start), QUANTA[-1])
        settings = SfqSettings(
            limit=_or(said.limit, kernel.limit),
            perturb=_perturb(draft, said),
            quantum=_or(said.quantum, frame),
            divisor=_or(said.divisor, kernel.divisor),
            flows=_or(said.flows, kernel.flows),
            depth=_or(said.depth, kernel.depth),
            headdrop=bool(said.headdrop),
        )
        for name, allowed, unit in (
            ("limit", range(2, 2**32), ""),
            ("quantum", QUANTA, "B"),
            ("flows", FLOWS, ""),
            ("depth", DEPTHS, ""),
        ):
            draft.fits(name, getattr(settings, name), allowed, unit, wish.at_option(name))
        if settings.divisor not in DIVISORS:
            draft.found.append(_divisor(settings, wish))
        flows_said = wish.shaping.fairness in ("per-flow", "flows")
        if flows_said:
            draft.explain(
                f"fairness {wish.shaping.fairness}", "sfq", "a queue per flow", wish.at("fairness")
            )
        draft.explain("sfq", " ".join(self.command(settings)), span=wish.at_option("limit"))
        explain_idle(draft, self.kind)
        return draft.lowering(
            settings, refusals(wish, self.kind, ("fairness",) if flows_said else ())
        )

    def check(self, settings: SfqSettings, wish: Wish) -> Iterator[Diagnostic]:
        """Yield `sfq-limit-cut`: the kernel keeps less than was asked."""
        stored = as_stored(settings)
        if stored.limit < settings.limit:
            yield error(
                "sfq-limit-cut",
                wish.at_option("limit"),
                f"a limit of {settings.limit} packets is cut to {stored.limit}",
                f"{settings.flows} flows of {settings.depth} packets hold no more",
                "raise `flows` and `divisor`, or ask for less",
            )

    def netlink(self, settings: SfqSettings) -> bytes:
        """Return struct tc_sfq_qopt_v1, nothing left to a default but RED, which stays off."""
        return encode_options(
            self.kind,
            {
                "quantum": settings.quantum,
                "perturb_period": settings.perturb,
                "limit": settings.limit,
                "divisor": settings.divisor,
                "flows": settings.flows,
                "depth": settings.depth,
                "headdrop": int(settings.headdrop),
            },
        )

    def read(self, payload: bytes) -> SfqSettings:
        """Return the settings of a dump; raises DecodeError for malformed bytes."""
        said = cast("Mapping[str, int]", decode_options(self.kind, payload))
        kernel = SfqSettings()
        return SfqSettings(
            limit=said["limit"],
            perturb=said["perturb_period"],
            quantum=said["quantum"],
            divisor=said["divisor"],
            flows=said["flows"],
            depth=said.get("depth", kernel.depth),
            headdrop=bool(said.get("headdrop")),
        )

    def differences(self, wanted: SfqSettings, observed: SfqSettings) -> Sequence[Difference]:
        """Compare what the kernel keeps of each."""
        want, have = as_stored(wanted), as_stored(observed)
        return [
            Difference(name, f"{getattr(want, name)}", f"{getattr(have, name)}")
            for name in SfqSettings.__slots__
            if getattr(want, name) != getattr(have, name)
        ]

    def command(self, settings: SfqSettings) -> Sequence[str]:
        """Return tc's words."""
        words = [
            "limit", f"{settings.limit}",
            "perturb", f"{settings.perturb}",
            "quantum", f"{settings.quantum}",
            "divisor", f"{settings.divisor}",
            "flows", f"{settings.flows}",
            "depth", f"{settings.depth}",
        ]  # fmt: skip
        return [*words, "headdrop"] if settings.headdrop else words

    def children(self, settings: SfqSettings) -> Sequence[Child]:
        """Return nothing: SFQ's queues are its own."""
        return ()

    def model(self, settings: SfqSettings, scene: "Scene") -> "Model":
        """Return the engine's SFQ with these settings."""
        from tcc.engine.sfq import Sfq as Model  # noqa: PLC0415  (the engine is for simulations)

        kept = as_stored(settings)
        return Model(
            scene.pool,
            scene.chance,
            limit=kept.limit,
            depth=kept.depth,
            flows=kept.flows,
            divisor=kept.divisor,
            quantum=kept.quantum,
            head_drop=kept.headdrop,
            perturb=kept.perturb * NS_PER_S,
            handle=scene.handle,
        )


def as_stored(settings: SfqSettings) -> SfqSettings:
    """Return what the kernel keeps: each number is cut to what the others leave room for."""
    flows = min(settings.flows, FLOWS[-1], settings.divisor)
    depth = min(settings.depth, DEPTHS[-1])
    limit = min(settings.limit, depth * flows)
    return replace(settings, flows=min(flows, limit), depth=depth, limit=limit)


def _perturb(draft: Draft, said: SfqOptions) -> int:
    span = draft.wish.at_option("perturb")
    seconds, rest = divmod(said.perturb or 0, NS_PER_S)
    if rest:
        draft.found.append(
            error(
                "sfq-perturb-seconds",
                span,
                "sfq counts `perturb` in whole seconds",
                "write `perturb 10s`, or `perturb 0s` for never",
            )
        )
    # The kernel multiplies by HZ (up to 1000) in 32 bits.
    draft.fits("perturb", seconds, range(2**31 // 1000), "s", span)
    return seconds


def _divisor(settings: SfqSettings, wish: Wish) -> Diagnostic:
    return error(
        "sfq-divisor",
        wish.at_option("divisor"),
        f"a divisor of {settings.divisor} is not a power of two up to {DIVISORS[-1]}",
        "the kernel refuses it with no more than `Invalid argument`",
    )


def _or(said: int | None, default: int) -> int:
    return default if said is None else said
