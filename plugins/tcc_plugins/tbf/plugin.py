"""The `tbf` plugin: options, lowering, checks, wire, words.

Sources: tc-tbf(8); tbf_change(), tbf_enqueue() and tbf_dequeue() in net/sched/sch_tbf.c.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from tcc.diagnostics import Diagnostic, error, note, warning
from tcc.ir import Options, Shaping
from tcc.lower import backpressure
from tcc.lower.draft import Draft
from tcc.lower.live import CannotSetError, rate_of
from tcc.plugin import Child, Difference, Lowering, Wish, qdisc
from tcc_plugins.tbf.inner import inside
from tcc_plugins.tbf.intents import US_PER_S, settings_of
from tcc_plugins.tbf.options import WORDS, TbfOptions
from tcc_plugins.tbf.settings import ATM, TbfSettings, command, decode, differences, encode

if TYPE_CHECKING:
    from tcc.engine.queue_disc import QueueDisc
    from tcc.engine.scene import Scene
    from tcc.engine.tbf import Pace, TokenBucket

INNER_HANDLE = 0x20000
"""2:, of the inner qdisc's model: not the root's, whose number may be in a packet's priority."""
LATENESS = 60
"""us by which the timer of an idle machine may be late."""
LONG_BURST = 20_000
"""us of the rate beyond which a burst looks to a probe like a faster line."""


class Tbf:
    """The token bucket filter."""

    kind = "tbf"
    options_model = TbfOptions
    words = WORDS
    inner_only = False
    changes_in_place = True
    alters = frozenset({"bandwidth"})

    def lower(self, wish: Wish, options: Options | None) -> Lowering:
        """Turn a wish into TbfSettings; what tbf lacks may be had from the inner qdisc."""
        draft = Draft(wish)
        said = options if isinstance(options, TbfOptions) else TbfOptions()
        settings = settings_of(draft, said)
        if wish.direction == "ingress":
            draft.found.append(
                note(
                    "tbf-ingress-uncharged",
                    wish.at("qdisc"),
                    "tbf does not charge what it drops, though it has crossed the line already",
                    "under many drops more comes in than the rate; leave it a margin, or use cake",
                )
            )
        asked = wish.shaping.backpressure
        if asked is None:
            return draft.lowering(settings)
        sysctls = backpressure.sysctls(wish, asked)
        backpressure.explain_interval(draft, asked, sysctls)
        return replace(draft.lowering(settings), sysctls=sysctls)

    def check(self, settings: TbfSettings, wish: Wish) -> Iterator[Diagnostic]:
        """Yield what the kernel refuses, or takes and then drops traffic.

        `tbf-burst-below-frame`, `tbf-burst-short`, `tbf-burst-long`, `tbf-peak-below-rate`,
        `tbf-mtu-below-frame`, `tbf-limit-below-burst`, and those of the inner qdisc.
        """
        yield from _check_burst(settings, wish)
        yield from _check_peak(settings, wish)
        inner = settings.inner
        if settings.limit < settings.burst and (inner is None or inner.kind == "bfifo"):
            yield warning(
                "tbf-limit-below-burst",
                wish.at_option("limit"),
                f"a queue of {settings.limit}B is shorter than the burst of {settings.burst}B",
                "what arrives as one burst is dropped before the bucket can let it through",
            )
        if inner is not None:
            yield from qdisc(inner.kind).check(inner.settings, inside(wish, settings.rate))

    def netlink(self, settings: TbfSettings) -> bytes:
        """Return the payload of TCA_OPTIONS, without rate tables."""
        return encode(settings)

    def read(self, payload: bytes) -> TbfSettings:
        """Return the settings of a dump; raises DecodeError for malformed bytes."""
        return decode(payload)

    def differences(self, wanted: TbfSettings, observed: TbfSettings) -> Sequence[Difference]:
        """Compare what the kernel would dump of each: buckets in ticks."""
        return differences(wanted, observed)

    def command(self, settings: TbfSettings) -> Sequence[str]:
        """Return tc's words."""
        return command(settings)

    def children(self, settings: TbfSettings) -> Sequence[Child]:
        """Return the inner qdisc, on class 1."""
        return () if settings.inner is None else (settings.inner,)

    def altered(self, settings: TbfSettings, shaping: Shaping, frame: int) -> TbfSettings:
        """Return `settings` at another rate: bucket and queue last as long as before.

        Of the bucket the first frame stays, as it is made by `burst auto`.

        Raises:
            CannotSetError: there is no rate, or one above the peak.
        """
        rate = rate_of(shaping)
        if not rate:
            raise CannotSetError("tbf needs a rate")
        if settings.peak and rate >= settings.peak:
            raise CannotSetError(f"the rate must stay below the peak of {8 * settings.peak}bit")
        first = min(frame, settings.burst)
        burst = first + (settings.burst - first) * rate // settings.rate
        limit = settings.limit
        if limit > settings.burst:
            limit = burst + (limit - settings.burst) * rate // settings.rate
        return replace(settings, rate=rate, burst=burst, limit=limit)

    def model(self, settings: TbfSettings, scene: "Scene") -> "TokenBucket":
        """Return the engine's token bucket, with the inner qdisc's model in it."""
        from tcc.engine.tbf import TokenBucket  # noqa: PLC0415  (the engine is for simulations)

        return TokenBucket(
            scene.pool,
            _inner_model(settings, scene),
            _pace(settings, settings.rate),
            settings.burst,
            peak=_pace(settings, settings.peak) if settings.peak else None,
            peak_burst=settings.mtu if settings.peak else None,
        )


def _check_burst(settings: TbfSettings, wish: Wish) -> Iterator[Diagnostic]:
    frame, burst, rate = wish.device.max_frame, settings.burst, settings.rate
    span = wish.at_option("burst")
    useful = frame + rate * LATENESS // US_PER_S
    if burst < frame:
        yield error(
            "tbf-burst-below-frame",
            span,
            f"burst of {burst}B cannot hold a frame of {frame}B",
            f"{wish.device.name} would drop every full-size packet, and the kernel says so only "
            "in its log",
            f"write at least `burst {frame}B`, or `burst auto`",
        )
    elif burst < useful:
        yield warning(
            "tbf-burst-short",
            span,
            f"burst of {burst}B loses tokens whenever the timer is late",
            f"in the {LATENESS}us by which a timer may be late {useful - frame}B arrive, on top "
            "of one frame; the rate is not reached then",
            f"write at least `burst {useful}B`, or `burst auto`",
        )
    if burst > max(2 * frame, rate * LONG_BURST // US_PER_S):
        yield warning(
            "tbf-burst-long",
            span,
            f"burst of {burst}B lets {burst * 1000 // rate}ms of the rate through at once",
            "senders that probe the path take it for a faster one, and queues behind fill up",
            "write `burst auto`",
        )


def _check_peak(settings: TbfSettings, wish: Wish) -> Iterator[Diagnostic]:
    if not settings.peak:
        return
    frame = wish.device.max_frame
    if settings.peak <= settings.rate:
        yield error(
            "tbf-peak-below-rate",
            wish.at_option("peak"),
            f"a peak of {8 * settings.peak}bit is not above the rate of {8 * settings.rate}bit",
            "the kernel refuses it with no more than `Invalid argument`",
            "raise it, or take `peak` out",
        )
    if settings.mtu < frame:
        yield error(
            "tbf-mtu-below-frame",
            wish.at_option("mtu"),
            f"mtu of {settings.mtu}B cannot hold a frame of {frame}B",
            f"{wish.device.name} would drop every full-size packet",
            f"write at least `mtu {frame}B`",
        )


def _pace(settings: TbfSettings, rate: int) -> "Pace":
    from tcc.engine.tbf import Pace  # noqa: PLC0415

    return Pace(rate, settings.overhead, settings.mpu, settings.linklayer == ATM)


def _inner_model(settings: TbfSettings, scene: "Scene") -> "QueueDisc":
    """Return the model of the inner qdisc: the FIFO that the kernel makes when none is known."""
    from tcc.engine.fifo import Fifo  # noqa: PLC0415

    if settings.inner is None:
        return Fifo(scene.pool, settings.limit)
    inside: QueueDisc = qdisc(settings.inner.kind).model(
        settings.inner.settings, replace(scene, handle=INNER_HANDLE)
    )
    return inside
