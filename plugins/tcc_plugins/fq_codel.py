"""`fq_codel`: a queue per flow, each with a CoDel of its own.

Sources: fq_codel_change() and fq_codel_dump() in net/sched/sch_fq_codel.c, and the clock of
include/net/codel.h; tc-fq_codel(8).
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, cast

from tcc.diagnostics import Diagnostic
from tcc.ir import Options
from tcc.ir.base import Between, Bytes, Nanoseconds
from tcc.lower.draft import Draft
from tcc.lower.inner import explain_idle, refusals
from tcc.netlink.kinds import decode_options, encode_options
from tcc.netlink.wire import Pair
from tcc.plugin import Child, Difference, Lowering, Wish, Word
from tcc.units import NS_PER_US, format_duration, format_size

if TYPE_CHECKING:
    from tcc.engine.fq_codel import FqCodel as Model
    from tcc.engine.scene import Scene

U32 = range(2**32)
QUANTA = range(256, 2**20 + 1)
FLOWS = range(1, 65_537)
TARGETS_PER_INTERVAL = 20

Count = Annotated[int, Between(0, 2**32 - 1)]


class FqCodelOptions(Options):
    """The options of fq_codel."""

    limit: Count | None = None
    """Packets, of all flows together."""
    flows: Count | None = None
    quantum: Bytes | None = None
    target: Nanoseconds | None = None
    interval: Nanoseconds | None = None
    ecn: bool | None = None
    ce_threshold: Nanoseconds | None = None
    """Mark every ECN packet that waited longer, whatever CoDel thinks."""
    drop_batch: Count | None = None
    memory_limit: Bytes | None = None


@dataclass(frozen=True, slots=True)
class FqCodelSettings:
    """fq_codel as the kernel keeps it; the defaults are the kernel's on an Ethernet device."""

    limit: int = 10_240
    flows: int = 1024
    quantum: int = 1514
    target: int = 5_000
    """us."""
    interval: int = 100_000
    """us."""
    ecn: bool = True
    ce_threshold: int | None = None
    """us; None is off."""
    drop_batch: int = 64
    memory_limit: int = 32 * 2**20
    ce_selector: int = 0
    """With a mask: the DSCP and ECN bits of packets that the threshold is for."""
    ce_mask: int = 0


class FqCodel:
    """Flow queueing with CoDel."""

    kind = "fq_codel"
    options_model = FqCodelOptions
    words: Mapping[str, Word] = {
        **{name: Word(name) for name in FqCodelOptions.__annotations__ if name != "ecn"},
        "ecn": Word("ecn", value=True),
        "noecn": Word("ecn", value=False),
    }
    inner_only = True
    changes_in_place = False  # the number of flows is fixed when it is made

    def lower(self, wish: Wish, options: Options | None) -> Lowering:
        """Turn a wish into FqCodelSettings; the kernel's defaults are spelled out."""
        draft = Draft(wish)
        said = options if isinstance(options, FqCodelOptions) else FqCodelOptions()
        kernel = FqCodelSettings()
        interval, target = _times(draft, said)
        memory = draft.settle(
            "memory", wish.shaping.memory, "memory_limit", said.memory_limit, format_size
        )
        if wish.shaping.memory is not None:
            words = f"memory {format_size(wish.shaping.memory)}"
            draft.explain(words, f"memory_limit {memory}", span=wish.at("memory"))
        frame = min(max(wish.device.max_frame, QUANTA.start), QUANTA[-1])
        settings = FqCodelSettings(
            limit=_or(said.limit, kernel.limit),
            flows=_or(said.flows, kernel.flows),
            quantum=_or(said.quantum, frame),
            target=target,
            interval=interval,
            ecn=said.ecn is not False,
            ce_threshold=None if said.ce_threshold is None else said.ce_threshold // NS_PER_US,
            drop_batch=_or(said.drop_batch, kernel.drop_batch),
            memory_limit=_or(memory, kernel.memory_limit),
        )
        self._fit(draft, settings)
        expresses = ["rtt", "memory"]
        if wish.shaping.fairness in ("per-flow", "flows"):
            expresses.append("fairness")
            draft.explain(
                f"fairness {wish.shaping.fairness}", self.kind, "a queue per flow",
                wish.at("fairness"),
            )  # fmt: skip
        draft.explain("fq_codel", " ".join(self.command(settings)))
        explain_idle(draft, self.kind)
        return draft.lowering(settings, refusals(wish, self.kind, expresses))

    def _fit(self, draft: Draft, settings: FqCodelSettings) -> None:
        for name, allowed, unit in (
            ("limit", range(1, 2**32), ""),
            ("flows", FLOWS, ""),
            ("quantum", QUANTA, "B"),
            ("target", U32, "us"),
            ("interval", range(1, 2**32), "us"),
            ("drop_batch", range(1, 2**32), ""),
            ("memory_limit", range(1, 2**31), "B"),
        ):
            value = getattr(settings, name)
            draft.fits(name, value, allowed, unit, draft.wish.at_option(name))
        if settings.ce_threshold is not None:
            span = draft.wish.at_option("ce_threshold")
            draft.fits("ce_threshold", settings.ce_threshold, U32, "us", span)

    def check(self, settings: FqCodelSettings, wish: Wish) -> Iterator[Diagnostic]:
        """Yield nothing: whatever fits its field works."""
        yield from ()

    def netlink(self, settings: FqCodelSettings) -> bytes:
        """Return every attribute; the threshold's only when it is on, as 0 would mean now."""
        pairs: list[Pair] = [
            ("LIMIT", settings.limit),
            ("FLOWS", settings.flows),
            ("QUANTUM", settings.quantum),
            ("INTERVAL", settings.interval),
            ("TARGET", settings.target),
            ("ECN", int(settings.ecn)),
            ("MEMORY_LIMIT", settings.memory_limit),
            ("DROP_BATCH_SIZE", settings.drop_batch),
        ]
        if settings.ce_threshold is not None:
            pairs += [
                ("CE_THRESHOLD", settings.ce_threshold),
                ("CE_THRESHOLD_SELECTOR", settings.ce_selector),
                ("CE_THRESHOLD_MASK", settings.ce_mask),
            ]
        return encode_options(self.kind, pairs)

    def read(self, payload: bytes) -> FqCodelSettings:
        """Return the settings of a dump; raises DecodeError for malformed bytes."""
        said: Mapping[str, int] = dict(
            cast("list[tuple[str, int]]", decode_options(self.kind, payload))
        )
        kernel = FqCodelSettings()
        return FqCodelSettings(
            limit=said.get("LIMIT", kernel.limit),
            flows=said.get("FLOWS", kernel.flows),
            quantum=said.get("QUANTUM", kernel.quantum),
            target=_asked(said["TARGET"]) if "TARGET" in said else kernel.target,
            interval=_asked(said["INTERVAL"]) if "INTERVAL" in said else kernel.interval,
            ecn=bool(said.get("ECN", kernel.ecn)),
            ce_threshold=_asked(said["CE_THRESHOLD"]) if "CE_THRESHOLD" in said else None,
            drop_batch=said.get("DROP_BATCH_SIZE", kernel.drop_batch),
            memory_limit=said.get("MEMORY_LIMIT", kernel.memory_limit),
            ce_selector=said.get("CE_THRESHOLD_SELECTOR", kernel.ce_selector),
            ce_mask=said.get("CE_THRESHOLD_MASK", kernel.ce_mask),
        )

    def differences(
        self, wanted: FqCodelSettings, observed: FqCodelSettings
    ) -> Sequence[Difference]:
        """Compare what the kernel would dump of each."""
        shown = zip(_shown(wanted), _shown(observed), strict=True)
        return [
            Difference(name, want, have)
            for (name, kept, want), (_, found, have) in shown
            if kept != found
        ]

    def command(self, settings: FqCodelSettings) -> Sequence[str]:
        """Return tc's words."""
        words = [
            "limit", f"{settings.limit}",
            "flows", f"{settings.flows}",
            "quantum", f"{settings.quantum}",
            "target", f"{settings.target}us",
            "interval", f"{settings.interval}us",
            "memory_limit", f"{settings.memory_limit}",
            "drop_batch", f"{settings.drop_batch}",
            "ecn" if settings.ecn else "noecn",
        ]  # fmt: skip
        if settings.ce_threshold is not None:
            words += ["ce_threshold", f"{settings.ce_threshold}us"]
        return words

    def children(self, settings: FqCodelSettings) -> Sequence[Child]:
        """Return nothing: its queues are its own."""
        return ()

    def model(self, settings: FqCodelSettings, scene: "Scene") -> "Model":
        """Return the engine's fq_codel with these settings."""
        from tcc.engine.fq_codel import FqCodel as Model  # noqa: PLC0415  (for simulations only)

        return Model(
            scene.pool,
            limit=settings.limit,
            flows=settings.flows,
            target=settings.target,
            interval=settings.interval,
            quantum=settings.quantum,
            memory_limit=settings.memory_limit,
            ecn=settings.ecn,
            drop_batch=settings.drop_batch,
            ce_threshold=settings.ce_threshold,
            mtu=scene.max_frame,
            handle=scene.handle,
        )


def _times(draft: Draft, said: FqCodelOptions) -> tuple[int, int]:
    """Return interval and target in us; `rtt` gives both, as it does for CAKE."""
    kernel = FqCodelSettings()
    rtt = draft.settle("rtt", draft.wish.shaping.rtt, "interval", said.interval, format_duration)
    interval = kernel.interval if rtt is None else rtt // NS_PER_US
    target = kernel.target if rtt is None else max(1, interval // TARGETS_PER_INTERVAL)
    if said.target is not None:
        target = said.target // NS_PER_US
    if draft.wish.shaping.rtt is not None:
        draft.explain(
            f"rtt {format_duration(draft.wish.shaping.rtt)}",
            f"interval {interval}us target {target}us",
            span=draft.wish.at("rtt"),
        )
    return interval, target


def _shown(settings: FqCodelSettings) -> Iterator[tuple[str, int, str]]:
    """Yield name, what the kernel keeps, and words for people, for each setting."""
    for name in FqCodelSettings.__slots__:
        value = getattr(settings, name)
        if value is None:
            yield name, -1, "off"
        elif name in ("target", "interval", "ce_threshold"):
            yield name, _clock(value), f"{value}us"
        else:
            yield name, int(value), f"{value}"


def _clock(microseconds: int) -> int:
    """Return a time in the unit in which CoDel keeps it, 1024 ns."""
    return microseconds * 1000 >> 10


def _asked(dumped: int) -> int:
    """Return a time, in us, that the kernel dumps as `dumped`: 5000 for 4999."""
    units = -(-dumped * 1000 // 1024)
    return -(-units * 1024 // 1000)


def _or(said: int | None, default: int) -> int:
    return default if said is None else said
