"""qosmate's configuration, for routers that have it in place of sqm: `-O daemon=qosmate`.

It keeps one WAN, makes CAKE in both directions, and marks by rules of its own, whose marks its
ctinfo filter restores. Source: etc/config/qosmate and `setup_cake` of etc/qosmate.sh at ad5ef37.
"""

from collections.abc import Iterator, Mapping

from tcc.dscp import name_of
from tcc.express import Loss, Request, Written, header, is_cake, said_of
from tcc.ir import Match, PortRange, Tier
from tcc.lower import LoweredQdisc
from tcc.lower.marks import goes_there, mark_of
from tcc.plan.state import FileItem
from tcc.plugin import Verdict
from tcc.tcwords.cake import CakeSaid
from tcc.tcwords.sqm import KBIT
from tcc_plugins.openwrt.uci import Section, batch_text, config_text, section_name

CONFIG, BATCH = "etc/config/qosmate", "qosmate.uci"
SIDES = {"egress": "EGRESS", "ingress": "INGRESS"}
ISOLATED = {"egress": "dual-srchost", "ingress": "dual-dsthost"}


def qosmate(request: Request) -> Written:
    """Return the whole configuration, and what qosmate cannot be told."""
    devices = request.by_device()
    if not devices:
        return Written()
    device, ends = next(iter(devices.items()))
    losses = [loss for one in request.lowered for loss in _fits(one, device, ends)]
    said = {side: said_of(one) for side, one in ends.items() if is_cake(one)}
    if len(said) < 2:
        return Written(losses=losses)
    losses += _line_differs(ends, said)
    first = ends["egress"].wish
    rules: list[Section] = []
    for tier in first.tiers:
        for match in tier.matches:
            made = _rule(tier, match, said["egress"].mode, len(rules))
            if made is None:
                losses.append(_no_rule(ends["egress"], tier))
            elif made.options:
                rules.append(made)
    sections = [*_sections(device, said, ends), *rules]
    return Written(
        {
            CONFIG: FileItem(config_text(sections, header(request))),
            BATCH: FileItem(batch_text(sections, "qosmate")),
        },
        losses,
    )


def _fits(one: LoweredQdisc, device: str, ends: Mapping[str, LoweredQdisc]) -> Iterator[Loss]:
    wish = one.wish
    if wish.device.name != device:
        yield _cannot(one, "device", f"qosmate shapes one WAN, and that is {device}")
    if len(ends) < 2:
        yield _cannot(one, wish.direction, "qosmate always shapes both directions")
    if wish.link.connection_mark is not None:
        yield _cannot(one, "connection-mark", "qosmate keeps DSCPs in bits of its own choice")
    if not is_cake(one):
        yield _cannot(one, "qdisc", f"qosmate has no way to make a {one.kind} here")
        return
    said = said_of(one)
    if not said.rate:
        yield _cannot(one, "bandwidth", "qosmate needs a rate")
    elif said.rate % KBIT:
        yield Loss(
            wish, "bandwidth",
            f"qosmate counts whole kbit/s: {said.rate}bit becomes {said.rate // KBIT}kbit",
            verdict=Verdict.APPROXIMATED,
        )  # fmt: skip
    if said.ingress != (wish.direction == "ingress"):
        yield _cannot(one, "ingress", "qosmate charges drops for what comes in, and only there")


def _cannot(one: LoweredQdisc, clause: str, message: str) -> Loss:
    return Loss(one.wish, clause, message, code="sqm-cannot")


def _line_differs(ends: Mapping[str, LoweredQdisc], said: Mapping[str, CakeSaid]) -> Iterator[Loss]:
    lines = {(one.raw, one.cells, one.overhead, one.mpu) for one in said.values()}
    if len(lines) > 1:
        yield _cannot(ends["ingress"], "framing", "qosmate has one framing for both directions")


def _sections(
    device: str, said: Mapping[str, CakeSaid], ends: Mapping[str, LoweredQdisc]
) -> Iterator[Section]:
    up, down = said["egress"], said["ingress"]
    yield Section("global", (("enabled", "1"),), "global")
    yield Section(
        "settings",
        (
            ("WAN", device), ("DOWNRATE", str(down.rate // KBIT)),
            ("UPRATE", str(up.rate // KBIT)), ("ROOT_QDISC", "cake"),
        ),
        "settings",
    )  # fmt: skip
    yield Section("advanced", tuple(_advanced(up, down)), "advanced")
    yield Section("cake", tuple(_cake(said, ends)), "cake")
    yield Section("autorate", tuple(_autorate(ends)), "autorate")


def _advanced(up: CakeSaid, down: CakeSaid) -> Iterator[tuple[str, str]]:
    yield "PRESERVE_CONFIG_FILES", "1"
    yield "WASHDSCPUP", str(int(up.wash))
    yield "WASHDSCPDOWN", str(int(down.wash))
    # Nothing that the policy does not say: qosmate marks by behaviour otherwise.
    for name in ("UDP_RATE_LIMIT", "TCP_UPGRADE", "TCP_DOWNPRIO_INITIAL", "TCP_DOWNPRIO_SUSTAINED"):
        yield f"{name}_ENABLED", "0"
    yield "COMMON_LINK_PRESETS", "raw" if up.raw else "ethernet"
    yield "OVERHEAD", str(up.overhead)
    yield "MPU", str(up.mpu)
    yield "LINK_COMPENSATION", up.cells
    yield "NFT_HOOK", "postrouting"


def _cake(
    said: Mapping[str, CakeSaid], ends: Mapping[str, LoweredQdisc]
) -> Iterator[tuple[str, str]]:
    for side, name in SIDES.items():
        yield f"PRIORITY_QUEUE_{name}", said[side].mode
    isolated = all(said[side].flow == flow for side, flow in ISOLATED.items())
    yield "USE_MQ", str(int(ends["egress"].kind == "cake_mq"))
    yield "HOST_ISOLATION", str(int(isolated))
    for side, name in SIDES.items():
        yield f"NAT_{name}", str(int(said[side].nat))
    yield "ACK_FILTER_EGRESS", str(int(said["egress"].ack == "ack-filter"))
    yield "AUTORATE_INGRESS", str(int(said["ingress"].autorate))
    for side, name in SIDES.items():
        yield f"EXTRA_PARAMETERS_{name}", " ".join(_extra(said[side], side, isolated))


def _extra(said: CakeSaid, side: str, isolated: bool) -> Iterator[str]:
    if side == "egress" and said.autorate:
        yield "autorate-ingress"
    if not isolated:
        yield said.flow
    if not (side == "egress" and said.ack == "ack-filter"):
        yield said.ack
    yield "split-gso" if said.split else "no-split-gso"
    yield from ("rtt", f"{said.rtt}us")
    if said.memlimit:
        yield from ("memlimit", str(said.memlimit))
    if said.fwmark:
        yield from ("fwmark", f"{said.fwmark:#x}")


def _autorate(ends: Mapping[str, LoweredQdisc]) -> Iterator[tuple[str, str]]:
    moving = {
        side: bandwidth
        for side, one in ends.items()
        if (bandwidth := one.wish.shaping.bandwidth) and bandwidth.minimum is not None
    }
    yield "enabled", str(int(bool(moving)))
    for side, name in (("egress", "ul"), ("ingress", "dl")):
        bandwidth = ends[side].wish.shaping.bandwidth
        if not moving or bandwidth is None or not isinstance(bandwidth.rate, int):
            continue
        rate = bandwidth.rate
        low, high = bandwidth.minimum or rate, bandwidth.maximum or rate
        for word, value in (("min", low), ("base", rate), ("max", high)):
            yield f"{word}_{name}_rate", str(value // KBIT)


def _rule(tier: Tier, match: Match, mode: str, number: int) -> Section | None:
    """Return a rule of qosmate; one without options where CAKE needs none, None if there is none.

    Its source is the hosts' side: it marks what leaves, and the connection keeps the mark.
    """
    if match == Match(dscp=match.dscp):
        native = all(goes_there(one, tier.tin, mode) for one in match.dscp)
        return Section("", ()) if native else None
    if match.dscp or match.marks or match.ports or match.devices:
        return None
    if set(match.protocols) - {"tcp", "udp", "icmp"}:
        return None
    name = f"{section_name(tier.name)}_{number}"
    options = [("name", name), ("class", name_of(mark_of(tier.tin, mode)))]
    for option, values in (
        ("proto", match.protocols),
        ("src_ip", match.local_addresses),
        ("dest_ip", match.remote_addresses),
        ("src_port", [_port(one) for one in match.local_ports]),
        ("dest_port", [_port(one) for one in match.remote_ports]),
    ):
        if values:
            options.append((option, " ".join(values)))
    return Section(name, (*options, ("counter", "1")), "rule")


def _port(one: PortRange) -> str:
    return str(one.first) if one.first == one.last else f"{one.first}-{one.last}"


def _no_rule(one: LoweredQdisc, tier: Tier) -> Loss:
    return Loss(
        one.wish, f"tier {tier.name}", f"qosmate has no rule for what the tier `{tier.name}` says",
        ("its rules know protocol, addresses and ports of each side", "use `-O daemon=sqm`"),
        code="sqm-cannot",
    )  # fmt: skip
