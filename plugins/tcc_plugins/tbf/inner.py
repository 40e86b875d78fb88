"""The queue inside a tbf: which kind, how long, and what it makes of the other clauses."""

from dataclasses import dataclass, replace
from typing import Any, Literal

from tcc.diagnostics import error, note
from tcc.ir import Backpressure, Gso, Options
from tcc.lower.backpressure import (
    SNDBUF,
    TRUESIZE,
    cannot_wait,
    packets_in_flight,
    per_sender,
    sysctls,
)
from tcc.lower.draft import BITS, Draft
from tcc.lower.gso import decided
from tcc.plugin import QDISCS, Child, PluginError, QdiscPlugin, Wish, names, qdisc
from tcc.units import format_duration, time_for
from tcc_plugins.tbf.options import TbfOptions

CLASS = 1
"""tbf has one class, :1."""
SFQ_DEPTH = 127
"""Packets of one flow that SFQ can hold."""
FIFO = "bfifo"
FIFOS = ("bfifo", "pfifo")
WAITS = ("sfq", *FIFOS)
"""Kinds that drop only when they are full."""
IN_PACKETS = ("sfq", "fq_codel", "pfifo")
"""Kinds whose `limit` is a number of packets."""


def inner_of(draft: Draft, options: TbfOptions, limit: int, rate: int) -> tuple[int, Child | None]:
    """Return tbf's own limit and the inner qdisc with its settings.

    tbf's limit reaches a FIFO inside and nothing else, so what may wait is given to the
    inner qdisc too, unless it says so itself. A change of tbf writes its limit into a FIFO
    inside, whether that counts bytes or packets (fifo_set_limit() in net/sched/sch_fifo.c):
    then both have the FIFO's number.
    """
    kind = _kind(draft, options)
    plugin = _plugin(draft, kind)
    if plugin is None:
        return limit, None
    said = options.inner.options if options.inner else None
    needed = waiting(draft, kind)
    lowered = plugin.lower(
        inside(draft.wish, rate), _sized(draft, plugin, said, _room(draft, options, limit, needed))
    )
    draft.explained += lowered.explained
    draft.found += lowered.found
    if lowered.settings is None:
        return limit, None
    inner_limit = getattr(lowered.settings, "limit", None)
    if needed and inner_limit is not None:
        _check_room(draft, options, (kind, inner_limit, needed), rate)
    if kind in FIFOS and inner_limit is not None:
        limit = inner_limit
    return limit, Child(CLASS, kind, lowered.settings)


def inside(wish: Wish, rate: int) -> Wish:
    """Return what is left to ask of the inner qdisc: all but rate, framing and waiting senders.

    `rate` decides what a `gso` that depends on the bandwidth means, in bytes/s.
    """
    gso = wish.shaping.gso
    if gso is not None and gso.mode in ("auto", "split-when"):
        split, _ = decided(gso, 8 * rate)
        mode: Literal["split", "keep"] = "split" if split else "keep"
        gso = Gso(mode=mode)
    return replace(
        wish,
        shaping=replace(wish.shaping, bandwidth=None, qdisc=None, backpressure=None, gso=gso),
        link=replace(wish.link, framing=None),
        options_at=(*wish.options_at, "inner", "options"),
    )


def _kind(draft: Draft, options: TbfOptions) -> str:
    """Return the inner kind: the one asked for, or what the clauses need."""
    wish = draft.wish
    span = wish.at_option("inner")
    if options.inner is not None:
        draft.explain(f"inner {options.inner.kind}", f"{options.inner.kind} on class :1", "", span)
        return options.inner.kind
    known = wish.facts.qdiscs if wish.facts is not None and wish.facts.qdiscs else None
    auto = wish.shaping.qdisc is None or wish.shaping.qdisc.kind == "auto"
    if wish.shaping.backpressure is not None and (known is None or "sfq" in known):
        kind, because = "sfq", "senders wait in turn, each in a queue of its own"
    elif auto or wish.shaping.fairness in ("per-flow", "flows"):
        usable = [kind for kind in ("fq_codel", "sfq") if known is None or kind in known]
        kind = usable[0] if usable else FIFO
        because = "one flow does not hold up the others" if usable else "the kernel has no other"
    else:
        kind, because = FIFO, "what tbf holds when nothing is said"
        draft.found.append(
            note(
                "tbf-one-queue",
                wish.at("qdisc"),
                "all flows wait in one queue inside this tbf",
                "a bulk transfer holds up everything behind it",
                "write `inner fq_codel` or `inner sfq`",
            )
        )
    draft.explain("inner", f"{kind} on class :1", because, wish.at("qdisc"))
    return kind


def _plugin(draft: Draft, kind: str) -> QdiscPlugin | None:
    """Return the inner kind's plugin. Found: `tbf-inner-kind`."""
    try:
        if kind not in ("tbf", "cake_mq"):
            return qdisc(kind)
        reason = "it shapes itself" if kind == "tbf" else "it can only be a device's root"
    except KeyError:
        reason = "no plugin knows it"
    except PluginError as problem:
        reason = str(problem)
    others = [name for name in names(QDISCS) if name not in ("tbf", "cake_mq")]
    draft.found.append(
        error(
            "tbf-inner-kind",
            draft.wish.at_option("inner"),
            f"`{kind}` cannot be inside a tbf",
            reason,
            f"there are {', '.join(others)}",
        )
    )
    return None


@dataclass(frozen=True, slots=True)
class Room:
    """How much may wait inside, in bytes and in packets of full size."""

    size: int
    packets: int
    because: str
    """Empty when nobody asked, so that a kind which counts packets keeps its own default."""


def _room(draft: Draft, options: TbfOptions, limit: int, needed: int | None) -> Room:
    frame = draft.wish.device.max_frame
    said = options.latency is not None or options.limit is not None
    packets = max(1, -(-limit // frame))
    if needed and (needed > packets or not said):
        size = max(limit, needed * frame)
        return Room(size, needed, "what all blocked senders together have on the way")
    return Room(limit, packets, f"{limit}B in packets of {frame}B, rounded up" if said else "")


def _sized(draft: Draft, plugin: QdiscPlugin, said: Options | None, room: Room) -> Options | None:
    """Return the inner options with a limit; one that was given stays."""
    options = said if said is not None else plugin.options_model()
    if "limit" not in options.__dataclass_fields__ or getattr(options, "limit", None) is not None:
        return said
    if plugin.kind == "bfifo":
        return _with_limit(options, room.size)
    if plugin.kind in IN_PACKETS and room.because:
        draft.explain(
            f"limit of inner {plugin.kind}", f"{room.packets} packets", room.because,
            draft.wish.at_option("inner"),
        )  # fmt: skip
        return _with_limit(options, room.packets)
    return said


def _with_limit(options: Options, limit: int) -> Options:
    changed: dict[str, Any] = {"limit": limit}
    return replace(options, **changed)


def waiting(draft: Draft, kind: str) -> int | None:
    """Return the packets that blocked senders have on the way; None when they cannot block.

    Found: `backpressure-unavailable`. The room is sized when every sender is a socket of
    this machine and their number is known, and the queue drops for nothing but its length.
    """
    wish = draft.wish
    asked = wish.shaping.backpressure
    if asked is None:
        return None
    needed = packets_in_flight(asked)
    reason = _cannot_size(wish, asked, kind)
    if reason is None:
        draft.explain(
            f"backpressure udp senders {asked.senders}",
            f"room for {needed} packets",
            f"{asked.senders} x {per_sender(asked)} (a send buffer of {asked.sndbuf or SNDBUF}B, "
            f"{TRUESIZE}B each), so that senders block and nothing is dropped; an application "
            "that enlarges its send buffer breaks this",
            wish.at("backpressure"),
        )
        return needed
    if not sysctls(wish, asked):
        draft.found.append(cannot_wait(wish, reason))
    return None


def _cannot_size(wish: Wish, asked: Backpressure, kind: str) -> str | None:
    """Return why no length of the inner queue makes all senders block; None if one does."""
    role = wish.link.role
    if wish.direction == "ingress":
        return "what comes in has no socket here that could wait"
    if role is None or role.kind != "host":
        return "only with `role host` are all senders sockets of this machine"
    if asked.senders is None:
        return "nobody says how many senders there are, so no queue is surely long enough"
    if kind not in WAITS:
        return f"{kind} drops by time in the queue, so no length makes it wait"
    if kind == "sfq" and per_sender(asked) > SFQ_DEPTH:
        return (
            f"sfq holds {SFQ_DEPTH} packets of one flow, and a send buffer of "
            f"{asked.sndbuf or SNDBUF}B has {per_sender(asked)}"
        )
    return None


def _check_room(draft: Draft, options: TbfOptions, room: tuple[str, int, int], rate: int) -> None:
    """Find `backpressure-limit` and `backpressure-latency`; room is kind, limit, need."""
    kind, limit, needed = room
    wish = draft.wish
    frame = wish.device.max_frame
    if limit < needed * (frame if kind == "bfifo" else 1):
        unit = "B" if kind == "bfifo" else " packets"
        draft.found.append(
            wish.cannot(
                "backpressure",
                "backpressure-limit",
                f"a limit of {limit}{unit} is less than the {needed} packets of {frame}B that "
                "all senders have on the way",
                "below that nearly everything above the rate is dropped, not a little of it",
                "take the inner limit out, or raise it",
                span=wish.at(*wish.options_at, "inner", "options", "limit"),
            )
        )
    wait = time_for(needed * frame, BITS * rate)
    if options.latency is not None and wait > options.latency:
        draft.found.append(
            note(
                "backpressure-latency",
                wish.at_option("latency"),
                f"blocked senders keep up to {format_duration(wait)} of packets waiting, "
                f"more than the {format_duration(options.latency)} of `latency`",
                "a smaller `sndbuf`, set in the applications too, shortens it",
            )
        )
