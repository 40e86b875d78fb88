"""From what a link asks for to CAKE's settings.

Sources: tc-cake(8); cake_change() and cake_set_rate() in net/sched/sch_cake.c.
"""

from tcc.diagnostics import error
from tcc.ir import WireSize, wire_size
from tcc.ir.framing import PRESETS, VLAN_TAG
from tcc.ir.link import FairnessWish, FlowMode
from tcc.lower.draft import Draft, rounded
from tcc.lower.gso import cannot_split_above, decided, gso_clause
from tcc.plugin import Wish
from tcc.units import NS_PER_US, format_duration, format_rate, format_size
from tcc_plugins.cake.options import CakeOptions
from tcc_plugins.cake.settings import (
    ACK_FILTER_WORDS,
    ACK_FILTERS,
    CELL_WORDS,
    CELLS,
    DIFFSERV,
    FLOW_MODES,
    MPUS,
    OVERHEADS,
    CakeSettings,
    target_of,
)

U32 = range(2**32)
UNLIMITED = 2**128  # bit/s, while clause and option are compared: no rate is as high
_PLAIN_FAIRNESS: dict[FairnessWish | FlowMode, FlowMode] = {
    "per-flow": "flows",
    "per-source": "srchost",
    "per-destination": "dsthost",
    "none": "flowblind",
}


def settings_of(draft: Draft, options: CakeOptions) -> CakeSettings:
    """Return complete settings for the draft's wish; what is wrong is in `draft.found`."""
    rate, moves = _bandwidth(draft, options)
    interval = _rtt(draft, options)
    wire = _framing(draft, options)
    return CakeSettings(
        rate=rate,
        diffserv=_tiers(draft, options),
        flow_mode=_fairness(draft, options),
        nat=_nat(draft, options),
        wash=_wash(draft, options),
        ingress=_direction(draft, options),
        ack_filter=_ack_filter(draft, options),
        split_gso=_split(draft, options, rate),
        interval=interval,
        target=target_of(interval),
        raw=wire.raw,
        overhead=wire.overhead,
        atm=CELLS.index(wire.cells),
        mpu=wire.mpu,
        memory=_memory(draft, options),
        fwmark=_fwmark(draft, options),
        autorate=bool(options.autorate_ingress),
        moves=moves,
    )


def _bits(rate: int | str | None) -> int | None:
    return UNLIMITED if isinstance(rate, str) else rate


def _show_rate(rate: int) -> str:
    return "unlimited" if rate == UNLIMITED else format_rate(rate)


def _bandwidth(draft: Draft, options: CakeOptions) -> tuple[int, tuple[int, int] | None]:
    """Return the rate in bytes/s (0: unlimited) and the bounds in which a daemon moves it."""
    asked = draft.wish.shaping.bandwidth
    rate = draft.settle(
        "bandwidth",
        _bits(asked.rate if asked else None),
        "bandwidth",
        _bits(options.bandwidth),
        _show_rate,
    )
    span = draft.place("bandwidth", "bandwidth")
    if rate is None:
        return 0, None
    if rate == UNLIMITED:
        draft.explain("bandwidth unlimited", "unlimited", span=span)
        return 0, None
    stored = draft.byte_rate(rate, span)
    if asked and asked.minimum is not None and asked.maximum is not None:
        bounds = draft.byte_rate(asked.minimum, span), draft.byte_rate(asked.maximum, span)
        draft.explain(
            f"bandwidth {format_rate(rate)} within "
            f"{format_rate(asked.minimum)}..{format_rate(asked.maximum)}",
            f"bandwidth {8 * stored}bit",
            "where it starts; an autorate daemon moves it within the bounds",
            span,
        )
        return stored, bounds
    draft.explain(
        f"bandwidth {format_rate(rate)}", f"bandwidth {8 * stored}bit", rounded(rate), span
    )
    return stored, None


def _tiers(draft: Draft, options: CakeOptions) -> int:
    mode = draft.settle("tiers", draft.wish.shaping.tiers, "diffserv", options.diffserv)
    if mode is None:
        return CakeSettings().diffserv
    draft.explain(f"tiers {mode}", mode, span=draft.place("tiers", "diffserv"))
    return DIFFSERV.index(mode)


def flow_mode_of(wish: Wish) -> FlowMode | None:
    """Return the flow mode that the wish's `fairness` stands for; None when it says nothing.

    `per-host` is about the hosts behind this link, so it depends on which side of the
    device they are: they send on egress, unless the device faces them or the only host
    here is this one, whose peers are the others.
    """
    fairness = wish.shaping.fairness
    if fairness is None:
        return None
    if fairness != "per-host":
        return _PLAIN_FAIRNESS.get(fairness) or _as_mode(fairness)
    role = wish.link.role
    turned = role is not None and (role.kind == "host" or role.facing_hosts)
    return "dual-srchost" if (wish.direction == "egress") is not turned else "dual-dsthost"


def _as_mode(fairness: str) -> FlowMode:
    mode: FlowMode = fairness  # type: ignore[assignment]  # every other word is CAKE's own
    return mode


def _fairness(draft: Draft, options: CakeOptions) -> int:
    wish = draft.wish
    mode = draft.settle("fairness", flow_mode_of(wish), "flow_mode", options.flow_mode)
    if mode is None:
        return CakeSettings().flow_mode
    because = ""
    if wish.shaping.fairness == "per-host":
        end = "senders" if mode == "dual-srchost" else "receivers"
        because = f"on {wish.direction} here the hosts are the {end}"
    draft.explain(
        f"fairness {wish.shaping.fairness or mode}",
        mode,
        because,
        draft.place("fairness", "flow_mode"),
    )
    return FLOW_MODES.index(mode)


def _nat(draft: Draft, options: CakeOptions) -> bool:
    role = draft.wish.link.role
    masquerades = role is not None and role.kind == "router" and not role.facing_hosts
    nat = masquerades if options.nat is None else options.nat
    if role is not None:
        facing = " facing hosts" if role.facing_hosts else ""
        because = ""
        if nat:
            because = "hosts are told apart by their own addresses, from before NAT"
        elif options.nat is not None:
            because = "the qdisc's block says so"
        draft.explain(
            f"role {role.kind}{facing}", "nat" if nat else "nonat", because,
            draft.wish.at_link("role"),
        )  # fmt: skip
    elif options.nat is not None:
        word = "nat" if nat else "nonat"
        draft.explain(word, word, span=draft.wish.at_option("nat"))
    return nat


def _wash(draft: Draft, options: CakeOptions) -> bool:
    said = None if options.wash is None else ("wash" if options.wash else "keep")
    dscp = draft.settle("dscp", draft.wish.shaping.dscp, "wash", said)
    if dscp is None:
        return False
    became = "wash" if dscp == "wash" else "nowash"
    draft.explain(f"dscp {dscp}", became, span=draft.place("dscp", "wash"))
    return dscp == "wash"


def _direction(draft: Draft, options: CakeOptions) -> bool:
    """Whether dropped packets are charged: they have crossed an incoming line already."""
    direction = options.direction or draft.wish.direction
    if direction == "ingress":
        draft.explain(
            "ingress", "ingress", "drops are charged: they have used the line", draft.wish.at()
        )
    elif options.direction is not None:
        draft.explain(
            "egress", "egress", "the qdisc's block says so", draft.wish.at_option("direction")
        )
    return direction == "ingress"


def _ack_filter(draft: Draft, options: CakeOptions) -> int:
    wanted = draft.settle(
        "ack_filter", draft.wish.shaping.ack_filter, "ack_filter", options.ack_filter
    )
    if wanted is None:
        return 0
    number = ACK_FILTERS.index(wanted)
    draft.explain(
        f"ack-filter {wanted}",
        ACK_FILTER_WORDS[number],
        span=draft.place("ack_filter", "ack_filter"),
    )
    return number


def _split(draft: Draft, options: CakeOptions, rate: int) -> bool:
    """Return whether to split super-packets; `rate` is the shaper's, in bytes/s."""
    gso = draft.wish.shaping.gso
    asked, because = decided(gso, 8 * rate) if gso else (None, "")
    if gso and gso.mode == "split-above":
        draft.found.append(cannot_split_above(draft.wish))
    split = draft.settle("gso", asked, "split_gso", options.split_gso, _gso_word)
    if split is None:
        return True
    span = draft.place("gso", "split_gso")
    clause = gso_clause(gso) if gso else _gso_word(split)
    draft.explain(f"gso {clause}", "split-gso" if split else "no-split-gso", because, span)
    return split


def _gso_word(split: bool) -> str:
    return "split" if split else "keep"


def _rtt(draft: Draft, options: CakeOptions) -> int:
    """Return CoDel's interval in us."""
    wanted = draft.settle("rtt", draft.wish.shaping.rtt, "rtt", options.rtt, format_duration)
    if wanted is None:
        return CakeSettings().interval
    interval = wanted // NS_PER_US
    span = draft.place("rtt", "rtt")
    draft.fits("rtt", interval, range(1, 2**32), "us", span)
    draft.explain(
        f"rtt {format_duration(wanted)}",
        f"rtt {interval}us",
        f"target {target_of(interval)}us, a twentieth",
        span,
    )
    return interval


def _framing(draft: Draft, options: CakeOptions) -> WireSize:
    """Return how packets grow on the wire.

    Found: `cake-framing-twice`, where tc would add or replace depending on the order.
    """
    wish = draft.wish
    said = _framing_said(draft, options)
    asked = None if wish.link.framing is None else wire_size(wish.link.framing)
    wire = draft.settle("framing", asked, _FRAMING_OPTION, said, _show_wire)
    if wire is None:
        return PRESETS["raw"]
    span = wish.at_link("framing") if asked else wish.at_option(_FRAMING_OPTION)
    draft.fits("overhead", wire.overhead, OVERHEADS, "B", span)
    draft.fits("mpu", wire.mpu, MPUS, "B", span)
    framing = wish.link.framing
    because = ""
    if framing is not None and framing.preset in ("unknown", "conservative"):
        because = "a guess on the safe side: up to a tenth of the rate is given away"
    draft.explain(f"framing {_clause_of(wish)}", _show_wire(wire), because, span)
    return wire


_FRAMING_OPTION = "overhead"


def _clause_of(wish: Wish) -> str:
    framing = wish.link.framing
    if framing is None:
        return "in the qdisc's block"
    if framing.preset:
        return framing.preset + " + vlan" * framing.vlans
    return f"{{ {_show_wire(wire_size(framing))} }}"


def _show_wire(wire: WireSize) -> str:
    parts = ["raw"] if wire.raw else []
    if wire.overhead or not wire.raw:
        parts.append(f"overhead {wire.overhead}")
    if wire.mpu:
        parts.append(f"mpu {wire.mpu}")
    if wire.cells != "none" or not wire.raw:
        parts.append(CELL_WORDS[CELLS.index(wire.cells)])
    return " ".join(parts)


def _framing_said(draft: Draft, options: CakeOptions) -> WireSize | None:
    """Return what the block says of framing; None when it says nothing."""
    numbers = [
        name for name in ("overhead", "mpu", "cells", "raw") if getattr(options, name) is not None
    ]
    if options.preset and numbers:
        draft.found.append(
            error(
                "cake-framing-twice",
                draft.wish.at_option(numbers[0]),
                f"`{options.preset}` and `{numbers[0]}` both set how packets grow on the wire",
                "tc adds or replaces, depending on which comes first",
                "write the keyword alone, or overhead, mpu and cells as numbers",
            )
        )
    if options.preset is None and options.vlans is None and not numbers:
        return None
    base = PRESETS[options.preset] if options.preset else WireSize(0, 0, "none")
    overhead = base.overhead if options.overhead is None else options.overhead
    return WireSize(
        overhead + VLAN_TAG * (options.vlans or 0),
        base.mpu if options.mpu is None else options.mpu,
        base.cells if options.cells is None else options.cells,
        bool(options.raw) or not (options.preset or options.vlans or options.overhead is not None),
    )


def _memory(draft: Draft, options: CakeOptions) -> int:
    wanted = draft.settle(
        "memory", draft.wish.shaping.memory, "memlimit", options.memlimit, format_size
    )
    if wanted is None:
        return 0
    span = draft.place("memory", "memlimit")
    draft.fits("memory", wanted, U32, "B", span)
    because = "" if wanted else "0 lets the kernel choose"
    draft.explain(f"memory {format_size(wanted)}", f"memlimit {wanted}", because, span)
    return wanted


def _fwmark(draft: Draft, options: CakeOptions) -> int:
    mask = draft.settle("mark_mask", draft.wish.shaping.mark_mask, "fwmark", options.fwmark, hex)
    if mask is None:
        return 0
    draft.explain(
        f"mark mask {mask:#x}", f"fwmark {mask:#x}", span=draft.place("mark_mask", "fwmark")
    )
    return mask
