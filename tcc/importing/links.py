"""From the devices of a machine to links: who redirects to whom, and what is odd about it."""

from collections.abc import Iterator, Sequence
from typing import Final

from tcc.importing.found import Bucket, End, FoundLink, Imported, Kind, Remark
from tcc.importing.inner import inner_words, is_known
from tcc.importing.machine import CAKES, Device, Machine, Qdisc, Redirect, is_own
from tcc.lower.ifb import ifb_name
from tcc.tcwords.cake import CakeSaid
from tcc.tcwords.numbers import NumberError, decimal_of, rate_of, size_of, time_of
from tcc.tcwords.sqm import ifb_of

EVERYTHING: Final = "all"
CHILD_OF_TBF: Final = ("1:1", "1:", "1:0")
STAB_HEADER: Final = 14
"""A size table counts from the link-layer header, CAKE's overhead from the IP header."""


def links_of(machine: Machine) -> Imported:
    """Return the links, with every remark at the link that it is about."""
    imported = Imported(remarks=list(machine.remarks))
    taken: dict[str, str] = {}
    for name, device in machine.devices.items():
        if _is_ifb(machine, name):
            continue
        link = FoundLink(name)
        if device.root is not None and not is_own(device.root.kind):
            end = _end(device, link, name)
            if end is not None:
                link.ends["egress"] = end
        _ingress(machine, name, device, link, taken)
        link.remarks += device.remarks
        if device.polices is not None:
            link.say(
                Kind.LOST, "policer", "what comes in is policed: a policy shapes it", device.polices
            )
        if link.ends:
            imported.links.append(link)
        else:
            imported.remarks += link.remarks
    _left_over(machine, imported, taken)
    return imported


def _is_ifb(machine: Machine, name: str) -> bool:
    return machine.devices[name].is_ifb or name.startswith("ifb")


def _ingress(
    machine: Machine, name: str, device: Device, link: FoundLink, taken: dict[str, str]
) -> None:
    for redirect in device.redirects[:1]:
        ifb = machine.device(redirect.to)
        before = taken.setdefault(redirect.to, name)
        if before != name:
            link.say(
                Kind.DOUBLE, "ifb-shared",
                f"{redirect.to} takes what comes in on {before} too: where one device is inside of "
                "the other its packets are counted twice", redirect.line,
            )  # fmt: skip
        if ifb.root is not None and not is_own(ifb.root.kind):
            end = _end(ifb, link, redirect.to)
            if end is not None:
                link.ends["ingress"] = end
            link.remarks += ifb.remarks
        else:
            link.say(
                Kind.SUSPICIOUS, "ifb-unshaped",
                f"what comes in goes to {redirect.to}, where nothing shapes it", redirect.line,
            )  # fmt: skip
        link.remarks += _of_redirect(redirect)
    if len(device.redirects) > 1:
        link.say(
            Kind.DOUBLE, "redirect-twice",
            f"{len(device.redirects)} filters redirect what comes in on {name}: the first one "
            "takes the packets", device.redirects[1].line,
        )  # fmt: skip


def _of_redirect(redirect: Redirect) -> Iterator[Remark]:
    if redirect.protocol not in (EVERYTHING, "ALL", "0x0003", "3"):
        other = {"ip": "IPv6", "ipv6": "IPv4"}.get(redirect.protocol, "the others")
        yield Remark(
            Kind.SUSPICIOUS, "redirect-one-protocol",
            f"only `protocol {redirect.protocol}` is redirected: {other} comes in unshaped; the "
            "policy redirects everything", redirect.line,
        )  # fmt: skip
    elif not redirect.everything:
        yield Remark(
            Kind.LOST, "redirect-some",
            "only packets that match are redirected; the policy redirects everything",
            redirect.line,
        )  # fmt: skip
    if redirect.before:
        yield Remark(
            Kind.LOST, "marks-restored",
            f"{' and '.join(redirect.before)} before the redirect: write tiers, from which the "
            "rules and the restoring follow", redirect.line,
        )  # fmt: skip


def _left_over(machine: Machine, imported: Imported, taken: dict[str, str]) -> None:
    """Give a shaped ifb that nothing redirects to back to the device that it is named after."""
    for name, device in machine.devices.items():
        if not _is_ifb(machine, name) or name in taken or device.root is None:
            continue
        if is_own(device.root.kind):
            continue
        owner = _owner(name, machine, imported)
        if owner is None:
            imported.say(
                Kind.LOST, "ifb-of-nobody", f"{name} is shaped, and nothing says what comes there",
                device.root.line,
            )  # fmt: skip
            continue
        link = imported.link(owner)
        end = _end(device, link, name)
        if end is not None:
            link.ends["ingress"] = end
        link.remarks += device.remarks
        link.say(
            Kind.SUSPICIOUS, "redirect-missing",
            f"nothing redirects what comes in on {owner} to {name}, so it is not shaped; the "
            "policy redirects it", device.root.line,
        )  # fmt: skip


def _owner(ifb: str, machine: Machine, imported: Imported) -> str | None:
    others = [name for name in machine.devices if not _is_ifb(machine, name)]
    for name in others:
        if ifb in (ifb_of(name), ifb_name(name), f"ifb-{name}", f"{name}-ifb", f"ifb_{name}"):
            return name
    shaped = [link.device for link in imported.links if "ingress" not in link.ends]
    return shaped[0] if len(shaped) == 1 else None


def _end(device: Device, link: FoundLink, name: str) -> End | None:
    root = device.root
    assert root is not None
    if root.kind in CAKES:
        return _cake(root, link, name)
    if root.kind == "tbf":
        return _tbf(device, root, link, name)
    rates = list(device.rates.values())
    if not rates:
        link.say(Kind.LOST, "kind-unknown", f"{root.kind} on {name} has no counterpart", root.line)
        return None
    link.say(
        Kind.LOST, "classes",
        f"{root.kind} on {name} with {_classes(len(rates))}: its highest rate is kept, and CAKE "
        "does the rest", root.line,
    )  # fmt: skip
    return End("cake", CakeSaid(rate=max(rates)))


def _classes(number: int) -> str:
    return "one class" if number == 1 else f"{number} classes"


def _cake(root: Qdisc, link: FoundLink, name: str) -> End:
    said = root.said if root.said.rate >= 8 else root.said._replace(rate=0)
    if root.stab:
        said = _with_stab(root, said, link, name)
    return End(root.kind, said)


def _with_stab(root: Qdisc, said: CakeSaid, link: FoundLink, name: str) -> CakeSaid:
    """Return the CAKE with a size table put into its own framing, or left out if it has one."""
    overhead = root.stab.get("overhead", "0")
    if not said.raw:
        link.say(
            Kind.DOUBLE, "stab-and-overhead",
            f"on {name} a size table adds {overhead} bytes and cake adds {said.overhead}: the "
            "policy keeps cake's", root.line,
        )  # fmt: skip
        return said
    link.say(Kind.LOST, "stab", f"the size table on {name} became cake's own framing", root.line)
    try:
        added = int(overhead) + STAB_HEADER
        mpu = int(root.stab.get("mpu", "0"))
    except ValueError:
        return said
    cells = "atm" if root.stab.get("linklayer") in ("atm", "adsl") else "noatm"
    bounded = min(max(added, -64), 256)
    return said._replace(raw=False, overhead=bounded, mpu=min(mpu, 256), cells=cells)


def _tbf(device: Device, root: Qdisc, link: FoundLink, name: str) -> End | None:
    try:
        bucket = _bucket(root.words)
    except (NumberError, KeyError) as problem:
        link.say(Kind.LOST, "tbf-unreadable", f"tbf on {name}: {problem}", root.line)
        return None
    overhead, mpu, atm = bucket.overhead, bucket.mpu, bucket.atm
    if root.stab:
        link.say(Kind.LOST, "stab", f"the size table on {name} became the framing", root.line)
        overhead += _integer(root.stab.get("overhead"))
        mpu = mpu or _integer(root.stab.get("mpu"))
        atm = atm or root.stab.get("linklayer") in ("atm", "adsl")
    inner = _inner(device, link, name)
    made = Bucket(
        bucket.rate, bucket.burst, bucket.limit, bucket.latency, bucket.peak, bucket.mtu,
        overhead, mpu, atm, inner,
    )  # fmt: skip
    return End("tbf", bucket=made)


def _integer(text: str | None) -> int:
    """Return a number of a size table, whose overhead may be below zero; 0 where it is none."""
    number = decimal_of((text or "").removeprefix("-")) or 0
    return -number if text and text.startswith("-") else number


def _inner(device: Device, link: FoundLink, name: str) -> tuple[str, tuple[str, ...]] | None:
    for parent, child in device.inside.items():
        if parent in CHILD_OF_TBF or parent.endswith(":1"):
            if not is_known(child.kind):
                link.say(
                    Kind.LOST, "inner-unknown", f"{child.kind} inside of tbf on {name}", child.line
                )
                return None
            _, unknown = inner_words(child.kind, child.words)
            if unknown:
                words = ", ".join(unknown)
                link.say(Kind.LOST, "inner-words", f"{words} of {child.kind} on {name}", child.line)
            return child.kind, child.words
    return None


def _bucket(words: Sequence[str]) -> Bucket:
    said: dict[str, str] = {}
    left = iter(words)
    for word in left:
        said[_SYNONYMS.get(word, word)] = next(left, "")
    rate, burst = rate_of(said["rate"]), size_of(said["burst"].partition("/")[0])
    limit, latency = said.get("limit"), said.get("latency")
    return Bucket(
        rate=rate,
        burst=burst,
        limit=size_of(limit) if limit else None,
        latency=time_of(latency) if latency and not limit else None,
        peak=rate_of(said["peakrate"]) if "peakrate" in said else 0,
        mtu=size_of(said["mtu"].partition("/")[0]) if "mtu" in said else 0,
        overhead=size_of(said.get("overhead", "0")),
        mpu=size_of(said.get("mpu", "0")),
        atm=said.get("linklayer") in ("atm", "adsl"),
    )


_SYNONYMS: Final = {
    "buffer": "burst", "maxburst": "burst", "minburst": "mtu", "lat": "latency",
}  # fmt: skip
