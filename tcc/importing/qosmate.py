"""qosmate's `/etc/config/qosmate`. Source: `setup_cake` of etc/qosmate.sh at ad5ef37."""

from collections.abc import Mapping
from typing import Final

from tcc.importing.found import End, Imported, Kind, remarks_of
from tcc.importing.uci import Section, read_uci
from tcc.tcwords.cake import replay
from tcc.tcwords.numbers import decimal_of
from tcc.tcwords.sqm import KBIT

SIDES: Final = {"egress": ("UPRATE", "EGRESS", "UP"), "ingress": ("DOWNRATE", "INGRESS", "DOWN")}
ISOLATED: Final = {"egress": "dual-srchost", "ingress": "dual-dsthost"}
ATM: Final = ("atm", "adsl", "pppoa", "pppoe", "bridged", "ipoa")
RATIO: Final = 15
Options = Mapping[str, str]


def read_qosmate(text: str) -> Imported:
    """Return the one WAN that qosmate shapes."""
    imported = Imported()
    by: dict[str, Section] = {}
    rules = 0
    for section in read_uci(text, imported):
        rules += section.kind in ("rule", "ratelimit")
        by.setdefault(section.kind, section)
    settings = _options(by, "settings")
    wan = settings.get("WAN", "")
    if not wan:
        imported.say(Kind.LOST, "no-interface", "qosmate's settings name no WAN")
        return imported
    if _options(by, "global").get("enabled", "1") != "1":
        imported.say(Kind.LOST, "disabled", "qosmate is not enabled")
    link = imported.link(wan)
    kind = settings.get("ROOT_QDISC", "hfsc")
    if kind != "cake":
        link.say(Kind.LOST, "classes", f"qosmate's {kind} has classes: CAKE does it in their place")
    if rules:
        link.say(Kind.LOST, "rules", f"{rules} rules of qosmate: write them as tiers")
    rates = {side: _kbit(settings.get(name, "")) for side, (name, _, _) in SIDES.items()}
    for side, kbit in rates.items():
        if not kbit:
            link.say(Kind.LOST, "rate-empty", f"qosmate has no rate for {side}")
            continue
        words = _words(by, side, rates)
        replayed = replay(words)
        replayed.notes = [said for said in replayed.notes if said.code != "overhead-replaced"]
        link.remarks += remarks_of(replayed, f"cake on {side}")
        said = replayed.said
        mq = _options(by, "cake").get("USE_MQ", "0") == "1" and kind == "cake"
        link.ends[side] = End("cake_mq" if mq else "cake", said, bounds=_bounds(by, side))
    if not link.ends:
        imported.links.remove(link)
        imported.remarks += link.remarks
    return imported


def _options(by: Mapping[str, Section], kind: str) -> Options:
    return by[kind].options if kind in by else {}


def _kbit(text: str) -> int:
    return decimal_of(text) or 0


def _words(by: Mapping[str, Section], side: str, rates: Mapping[str, int]) -> list[str]:
    """Return the words that qosmate gives to cake, in its order."""
    cake, advanced = _options(by, "cake"), _options(by, "advanced")
    _, name, wash = SIDES[side]
    words = ["bandwidth", f"{rates[side]}kbit"]
    if side == "ingress":
        words.append("ingress")
        if cake.get("AUTORATE_INGRESS", "0") == "1":
            words.append("autorate-ingress")
    words += cake.get(f"PRIORITY_QUEUE_{name}", "diffserv4").split()
    if cake.get("HOST_ISOLATION", "1") == "1":
        words.append(ISOLATED[side])
    if cake.get("RTT"):
        words += ["rtt", f"{cake['RTT']}ms"]
    words += _line(advanced)
    words += advanced.get("LINK_COMPENSATION", "").split()
    words += cake.get(f"EXTRA_PARAMETERS_{name}", "").split()
    if cake.get(f"NAT_{name}", "1") == "1":
        words.append("nat")
    if advanced.get(f"WASHDSCP{wash}", "1") == "1":
        words.append("wash")
    if side == "egress" and _acks(cake.get("ACK_FILTER_EGRESS", "auto"), rates):
        words.append("ack-filter")
    return words


def _acks(text: str, rates: Mapping[str, int]) -> bool:
    if text == "auto":
        up, down = rates["egress"], rates["ingress"]
        return bool(up) and down // up >= RATIO
    return text == "1"


def _line(advanced: Options) -> list[str]:
    preset = advanced.get("COMMON_LINK_PRESETS", "ethernet")
    overhead = advanced.get("OVERHEAD", "")
    if preset == "conservative" or any(word in preset for word in ATM):
        base, default = preset, "44"
    elif preset == "docsis":
        base, default = "docsis", "25"
    elif preset == "cake-ethernet":
        base, default, overhead = "ethernet", "", ""
    elif preset == "raw":
        base, default = "raw", "0"
    else:
        base, default = "ethernet", "40"
    words = [base]
    if overhead or default:
        words += ["overhead", overhead or default]
    if advanced.get("MPU"):
        words += ["mpu", advanced["MPU"]]
    return words + advanced.get("ETHER_VLAN_KEYWORD", "").split()


def _bounds(by: Mapping[str, Section], side: str) -> tuple[int, int] | None:
    autorate = _options(by, "autorate")
    if autorate.get("enabled", "0") != "1":
        return None
    name = "ul" if side == "egress" else "dl"
    low, high = (_kbit(autorate.get(f"{word}_{name}_rate", "")) for word in ("min", "max"))
    base = _kbit(autorate.get(f"base_{name}_rate", ""))
    if not low or not high or low == high == base:
        return None
    return low * KBIT, high * KBIT
