"""Smaller sources: cake-qos-simple, tcconfig, ifupdown-ng, VyOS and RouterOS."""

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from tcc.importing.found import Bucket, End, Imported, Kind, remarks_of
from tcc.importing.links import links_of
from tcc.importing.machine import Machine
from tcc.importing.shell import Command, commands
from tcc.importing.tcjson import JsonError
from tcc.tcwords.cake import CakeSaid, replay
from tcc.tcwords.numbers import NumberError, rate_of, size_of, time_of

MBIT: Final = 10**6
SIDES: Final = {"egress": "ul", "ingress": "dl"}


def read_cake_qos_simple(text: str) -> Imported:
    """Return the link of cake-qos-simple's configuration, which is a list of shell assignments."""
    said = {
        name: value
        for command in commands(text)
        for name, equals, value in [command.words[0].partition("=")]
        if equals
    }
    imported = Imported()
    device = said.get("ul_if", "")
    if not device:
        imported.say(Kind.LOST, "no-interface", "ul_if is not set")
        return imported
    link = imported.link(device)
    if said.get("dl_if"):
        link.say(
            Kind.LOST, "download-elsewhere",
            f"dl_if={said['dl_if']}: what comes in is shaped where it leaves there",
        )  # fmt: skip
    for side, name in SIDES.items():
        try:
            rate = rate_of(said.get(f"cake_{name}_rate_Mbps", "0") + "mbit")
        except NumberError:
            link.say(Kind.LOST, "number", f"cake_{name}_rate_Mbps is no number")
            continue
        replayed = replay(
            ["bandwidth", f"{rate}bit", *said.get(f"cake_{name}_options", "").split()]
        )
        link.remarks += remarks_of(replayed, f"cake_{name}_options")
        link.ends[side] = End("cake", replayed.said)
    link.say(
        Kind.LOST, "marks-restored",
        "its rules keep the DSCP in each connection's mark: write tiers, from which that follows",
    )  # fmt: skip
    for name, value in said.items():
        if name.startswith("overwrite_") and value:
            link.say(Kind.LOST, "ecn-overwritten", f"{name}={value}: a policy leaves ECN alone")
    return imported


def read_tcconfig(text: str) -> Imported:
    """Return the links of tcconfig's JSON, as `tcshow` prints it.

    Raises:
        JsonError: it is no JSON of that form.
    """
    try:
        found = json.loads(text)
    except (ValueError, RecursionError) as problem:
        raise JsonError(f"not JSON: {problem}") from problem
    if not isinstance(found, dict):
        raise JsonError("not what tcshow prints: an object of devices")
    imported = Imported()
    for device, sides in found.items():
        if not isinstance(sides, Mapping):
            continue
        link = imported.link(str(device))
        for word, side in (("outgoing", "egress"), ("incoming", "ingress")):
            rules = sides.get(word)
            if isinstance(rules, Mapping):
                rate = _tcconfig_rate(imported, link.device, rules)
                if rate:
                    link.ends[side] = End("cake", CakeSaid(rate=rate, ingress=side == "ingress"))
        if not link.ends:
            imported.links.remove(link)
    return imported


def _tcconfig_rate(imported: Imported, device: str, rules: Mapping[str, Any]) -> int:
    """Return the rate of the rule for all traffic; the others are lost."""
    best = 0
    for match, rule in rules.items():
        if not isinstance(rule, Mapping):
            continue
        for word in ("delay", "loss", "duplicate", "corrupt", "reorder", "reordering"):
            if word in rule:
                imported.say(Kind.LOST, "emulation", f"{word} on {device}: a policy harms nothing")
        written = str(rule.get("rate", ""))
        if not written:
            continue
        if "network=" in match or "port=" in match:
            imported.say(Kind.LOST, "rule", f"the rate {written} of `{match}` on {device} alone")
            continue
        if re.search(r"[bB]?ps$", written):
            imported.say(
                Kind.SUSPICIOUS, "bits-or-bytes",
                f"{written} on {device}: tcconfig means bits, and tc would read bytes",
            )  # fmt: skip
        best = max(best, _bits(written))
    return best


def _bits(written: str) -> int:
    number = re.match(r"([0-9.]+)\s*([KMGTkmgt]?)(i?)", written)
    if number is None:
        return 0
    try:
        return rate_of(f"{number[1]}{number[2]}{number[3]}bit")
    except NumberError:
        return 0


def read_ifupdown_ng(text: str) -> Imported:
    """Return the links of interfaces with ifupdown-ng's `cake` and `cake-ingress`."""
    machine = Machine()
    imported_remarks: list[tuple[str, str]] = []
    for device, keys in _stanzas(text):
        words = keys.get("cake-args") or " ".join(_keys(keys, device, imported_remarks))
        if not words and "cake" not in keys.get("use", "").split():
            continue
        line = ("tc", "qdisc", "add", "dev", device, "root", "cake", *words.split())
        machine.run(Command(0, line))
        if "cake-ingress-dev" in keys:
            source = keys["cake-ingress-dev"]
            words = "parent ffff: matchall action mirred egress redirect dev"
            machine.run(Command(0, ("tc", "filter", "add", "dev", source, *words.split(), device)))
    imported = links_of(machine)
    for key, value in imported_remarks:
        imported.say(
            Kind.SUSPICIOUS, "no-means-yes",
            f"`{key} {value}` switches it on: the executor looks whether anything is there",
        )  # fmt: skip
    return imported


def _stanzas(text: str) -> Iterator[tuple[str, dict[str, str]]]:
    device, keys = "", dict[str, str]()
    for line in text.splitlines():
        words = line.split("#")[0].split()
        if not words:
            continue
        if words[0] in ("auto", "iface", "interface", "template") and len(words) > 1:
            if device and words[0] != "auto" and keys:
                yield device, keys
                keys = {}
            elif device and words[0] == "auto" and keys:
                yield device, keys
                keys, device = {}, ""
            if words[0] != "auto":
                device = words[1]
        elif device and len(words) > 1:
            value = " ".join(words[1:])
            keys[words[0]] = f"{keys['use']} {value}" if words[0] == "use" in keys else value
    if device and keys:
        yield device, keys


_SIMPLE_KEYS: Final = {
    "cake-bandwidth": "bandwidth", "cake-memlimit": "memlimit", "cake-fwmark": "fwmark",
    "cake-mpu": "mpu",
}  # fmt: skip
_FLAG_KEYS: Final = {"cake-nat": "nat", "cake-wash": "wash", "cake-ingress": "ingress"}


def _keys(keys: Mapping[str, str], device: str, remarks: list[tuple[str, str]]) -> Iterator[str]:
    """Yield the words that the executor makes of single keys."""
    for key, value in keys.items():
        if key in _SIMPLE_KEYS:
            yield f"{_SIMPLE_KEYS[key]} {value}"
        elif key in ("cake-tins", "cake-isolation", "cake-ack", "cake-atm"):
            yield value
        elif key in ("cake-rtt", "cake-overhead"):
            plain = value.lstrip("-")[:1].isdigit()
            yield f"{key.removeprefix('cake-')} {value}" if plain else value
        elif key in _FLAG_KEYS:
            if not value.lower().startswith(("y", "t", "1")):
                remarks.append((key, value))
            yield _FLAG_KEYS[key]
        elif key == "cake-split_gso" and not value.lower().startswith(("y", "t", "1")):
            yield "no-split-gso"


_VYOS = re.compile(r"set qos policy (cake|rate-control) (\S+) (\S+)(?: (.*))?")
_VYOS_FLOWS: Final = {
    "blind": "flowblind", "src-host": "srchost", "dst-host": "dsthost", "host": "hosts",
    "flow": "flows", "dual-src-host": "dual-srchost", "dual-dst-host": "dual-dsthost",
    "triple-isolate": "triple-isolate",
}  # fmt: skip


def read_vyos(text: str) -> Imported:
    """Return the links of VyOS's `set` commands."""
    imported = Imported()
    policies: dict[str, End] = {}
    redirects: dict[str, str] = {}
    placed: dict[str, str] = {}
    for line in text.splitlines():
        plain = line.replace("'", "").strip()
        match = _VYOS.fullmatch(plain)
        if match:
            kind, name, word, value = match[1], match[2], match[3], match[4] or ""
            fresh = (
                End("tbf", bucket=Bucket(0, 15360, latency=50_000))
                if kind != "cake"
                else (End("cake"))
            )
            _vyos_word(policies.setdefault(name, fresh), word, value, imported)
        elif found := re.fullmatch(
            r"set interfaces \S+ (\S+)(?: vif (\S+))? redirect (\S+)", plain
        ):
            redirects[found[3]] = found[1] + (f".{found[2]}" if found[2] else "")
        elif found := re.fullmatch(r"set qos interface (\S+) egress (\S+)", plain):
            placed[found[1]] = found[2]
        elif plain.startswith("set qos policy "):
            imported.say(Kind.LOST, "kind-unknown", f"{plain.split()[3]} has no counterpart")
    for device, name in placed.items():
        if name in policies:
            owner = redirects.get(device)
            link = imported.link(owner or device)
            link.ends["ingress" if owner else "egress"] = policies[name]
    return imported


def _vyos_word(end: End, word: str, value: str, imported: Imported) -> None:
    try:
        if word == "bandwidth" and value.isdecimal():
            imported.say(
                Kind.SUSPICIOUS, "bits-or-kilobits",
                f"bandwidth {value} without a suffix is {value}kbit to VyOS",
            )  # fmt: skip
            value += "kbit"
        if end.bucket is not None:
            _vyos_bucket(end, word, value)
            return
        said = end.cake
        if word == "bandwidth":
            end.cake = said._replace(rate=rate_of(value))
        elif word == "rtt":
            end.cake = said._replace(rtt=time_of(f"{value}ms"))
        elif (word == "flow-isolation" and value == "nat") or word == "flow-isolation-nat":
            end.cake = said._replace(nat=True)
        elif word == "flow-isolation":
            end.cake = said._replace(flow=_VYOS_FLOWS[value])
        elif word == "ack-filter":
            end.cake = said._replace(
                ack="ack-filter-aggressive" if value == "aggressive" else "ack-filter"
            )
        elif word == "no-split-gso":
            end.cake = said._replace(split=False)
        elif word != "description":
            raise KeyError(word)
    except (NumberError, KeyError):
        imported.say(Kind.LOST, "setting", f"`{word} {value}` of VyOS is not understood")


def _vyos_bucket(end: End, word: str, value: str) -> None:
    from dataclasses import replace  # noqa: PLC0415

    bucket = end.bucket
    assert bucket is not None
    if word == "bandwidth":
        end.bucket = replace(bucket, rate=rate_of(value))
    elif word == "burst":
        end.bucket = replace(bucket, burst=size_of(value))
    elif word == "latency":
        end.bucket = replace(bucket, latency=time_of(f"{value}ms"))


_ROS_PAIR = re.compile(r'([a-z-]+)=("(?:[^"\\]|\\.)*"|\S+)')
_ROS_ACKS: Final = {"filter": "ack-filter", "aggressive": "ack-filter-aggressive"}
_ROS_CELLS: Final = {"atm": "atm", "ptm": "ptm"}


def read_routeros(text: str) -> Imported:
    """Return the links of RouterOS's queue types, where a queue uses them."""
    imported = Imported()
    types: dict[str, CakeSaid] = {}
    for line in text.splitlines():
        pairs = {name: _ros(value) for name, value in _ROS_PAIR.findall(line)}
        if "/queue type add" in line and pairs.get("kind") == "cake":
            types[pairs.get("name", "")] = _ros_cake(pairs, imported)
        elif "/queue interface set" in line and pairs.get("queue") in types:
            device = pairs.get("interface") or line.split()[3]
            imported.link(device).ends["egress"] = End("cake", types[pairs["queue"]])
        elif "/queue simple add" in line:
            _ros_simple(line, pairs, types, imported)
    return imported


def _ros_simple(
    line: str, pairs: Mapping[str, str], types: Mapping[str, CakeSaid], imported: Imported
) -> None:
    """A simple queue on the line's device has download first: what is received, then sent."""
    device = pairs.get("target", "").partition("/")[0]
    written = line.partition("queue=")[2].partition(" ")[0]
    names = [_ros(name) for name in written.split("/")]
    rates = pairs.get("max-limit", "0/0").split("/")
    for side, name, rate in zip(("ingress", "egress"), names, rates, strict=False):
        if name in types and device:
            said = types[name]
            try:
                bits = rate_of(rate.lower() + "bit" if rate[-1:].isalpha() else rate)
            except NumberError:
                bits = 0
            said = said._replace(rate=bits or said.rate)  # what it drops is never charged
            imported.link(device).ends[side] = End("cake", said)


def _ros(value: str) -> str:
    if value.startswith('"'):
        return re.sub(r"\\(.)", r"\1", value[1:].partition('"')[0] if '\\"' not in value else
                      value[1:-1])  # fmt: skip
    return value.rstrip("]")


def _ros_cake(pairs: Mapping[str, str], imported: Imported) -> CakeSaid:
    said = CakeSaid()
    for name, value in pairs.items():
        try:
            said = _ros_setting(said, name, value)
        except (NumberError, ValueError):
            imported.say(Kind.LOST, "setting", f"{name}={value} of RouterOS is not understood")
    return said


def _ros_setting(said: CakeSaid, name: str, value: str) -> CakeSaid:  # noqa: PLR0911
    match name:
        case "cake-bandwidth":
            return said._replace(
                rate=rate_of(value.lower() + "bit" if value[-1:].isalpha() else value)
            )
        case "cake-diffserv":
            return said._replace(mode=value)
        case "cake-flowmode":
            return said._replace(flow=value)
        case "cake-nat":
            return said._replace(nat=value == "yes")
        case "cake-wash":
            return said._replace(wash=value == "yes")
        case "cake-autorate-ingress":
            return said._replace(autorate=value == "yes")
        case "cake-ack-filter":
            return said._replace(ack=_ROS_ACKS.get(value, "no-ack-filter"))
        case "cake-rtt":
            return said._replace(rtt=time_of(value))
        case "cake-overhead":
            return said._replace(overhead=int(value), raw=False)
        case "cake-mpu":
            return said._replace(mpu=int(value))
        case "cake-atm":
            return said._replace(cells=_ROS_CELLS.get(value, "noatm"))
        case "cake-memlimit":
            return said._replace(memlimit=size_of(value))
        case _:
            return said
