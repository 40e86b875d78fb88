"""A link in sqm's words: one section per interface, both directions in it."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from tcc.express import Loss, Request, is_cake, said_of
from tcc.lower import LoweredQdisc
from tcc.lower.ingress import Masks
from tcc.lower.nft import MARK
from tcc.plan.state import MARKS, REDIRECT, FilterItem, Place, RulesItem
from tcc.plugin import Verdict
from tcc.tcwords.cake import CakeSaid
from tcc.tcwords.sqm import KBIT, ifb_of
from tcc_plugins.openwrt import tbf
from tcc_plugins.openwrt.cake import OPTION_OF, Line, line_of, options_text, script_of
from tcc_plugins.openwrt.releases import Router
from tcc_plugins.openwrt.uci import Section, section_names

Ends = dict[str, LoweredQdisc]
PLAIN = re.compile(r"[A-Za-z0-9._@:+-]+")
PTM_NUMERATOR, PTM_DENOMINATOR = 64, 65
"""PTM puts one byte before every 64."""


@dataclass(frozen=True, slots=True)
class Shaped:
    """A device that sqm shapes: its section, and what its tiers take."""

    link: str
    device: str
    section: Section
    ends: Ends
    rules: RulesItem | None
    restores: Masks | None
    """The masks with which a connection's mark holds the DSCP."""

    @property
    def ifb(self) -> str | None:
        """Sqm's device for what comes in, if that is shaped."""
        return ifb_of(self.device) if "ingress" in self.ends else None


def shaped(request: Request, router: Router) -> tuple[list[Shaped], list[Loss]]:
    """Return every device that sqm can shape, and what it cannot be told."""
    made: list[Shaped] = []
    losses: list[Loss] = []
    ifbs: dict[str, str] = {}
    ends_of = request.by_device()
    names = section_names(_section_of(ends) for ends in ends_of.values())
    for device, ends in ends_of.items():
        one = next(iter(ends.values()))
        losses += _not_for_sqm(one, device)
        losses += _same_ifb(ends, device, ifbs)
        rules, restores = _marks(request, device)
        options, lost = _options(device, ends, router, restores)
        losses += lost
        section = Section(names[_section_of(ends)], options)
        made.append(Shaped(one.wish.link.name, device, section, ends, rules, restores))
    return made, losses


def _section_of(ends: Ends) -> str:
    one = next(iter(ends.values()))
    link = one.wish.link
    return link.name if link.device.name is not None else f"{link.name}_{one.wish.device.name}"


def _marks(request: Request, device: str) -> tuple[RulesItem | None, Masks | None]:
    state = request.wanted.state
    rules, redirect = state.get(Place(device, MARKS)), state.get(Place(device, REDIRECT))
    return (
        rules if isinstance(rules, RulesItem) else None,
        redirect.restores if isinstance(redirect, FilterItem) else None,
    )


def _not_for_sqm(one: LoweredQdisc, device: str) -> Iterator[Loss]:
    """Yield a loss where no section of sqm can stand for the device."""
    if one.wish.link.device.name is None:
        yield Loss(
            one.wish, "device", "sqm takes the name of one interface, not a pattern",
            ("write the device's name, one link for each",), code="sqm-cannot",
        )  # fmt: skip
    if not PLAIN.fullmatch(device):
        yield Loss(
            one.wish, "device", f"sqm's scripts do not quote the name `{device}`",
            ("give the device a name of letters, digits, `.`, `-`, `_`",), code="sqm-cannot",
        )  # fmt: skip


def _same_ifb(ends: Ends, device: str, taken: dict[str, str]) -> Iterator[Loss]:
    """Sqm cuts the name of its ifb, so that two long names can mean one ifb."""
    if "ingress" not in ends:
        return
    other = taken.setdefault(ifb_of(device), device)
    if other != device:
        yield Loss(
            ends["ingress"].wish, "device",
            f"sqm would shape what comes in on {device} and on {other} by one {ifb_of(device)}",
            ("give one of the two devices a shorter name",), code="sqm-cannot",
        )  # fmt: skip


def _options(
    device: str, ends: Ends, router: Router, restores: Masks | None
) -> tuple[tuple[tuple[str, str], ...], list[Loss]]:
    losses = [*_one_kind(ends), *_queues(ends, router)]
    first = next(iter(ends.values()))
    cakes = all(is_cake(one) for one in ends.values())
    said = {direction: said_of(one) for direction, one in ends.items()} if cakes else {}
    for direction, one in ends.items():
        losses += _rate_losses(one, _ptm(said.get(direction), router))
    options = [
        ("enabled", "1"),
        ("interface", device),
        ("download", _kbit(ends, said, "ingress", router)),
        ("upload", _kbit(ends, said, "egress", router)),
    ]
    if cakes:
        line = line_of(said)
        kind, script, words = "cake", script_of(said), _cake_words(said, line, router)
        if restores is not None:
            script = restoring(restores)
    else:
        for one in ends.values():
            losses += tbf.losses(one)
        line, kind, script = _tbf_line(first), tbf.inner_of(first)[0], tbf.SCRIPT
        words = {OPTION_OF[direction]: tbf.inner_of(one)[1] for direction, one in ends.items()}
    options += [("qdisc", kind), ("script", script)]
    if router.sqm.use_mq:
        options.append(("use_mq", "1" if first.kind == "cake_mq" else "0"))
    options += _line(line, cake=cakes)
    # LuCI deletes options whose group is not ticked when somebody saves the page.
    options += [
        ("qdisc_advanced", "1"), ("squash_dscp", "0"), ("squash_ingress", "0"),
        ("qdisc_really_really_advanced", "1"),
        *((name, text) for name, text in sorted(words.items(), reverse=True) if text),
    ]  # fmt: skip
    return tuple(options), losses


def restoring(masks: Masks) -> str:
    """Return the name of our script: layer_cake, and a filter that restores DSCPs.

    >>> restoring((0x3F, 0x80)), restoring((0x3F00, 0x4000))
    ('tcc_cake.qos', 'tcc_cake_3f00_4000.qos')
    """
    usual = masks == (MARK.dscp, MARK.valid)
    return "tcc_cake.qos" if usual else f"tcc_cake_{masks[0]:x}_{masks[1]:x}.qos"


def _cake_words(said: dict[str, CakeSaid], line: Line, router: Router) -> dict[str, str]:
    return {
        OPTION_OF[direction]: options_text(one, line, ptm=not router.ptm_by_rate)
        for direction, one in said.items()
    }


def _tbf_line(one: LoweredQdisc) -> Line:
    """Return the framing on top of what the kernel counts for a size table.

    CAKE counts from the IP header, a size table from the link-layer header; the settings of tbf
    have had the difference taken off.
    """
    overhead, mpu, layer = (
        getattr(one.settings, name, 0) for name in ("overhead", "mpu", "linklayer")
    )
    if not overhead and not mpu and layer != 2:
        return Line("none")
    return Line("atm" if layer == 2 else "ethernet", overhead, mpu)


def _line(line: Line, *, cake: bool) -> list[tuple[str, str]]:
    """Return how sqm is told of the framing."""
    if line.layer == "none":
        return [("linklayer", "none")]
    return [
        ("linklayer_advanced", "1"),
        ("linklayer", line.layer),
        ("overhead", str(line.overhead)),
        ("tcMPU", str(line.mpu)),
        ("linklayer_adaptation_mechanism", "cake" if cake else "tc_stab"),
    ]


def _rate(one: LoweredQdisc) -> int | None:
    bandwidth = one.wish.shaping.bandwidth
    rate = bandwidth.rate if bandwidth else None
    return rate if isinstance(rate, int) else _rate_in_block(one)


def _rate_in_block(one: LoweredQdisc) -> int | None:
    """Return the rate that only the qdisc's own block says, in bit/s."""
    return said_of(one).rate or None if is_cake(one) else None


def _ptm(said: CakeSaid | None, router: Router) -> bool:
    return router.ptm_by_rate and said is not None and said.cells == "ptm"


def _kbit(ends: Ends, said: dict[str, CakeSaid], direction: str, router: Router) -> str:
    rate = _rate(ends[direction]) if direction in ends else None
    if rate is None:
        return "0"
    if _ptm(said.get(direction), router):
        rate = rate * PTM_NUMERATOR // PTM_DENOMINATOR
    return str(rate // KBIT)


def _rate_losses(one: LoweredQdisc, ptm: bool) -> Iterator[Loss]:
    bandwidth, wish, rate = one.wish.shaping.bandwidth, one.wish, _rate(one)
    if rate is None:
        yield Loss(
            wish, "bandwidth", f"sqm cannot shape {wish.direction} without a rate",
            (
                "its rate of 0 means: leave this direction alone",
                "write a bandwidth, or leave this direction out",
            ),
            code="sqm-cannot",
        )  # fmt: skip
        return
    if rate < KBIT:
        yield Loss(
            wish, "bandwidth", "sqm cannot shape to less than 1kbit",
            ("it would take the rate for 0, which means: leave this direction alone",),
            code="sqm-cannot",
        )  # fmt: skip
    elif rate % KBIT and not ptm:
        yield Loss(
            wish, "bandwidth",
            f"sqm counts whole kbit/s: {rate}bit becomes {rate // KBIT}kbit",
            verdict=Verdict.APPROXIMATED, code="sqm-rate-rounded",
        )  # fmt: skip
    if ptm:
        lower = rate * PTM_NUMERATOR // PTM_DENOMINATOR // KBIT
        yield Loss(
            wish, "framing",
            f"PTM's byte before every 64 is taken off the rate: {lower}kbit in place of {rate}bit",
            ("CAKE itself counts it for each packet, up to a byte more",),
            verdict=Verdict.APPROXIMATED,
        )  # fmt: skip
    if bandwidth is not None and bandwidth.minimum is not None and not is_cake(one):
        yield Loss(
            wish, "bandwidth", "an autorate daemon moves the rate of a CAKE, not of a tbf",
            code="sqm-cannot",
        )  # fmt: skip


def _one_kind(ends: Ends) -> Iterator[Loss]:
    kinds = {one.kind for one in ends.values()}
    if len(kinds) > 1:
        yield Loss(
            ends["ingress"].wish, "qdisc",
            f"sqm uses one kind of qdisc for both directions, not {' and '.join(sorted(kinds))}",
            ("write the same `qdisc` for both",), code="sqm-cannot",
        )  # fmt: skip


def _queues(ends: Ends, router: Router) -> Iterator[Loss]:
    for one in ends.values():
        if one.kind == "cake_mq" and not router.sqm.use_mq:
            yield Loss(
                one.wish, "qdisc", f"sqm-scripts {router.version} cannot make a cake_mq",
                ("it can from 1.7 on: `-O sqm=1.7`", "or write `qdisc cake`"), code="sqm-cannot",
            )  # fmt: skip
        if one.kind not in ("cake", "cake_mq", "tbf"):
            yield Loss(
                one.wish, "qdisc", f"sqm has no script that makes a {one.kind}",
                ("write `qdisc cake`",), code="sqm-cannot",
            )  # fmt: skip
