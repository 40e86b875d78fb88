"""The `cake` plugin: options, lowering, checks, wire, words.

Sources: tc-cake(8); net/sched/sch_cake.c for what the kernel makes of the settings.
"""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from tcc.diagnostics import Diagnostic, error, warning
from tcc.ir import Options, Path, Shaping, span_at
from tcc.lower.backpressure import cannot_wait
from tcc.lower.draft import Draft, place
from tcc.plugin import Child, Difference, Lowering, Wish
from tcc_plugins.cake.intents import settings_of
from tcc_plugins.cake.live import ALTERS, altered
from tcc_plugins.cake.options import WORDS, CakeOptions
from tcc_plugins.cake.settings import (
    DIFFSERV,
    CakeSettings,
    as_stored,
    command,
    decode,
    differences,
    encode,
)

if TYPE_CHECKING:
    from tcc.engine.cake.config import CakeConfig
    from tcc.engine.cake.qdisc import Cake as Model
    from tcc.engine.scene import Scene

SLOWEST_PACE = 64
"""Bytes per second: CAKE paces no slower, whatever rate it is given."""
SMALLEST_PACKET = 20
"""The shortest thing with a network header: an IPv4 header and nothing in it."""

MISSING_TINS = {
    "diffserv3": ("video", *(f"tin{number}" for number in range(3, 8))),
    "diffserv4": tuple(f"tin{number}" for number in range(4, 8)),
}
"""Words for tins that a mode does not have."""


class Cake:
    """One CAKE on one device, `cake` to tc and the kernel."""

    kind = "cake"
    options_model = CakeOptions
    words = WORDS
    inner_only = False
    changes_in_place = True
    alters = ALTERS

    def lower(self, wish: Wish, options: Options | None) -> Lowering:
        """Turn a wish into CakeSettings."""
        draft = Draft(wish)
        said = options if isinstance(options, CakeOptions) else CakeOptions()
        settings = settings_of(draft, said)
        if wish.shaping.backpressure is not None:
            draft.found.append(
                cannot_wait(wish, "cake drops by time in the queue, so no queue size makes it wait")
            )
        return draft.lowering(settings)

    def check(self, settings: CakeSettings, wish: Wish) -> Iterator[Diagnostic]:
        """Yield what the kernel takes and then does not do as asked.

        `cake-autorate-egress`, `cake-autorate-bounds`, and those of `check_shaper`.
        """
        yield from check_shaper(settings, wish)
        if settings.autorate and not settings.ingress:
            yield warning(
                "cake-autorate-egress",
                wish.at_option("autorate_ingress"),
                "autorate-ingress on egress chases the rate at which packets arrive here",
                "it measures an incoming line; behind a slow sender the rate shrinks for good",
                "use it under `ingress`, and give egress a bandwidth",
            )
        if settings.autorate and settings.moves:
            yield error(
                "cake-autorate-bounds",
                wish.at_option("autorate_ingress"),
                "autorate-ingress and a bandwidth within bounds both move the rate",
                "the kernel's estimator would undo what the daemon sets, and the other way round",
                "keep one of them",
            )

    def netlink(self, settings: CakeSettings) -> bytes:
        """Return the payload of TCA_OPTIONS, every attribute included."""
        return encode(settings)

    def read(self, payload: bytes) -> CakeSettings:
        """Return the settings of a dump; raises DecodeError for malformed bytes."""
        return decode(payload)

    def differences(self, wanted: CakeSettings, observed: CakeSettings) -> Sequence[Difference]:
        """Compare what the kernel would dump of each."""
        return differences(wanted, observed)

    def command(self, settings: CakeSettings) -> Sequence[str]:
        """Return tc's words, for a fresh qdisc."""
        return command(settings)

    def children(self, settings: CakeSettings) -> Sequence[Child]:
        """Return nothing: CAKE's queues are its own."""
        return ()

    def altered(self, settings: CakeSettings, shaping: Shaping, frame: int) -> CakeSettings:
        """Return `settings` with the one clause of `shaping`; raises CannotSetError."""
        return altered(settings, shaping)

    def model(self, settings: CakeSettings, scene: "Scene") -> "Model":
        """Return the engine's CAKE with these settings."""
        from tcc.engine.cake.qdisc import Cake as Model  # noqa: PLC0415  (for simulations only)

        config = config_of(settings, scene)
        return Model(scene.pool, scene.chance, config, scene.handle, scene.max_frame)


def check_tiers(settings: CakeSettings, wish: Wish) -> Iterator[Diagnostic]:
    """Yield `tier-without-tin` for each tier whose tin the mode does not have.

    With besteffort there is nothing to sort, and a tier is no more than a mark.
    """
    mode = DIFFSERV[settings.diffserv]
    missing = MISSING_TINS.get(mode, ())
    own = len(wish.link.tiers)
    for index, tier in enumerate(wish.tiers):
        if tier.tin not in missing:
            continue
        path: Path = (*wish.path[:-1], "tiers", index) if index < own else ("tiers", index - own)
        yield error(
            "tier-without-tin",
            span_at(wish.spans, (*path, "tin")),
            f"{mode} has no tin `{tier.tin}` for the tier `{tier.name}`",
            "its packets would be marked for it, and go to Best Effort",
            "use `tiers diffserv4`, or say `as` with a tin that there is",
        )


def check_shaper(settings: CakeSettings, wish: Wish) -> Iterator[Diagnostic]:
    """Yield what holds for one CAKE as for several of them under cake_mq.

    `cake-rate-below-pace`, `cake-memory-below-packet`, `cake-overhead-wraps`, and those of
    `check_tiers`.
    """
    yield from check_tiers(settings, wish)
    if 0 < settings.rate < SLOWEST_PACE:
        yield warning(
            "cake-rate-below-pace",
            place(wish, "bandwidth", "bandwidth"),
            f"CAKE paces at {8 * SLOWEST_PACE}bit, not at {8 * settings.rate}bit",
            "its clock counts no slower than 64 bytes per second",
        )
    if 0 < settings.memory < wish.device.max_frame:
        yield error(
            "cake-memory-below-packet",
            place(wish, "memory", "memlimit"),
            f"memory of {settings.memory}B cannot hold one packet of {wish.device.max_frame}B",
            f"{wish.device.name} would drop every full-size packet",
            "leave it out: the kernel sizes it by rate and rtt",
        )
    header = wish.device.hard_header if settings.raw else 0
    if settings.overhead < -(SMALLEST_PACKET + header):
        yield warning(
            "cake-overhead-wraps",
            wish.at_link("framing"),
            f"an overhead of {settings.overhead}B makes the smallest packets shorter than nothing",
            "kernels before 6.12.100 take such a packet for one of 4 GiB and stall for it",
            "give the overhead as what the line adds to an IP packet",
        )


def config_of(settings: CakeSettings, scene: "Scene") -> "CakeConfig":
    """Return the engine's configuration for what the kernel would keep of `settings`."""
    from tcc.engine.cake.config import CakeConfig  # noqa: PLC0415

    kept = as_stored(settings)
    return CakeConfig(
        rate=kept.rate,
        tins=kept.diffserv,
        flow_mode=kept.flow_mode,
        nat=kept.nat,
        interval=kept.interval,
        target=kept.target,
        memory=kept.memory,
        overhead=kept.overhead,
        network_size=not kept.raw,
        mpu=kept.mpu,
        cells=kept.atm,
        ack_filter=kept.ack_filter,
        fwmark=kept.fwmark,
        wash=kept.wash,
        ingress=kept.ingress,
        autorate=kept.autorate,
        split_gso=kept.split_gso,
        split_above=scene.split_above,
        mq_kernel=scene.mq_kernel,
    )
