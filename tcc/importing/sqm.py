"""sqm-scripts: `/etc/config/sqm` of OpenWrt, and `/etc/sqm/DEVICE.iface.conf` of other systems.

What the scripts add is in `tcc.tcwords.sqm`. Source: run-openwrt.sh, defaults.sh and the scripts
of sqm-scripts; the options that luci-app-sqm writes.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from tcc.importing.found import Bucket, End, FoundLink, Imported, Kind, remarks_of
from tcc.importing.shell import UNKNOWN, commands, with_batches
from tcc.importing.uci import Section, read_uci
from tcc.tcwords.cake import CakeSaid, Replay, replay
from tcc.tcwords.sqm import IFB_PREFIX, KBIT, LONGEST, script_words, tbf_burst

NEWEST: Final = "1.7"
CAKES: Final = ("piece_of_cake.qos", "layer_cake.qos", "tcc_cake.qos")
TIERED: Final = {"simple.qos": "three classes by DSCP and marks", "simplest.qos": "one class"}
SIDES: Final = {"egress": ("upload", "eqdisc_opts"), "ingress": ("download", "iqdisc_opts")}
DEFAULTS: Final = {"upload": "2302", "download": "14698"}
"""What defaults.sh takes where a rate is empty."""
FASTEST: Final = 10_000_000
"""kbit/s: nobody's router shapes 10 Gbit/s; who asks for it has counted in bit/s."""
ATM_CELLS: Final = "atm"
TBF_LATENCY: Final = 300_000
CONF_OF: Final = {
    "UPLINK": "upload", "DOWNLINK": "download", "SCRIPT": "script", "QDISC": "qdisc",
    "LLAM": "linklayer_adaptation_mechanism", "LINKLAYER": "linklayer", "OVERHEAD": "overhead",
    "STAB_MTU": "tcMTU", "STAB_TSIZE": "tcTSIZE", "STAB_MPU": "tcMPU", "ILIMIT": "ilimit",
    "ELIMIT": "elimit", "ITARGET": "itarget", "ETARGET": "etarget", "IECN": "ingress_ecn",
    "EECN": "egress_ecn", "IQDISC_OPTS": "iqdisc_opts", "EQDISC_OPTS": "eqdisc_opts",
    "ZERO_DSCP_INGRESS": "squash_dscp", "IGNORE_DSCP_INGRESS": "squash_ingress",
    "SQUASH_DSCP": "squash_dscp", "SQUASH_INGRESS": "squash_ingress", "ENABLED": "enabled",
    "IFACE": "interface", "TARGET": "target",
}  # fmt: skip


def read_sqm(text: str, version: str = NEWEST) -> Imported:
    """Return the links of a whole `/etc/config/sqm`.

    Args:
        text: the file.
        version: that of sqm-scripts, a key of `tcc.tcwords.sqm.SQM`: 1.7 says `nat` by itself.
    """
    imported = Imported()
    for section in read_uci(text, imported):
        if section.kind == "queue":
            _section(section, imported, version)
    return imported


def read_uci_commands(text: str, version: str = NEWEST) -> Imported:
    """Return the links of `uci set` commands, in a script or as input of `uci batch`."""
    imported = Imported()
    sections: dict[str, Section] = {}
    for command in commands(with_batches(text)):
        words = [word for word in command.words if word not in ("uci", "-q")]
        if len(words) < 2 or words[0] not in ("set", "add_list", "delete", "del"):
            continue
        place, equals, value = words[1].partition("=")
        parts = place.split(".")
        if parts[0] != "sqm" or len(parts) < 2:
            continue
        if words[0].startswith("del"):
            sections.pop(parts[1], None)
            continue
        section = sections.setdefault(parts[1], Section("queue", parts[1], {}, command.line))
        if equals and len(parts) == 3:
            if UNKNOWN in value or "$" in value:
                shown = value.replace(UNKNOWN, "?")
                imported.say(
                    Kind.LOST, "not-plain", f"only a shell knows {words[1][:-len(value)]}{shown}",
                    command.line,
                )  # fmt: skip
            else:
                section.options[parts[2]] = value
    for section in sections.values():
        section.options.setdefault("enabled", "1")
        _section(section, imported, version)
    return imported


def read_iface_conf(text: str, device: str | None, version: str = NEWEST) -> Imported:
    """Return the link of one `DEVICE.iface.conf`, which is a list of shell assignments."""
    options: dict[str, str] = {}
    for command in commands(text):
        for word in command.words:
            name, equals, value = word.partition("=")
            if equals and name in CONF_OF:
                options[CONF_OF[name]] = value
    if device:
        options.setdefault("interface", device)
    options.setdefault("enabled", "1")
    imported = Imported()
    _section(Section("queue", "", options, 1), imported, version)
    return imported


@dataclass(slots=True)
class _Queue:
    section: Section
    version: str
    link: FoundLink

    def get(self, name: str, default: str = "") -> str:
        return self.section.options.get(name) or default

    def number(self, name: str, default: int) -> int:
        text = self.get(name)
        if not text:
            return default
        try:
            return int(text)
        except ValueError:
            self.link.say(
                Kind.LOST, "number", f"{name} `{text}` is no whole number", self.section.line
            )
            return default


def _section(section: Section, imported: Imported, version: str) -> None:
    device = section.options.get("interface", "")
    if not device:
        imported.say(Kind.LOST, "no-interface", "a queue names no interface", section.line)
        return
    if section.options.get("enabled") != "1":
        imported.say(
            Kind.LOST, "disabled", f"the queue on {device} is not enabled, so sqm leaves it alone",
            section.line,
        )  # fmt: skip
        return
    if any(link.device == device for link in imported.links):
        imported.say(
            Kind.DOUBLE, "second-section",
            f"a second queue for {device}: sqm skips it in silence", section.line,
        )  # fmt: skip
        return
    link = imported.link(device)
    link.name = section.name.replace("_", "-") if section.name != device else ""
    queue = _Queue(section, version, link)
    _checks(queue, imported)
    for side, (rate, _) in SIDES.items():
        kbit = queue.number(rate, int(DEFAULTS[rate]))
        if not queue.get(rate):
            link.say(
                Kind.SUSPICIOUS, "rate-empty",
                f"no {rate}: sqm takes {kbit}kbit, which nobody chose", section.line,
            )  # fmt: skip
        if kbit >= FASTEST:
            link.say(
                Kind.SUSPICIOUS, "rate-in-bits",
                f"sqm counts kbit/s: {rate} {kbit} is {kbit // 10**6}gbit", section.line,
            )  # fmt: skip
        if kbit > 0:
            link.ends[side] = _end(queue, side, kbit)
    if not link.ends:
        imported.links.remove(link)
        imported.remarks += link.remarks
        imported.say(
            Kind.LOST, "rates-zero",
            f"the queue on {device} has a rate of 0 both ways: sqm leaves it alone", section.line,
        )  # fmt: skip


def _checks(queue: _Queue, imported: Imported) -> None:
    link, section = queue.link, queue.section
    mechanism, layer = (
        queue.get("linklayer_adaptation_mechanism", "default"),
        queue.get("linklayer"),
    )
    overheads = any("overhead" in queue.get(words).split() for _, words in SIDES.values())
    if _is_cake(queue) and mechanism == "tc_stab" and layer not in ("", "none"):
        link.say(
            Kind.DOUBLE if overheads else Kind.LOST,
            "stab-and-overhead" if overheads else "stab",
            "a size table under cake" + (", which counts overhead itself as well" if overheads
            else ": the policy gives cake the numbers"), section.line,
        )  # fmt: skip
    if layer == ATM_CELLS and not _looks_like_adsl(queue):
        link.say(
            Kind.SUSPICIOUS, "atm-on-fibre",
            "ATM cells on a line that is hardly ADSL: 5 of 53 bytes (9.4%) are given away",
            section.line,
        )  # fmt: skip
    ifb = (IFB_PREFIX + link.device)[:LONGEST]
    for other in imported.links:
        if other is not link and (IFB_PREFIX + other.device)[:LONGEST] == ifb:
            link.say(
                Kind.DOUBLE, "ifb-shared",
                f"sqm cuts the name of the ifb: {ifb} is that of {other.device} too", section.line,
            )  # fmt: skip
    if queue.get("download") == "0" and "ingress" in queue.get("eqdisc_opts").split():
        link.say(Kind.SUSPICIOUS, "ingress-on-egress", "`ingress` on egress", section.line)


def _looks_like_adsl(queue: _Queue) -> bool:
    """Whether cells may be right: not a mobile device, and no faster than ADSL2+ is."""
    device = queue.link.device
    if device.startswith(("wwan", "usb", "ww", "wlan", "phy", "lte", "rmnet")):
        return False
    down, up = queue.number("download", 0), queue.number("upload", 0)
    return down <= 24_000 and up <= 5_696


def _is_cake(queue: _Queue) -> bool:
    return queue.get("script") in CAKES or queue.get("qdisc", "fq_codel").startswith("cake")


def _end(queue: _Queue, side: str, kbit: int) -> End:
    script, line = queue.get("script"), queue.section.line
    if script == "simplest_tbf.qos":
        return _tbf(queue, side, kbit)
    if script in CAKES:
        return _cake(queue, side, kbit, script)
    if script in TIERED and not queue.get("qdisc").startswith("cake"):
        queue.link.say(
            Kind.LOST, "htb-script",
            f"{script} makes htb with {TIERED[script]} and {queue.get('qdisc', 'fq_codel')}: CAKE "
            "does it in their place", line,
        )  # fmt: skip
        mode = "besteffort" if script == "simplest.qos" or _squashed(queue, side) else "diffserv3"
        said = CakeSaid(rate=kbit * KBIT, mode=mode, ingress=side == "ingress")
        return End("cake", _with_line(queue, said))
    if script == "simplest.qos":
        said = CakeSaid(rate=kbit * KBIT, mode="besteffort")
        return End("cake", _with_line(queue, said))
    queue.link.say(
        Kind.LOST, "script-unknown",
        f"nothing is known of `{script or 'no script'}`: rates and options are kept", line,
    )  # fmt: skip
    return _cake(queue, side, kbit, "layer_cake.qos")


def _squashed(queue: _Queue, side: str) -> bool:
    return side == "ingress" and queue.get("squash_ingress", "1") == "1"


def _cake(queue: _Queue, side: str, kbit: int, script: str) -> End:
    mq = queue.get("use_mq") == "1" and queue.version != "1.6"
    kind = "cake_mq" if mq or queue.get("qdisc") == "cake_mq" else "cake"
    wash = queue.get("squash_dscp", "1") == "1"
    shipped = "layer_cake.qos" if script == "tcc_cake.qos" else script
    own = script_words(
        shipped, side, queue.version, wash=wash, plain=queue.get("squash_ingress", "1") == "1"
    )
    words = queue.get(SIDES[side][1]).split()
    theirs = replay(words)
    where = SIDES[side][1]
    queue.link.remarks += remarks_of(theirs, where, queue.section.line)
    _mode_twice(queue, shipped, theirs, where)
    given = _line_words(queue)
    if given and "overhead" in theirs.mentioned:
        queue.link.say(
            Kind.DOUBLE, "overhead-twice",
            f"overhead is an option and in {where}: cake's last word is "
            f"{replay([*given, *words]).said.overhead}", queue.section.line,
        )  # fmt: skip
    said = replay(["bandwidth", f"{kbit}kbit", *given, *own, *words]).said
    if side == "ingress" and not said.ingress:
        queue.link.say(
            Kind.SUSPICIOUS, "ingress-uncharged",
            "drops are not charged on the way in (`ingress` is not among iqdisc_opts), so more "
            "comes in than the rate", queue.section.line,
        )  # fmt: skip
    return End(kind, said)


def _mode_twice(queue: _Queue, script: str, theirs: Replay, where: str) -> None:
    """Say it where the script was chosen for one division into tins and the options for another."""
    modes = theirs.mentioned.get("mode", [])
    plain = script == "piece_of_cake.qos"
    if modes and (modes[-1] == "besteffort") is not plain:
        queue.link.say(
            Kind.DOUBLE, "said-twice",
            f"{script} and `{modes[-1]}` in {where} contradict each other: the options hold",
            queue.section.line,
        )  # fmt: skip


def _line_words(queue: _Queue) -> Sequence[str]:
    """Return the words on framing that the script gives to cake."""
    layer = queue.get("linklayer", "none")
    mechanism = queue.get("linklayer_adaptation_mechanism", "default")
    if layer == "none" or mechanism not in ("default", "cake", "tc_stab"):
        return []
    overhead, mpu = _bounded(queue, "overhead", (-64, 256)), _bounded(queue, "tcMPU", (0, 256))
    cells = [ATM_CELLS] if layer == ATM_CELLS else []
    return [*cells, "overhead", str(overhead), "mpu", str(mpu)]


def _bounded(queue: _Queue, name: str, bounds: tuple[int, int]) -> int:
    number = queue.number(name, 0)
    if bounds[0] <= number <= bounds[1]:
        return number
    queue.link.say(
        Kind.LOST, "number", f"{name} {number}: cake takes {bounds[0]}..{bounds[1]}",
        queue.section.line,
    )  # fmt: skip
    return 0


def _with_line(queue: _Queue, said: CakeSaid) -> CakeSaid:
    line = replay(_line_words(queue)).said
    return said._replace(raw=line.raw, overhead=line.overhead, mpu=line.mpu, cells=line.cells)


def _tbf(queue: _Queue, side: str, kbit: int) -> End:
    words = tuple(queue.get(SIDES[side][1]).split())
    kind = queue.get("qdisc", "fq_codel")
    if kind.startswith("cake"):
        kind = "fq_codel"
    own: tuple[str, ...] = ()
    if kind == "fq_codel":
        limit = queue.get("ilimit" if side == "ingress" else "elimit", "1001")
        own = ("limit", limit, "flows", "1024")
    framed = queue.get("linklayer", "none") != "none"
    inner = (kind, _last_of((*own, *words))) if kind in ("fq_codel", "sfq") else None
    return End(
        "tbf",
        bucket=Bucket(
            rate=kbit * KBIT,
            burst=tbf_burst(kbit),
            latency=TBF_LATENCY,
            overhead=queue.number("overhead", 0) if framed else 0,
            mpu=queue.number("tcMPU", 0) if framed else 0,
            atm=queue.get("linklayer") == ATM_CELLS,
            inner=inner,
        ),
    )


def _last_of(words: Sequence[str]) -> tuple[str, ...]:
    """Return words with the last value of each, as tc takes them."""
    said: dict[str, str | None] = {}
    left = iter(words)
    for word in left:
        said[word] = None if word in ("ecn", "noecn", "headdrop") else next(left, "")
    flat = [(name,) if value is None else (name, value) for name, value in said.items()]
    return tuple(word for pair in flat for word in pair)
