"""A link in sqm's words: one section per interface, both directions in it."""

from collections.abc import Iterator, Sequence

from tcc.diagnostics import Diagnostic, error, note, warning
from tcc.ir import Link, Path, Policy, Tier, WireSize, span_at, wire_size
from tcc.lower import LoweredQdisc
from tcc.plugin import Target
from tcc_plugins.openwrt.cake import ends_of_cake, script_of_cake
from tcc_plugins.openwrt.tbf import ends_of_tbf, size_for_tbf
from tcc_plugins.openwrt.uci import Section, section_name

Ends = dict[str, LoweredQdisc]
KBIT = 1000
SCRIPT_OF_TBF = "simplest_tbf.qos"
CAKES = ("cake", "cake_mq")


def sections(
    policy: Policy, lowered: Sequence[LoweredQdisc], target: Target
) -> tuple[list[Section], list[Diagnostic]]:
    """Return the section of every link that is shaped, and what sqm cannot be told."""
    made: list[Section] = []
    found: list[Diagnostic] = []
    taken: dict[str, str] = {}
    for index, link in enumerate(policy.links):
        ends: Ends = {one.wish.direction: one for one in lowered if one.wish.link is link}
        if not ends:
            continue
        found += _not_for_sqm(policy, link, index, target)
        device = next(iter(ends.values())).wish.device.name
        if device in taken:
            found.append(_second(target, index, device, taken[device]))
        taken.setdefault(device, link.name)
        section, more = _section(link, device, ends)
        found += more
        made.append(section)
    return made, found


def _second(target: Target, index: int, device: str, other: str) -> Diagnostic:
    return error(
        "sqm-cannot",
        span_at(target.spans, ("links", index, "device")),
        f"sqm shapes {device} once, and the link `{other}` already does",
        "it skips a second section for the same interface in silence",
        "say what both should do in one link",
    )


def _not_for_sqm(policy: Policy, link: Link, index: int, target: Target) -> Iterator[Diagnostic]:
    """Yield an error for each thing that no option of sqm stands for."""
    if link.device.name is None:
        yield error(
            "sqm-cannot",
            span_at(target.spans, ("links", index, "device")),
            "sqm takes the name of one interface, not a pattern",
            "write the device's name, one link for each",
        )
    tiers: list[tuple[Path, Tier]] = [
        (("tiers", number), tier) for number, tier in enumerate(policy.tiers)
    ]
    tiers += [(("links", index, "tiers", number), tier) for number, tier in enumerate(link.tiers)]
    for path, tier in tiers:
        yield error(
            "sqm-cannot",
            span_at(target.spans, path),
            f"sqm has no rules that put packets into the tier `{tier.name}`",
            "it takes each packet's DSCP as it comes",
            "let the hosts mark their packets, and leave the tier out for OpenWrt",
        )


def _section(link: Link, device: str, ends: Ends) -> tuple[Section, list[Diagnostic]]:
    found = list(_one_kind(ends))
    for one in ends.values():
        found += _rate_findings(one)
    kind = next(iter(ends.values())).kind
    framing = wire_size(link.framing)
    if kind in CAKES:
        words, script = ends_of_cake(ends, framing), script_of_cake(ends)
        qdisc = "cake"
    else:
        found += ends_of_tbf(ends)
        words, script, qdisc = {}, SCRIPT_OF_TBF, "fq_codel"
        framing = size_for_tbf(next(iter(ends.values())), framing)
    options = [
        ("enabled", "1"),
        ("interface", device),
        ("download", _kbit(ends.get("ingress"))),
        ("upload", _kbit(ends.get("egress"))),
        ("qdisc", qdisc),
        ("script", script),
        ("use_mq", "1" if kind == "cake_mq" else "0"),
        *_line(framing, qdisc),
    ]
    if words:
        # LuCI deletes options whose group is not ticked when somebody saves the page.
        options += [
            ("qdisc_advanced", "1"),
            ("squash_dscp", "0"),
            ("squash_ingress", "0"),
            ("qdisc_really_really_advanced", "1"),
            *((name, text) for name, text in words.items()),
        ]
    return Section(section_name(link.name), tuple(options)), found


def _line(framing: WireSize, qdisc: str) -> list[tuple[str, str]]:
    """Return how sqm is told of the framing; PTM goes with CAKE's own words."""
    if framing.raw:
        return [("linklayer", "none")]
    return [
        ("linklayer_advanced", "1"),
        ("linklayer", "atm" if framing.cells == "atm" else "ethernet"),
        ("overhead", str(framing.overhead)),
        ("tcMPU", str(framing.mpu)),
        ("linklayer_adaptation_mechanism", "cake" if qdisc == "cake" else "tc_stab"),
    ]


def _kbit(one: LoweredQdisc | None) -> str:
    if one is None:
        return "0"
    bandwidth = one.wish.shaping.bandwidth
    rate = bandwidth.rate if bandwidth else None
    return str(rate // KBIT) if isinstance(rate, int) else "0"


def _rate_findings(one: LoweredQdisc) -> Iterator[Diagnostic]:
    bandwidth, wish = one.wish.shaping.bandwidth, one.wish
    if bandwidth is None or not isinstance(bandwidth.rate, int):
        yield error(
            "sqm-cannot",
            wish.at("bandwidth"),
            f"sqm cannot shape {wish.direction} without a rate",
            "its rate of 0 means: leave this direction alone",
            "write a bandwidth, or leave this direction out",
        )
        return
    if bandwidth.rate % KBIT:
        yield note(
            "sqm-rate-rounded",
            wish.at("bandwidth"),
            f"sqm counts whole kbit/s: {bandwidth.rate}bit becomes {bandwidth.rate // KBIT}kbit",
        )
    if bandwidth.rate < KBIT:
        yield error(
            "sqm-cannot", wish.at("bandwidth"), "sqm cannot shape to less than 1kbit",
            "it would take the rate for 0, which means: leave this direction alone",
        )  # fmt: skip
    if bandwidth.minimum is not None:
        yield warning(
            "sqm-daemon-rate",
            wish.at("bandwidth"),
            "sqm keeps one rate: nothing here moves it between its bounds",
            "run an autorate daemon beside it, with these bounds",
        )


def _one_kind(ends: Ends) -> Iterator[Diagnostic]:
    kinds = {one.kind for one in ends.values()}
    if len(kinds) > 1:
        one = ends["ingress"]
        yield error(
            "sqm-cannot",
            one.wish.at("qdisc"),
            f"sqm uses one kind of qdisc for both directions, not {' and '.join(sorted(kinds))}",
            "write the same `qdisc` for both",
        )
