"""What on a host would make shaping a lie: short cuts past it, a second shaper, taken marks.

A shaper that packets pass twice halves rates, one that they do not pass does nothing; both
look well in every listing. Facts tell of them, and so it is said before anything is touched.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from tcc.diagnostics import Diagnostic, Severity, error, warning
from tcc.facts import DeviceFacts, Facts, FlowtableFacts
from tcc.ir import span_at
from tcc.lower.ingress import Masks
from tcc.lower.link import LoweredQdisc
from tcc.lower.tiers import tiers_of
from tcc.plugin import Wish

SHAPERS: Final = frozenset({"cake", "cake_mq", "hfsc", "htb", "tbf"})
Restored = Mapping[str, Masks]
Above = Mapping[str, Sequence[str]]


def hindrances(
    lowered: Sequence[LoweredQdisc], facts: Facts | None, restored: Restored
) -> Iterator[Diagnostic]:
    """Yield what the host's facts say against a policy.

    `hardware-offload`, `software-offload`, `shaped-twice`, `bridge-carries-local`, `marks-taken`.

    Args:
        lowered: the qdiscs of the policy.
        facts: the host; nothing is found where nothing is known.
        restored: by device, the bits of a connection's mark that tiers take.
    """
    if facts is None:
        return
    shaped = [one for one in lowered if one.settings is not None]
    over = above(facts)
    for one in {one.wish.device.name: one for one in shaped}.values():
        yield from _offloads(one.wish, facts, over)
        yield from _local(one.wish)
        if one.wish.device.name in restored:
            yield from _marks(one.wish, facts, restored[one.wish.device.name])
    yield from _twice(shaped, facts, over)


def _offloads(wish: Wish, facts: Facts, over: Above) -> Iterator[Diagnostic]:
    """Yield what becomes of a flow that takes a short cut."""
    name = wish.device.name
    near = {name, *over.get(name, ()), *below(name, facts)}
    for table in facts.flowtables or ():
        if not near & set(table.devices):
            continue
        if table.hardware:
            yield error(
                "hardware-offload",
                wish.at_link("device"),
                f"the hardware forwards flows of {wish.device.name} by itself, past every qdisc",
                f"the flowtable {table.name} of {table.table} has `flags offload`",
                offload_cure(table, facts),
            )
        else:
            yield warning(
                "software-offload",
                wish.at_link("device"),
                f"flows of {wish.device.name} take a short cut past the rules of the firewall",
                f"by the flowtable {table.name} of {table.table}: they are shaped, but "
                "rules of tiers see only their first packets",
                offload_cure(table, facts),
            )


def _local(wish: Wish) -> Iterator[Diagnostic]:
    """Yield what a bridge's rate holds for beside the line: this machine's own traffic with it."""
    asked = wish.shaping.bandwidth
    if wish.device.kind == "bridge" and asked is not None and not isinstance(asked.rate, str):
        yield warning(
            "bridge-carries-local",
            wish.at("bandwidth"),
            f"the rate of {wish.device.name} also holds for what this machine and its hosts send "
            "each other",
            "a bridge carries that beside what goes to the line: files, DNS, the web interface",
            "shape the device of the line: `ingress` there is what comes from it, and nothing else",
        )


def offload_cure(table: FlowtableFacts, facts: Facts) -> str:
    """Return the command that ends a short cut."""
    if facts.openwrt is not None:
        option = "flow_offloading_hw" if table.hardware else "flow_offloading"
        return (
            f"uci set firewall.@defaults[0].{option}=0; uci commit firewall; "
            "service firewall restart"
        )
    what = "`flags offload` out of" if table.hardware else "the rules with `flow add` and"
    return (
        f"take {what} the flowtable {table.name} of {table.table} in /etc/nftables.conf; then: "
        "nft -f /etc/nftables.conf"
    )


def below(name: str, facts: Facts) -> Iterator[str]:
    """Yield the devices that a device sends through: what it is stacked on, what it is part of."""
    seen, waiting = {name}, [name]
    while waiting:
        device = facts.device(waiting.pop())
        for lower in (device.lower, device.master, *device.carriers) if device else ():
            if lower and lower not in seen:
                seen.add(lower)
                waiting.append(lower)
                yield lower


def above(facts: Facts) -> Above:
    """Return, for each device that others send through, which do."""
    found: dict[str, list[str]] = {}
    for device in facts.devices:
        for lower in below(device.name, facts):
            found.setdefault(lower, []).append(device.name)
    return found


def _twice(shaped: Sequence[LoweredQdisc], facts: Facts, over: Above) -> Iterator[Diagnostic]:
    """Yield where packets would pass two shapers in one direction."""
    ends: dict[tuple[str, str], Wish] = {
        (one.wish.device.name, one.wish.direction): one.wish for one in shaped
    }
    for (name, direction), wish in ends.items():
        under = list(below(name, facts))
        for lower in under:
            other = ends.get((lower, direction))
            if other is not None:
                yield _both_ours(wish, other, facts)
                break
        else:
            if direction == "egress":
                yield from _somebody_elses(wish, [*under, *over.get(name, ())], ends, facts)


def _both_ours(wish: Wish, other: Wish, facts: Facts) -> Diagnostic:
    place = span_at(other.spans, (*other.path[:-1], "device"))
    return Diagnostic(
        "shaped-twice",
        Severity.ERROR,
        f"what passes {wish.device.name} passes {other.device.name} too, "
        f"and both are shaped on {wish.direction}",
        wish.at_link("device"),
        hints=(
            f"{_relation(wish.device, other.device.name)}: each packet would wait twice, and take "
            "from both rates",
            "shape one of them; tiers can tell its parts apart",
        ),
        related=(("the other device", place),) if place else (),
    )


def _relation(device: DeviceFacts, other: str) -> str:
    if device.master == other:
        return f"{device.name} is a port of {other}"
    kind = {"vlan": "a VLAN", "": "a session"}.get(device.kind, f"a {device.kind}")
    return f"{device.name} is {kind} over {other}"


def _somebody_elses(
    wish: Wish, near: Sequence[str], ends: Mapping[tuple[str, str], Wish], facts: Facts
) -> Iterator[Diagnostic]:
    for name in near:
        device = facts.device(name)
        root = (
            next((one for one in device.qdiscs if one.parent == "root"), None) if device else None
        )
        if root is None or root.kind not in SHAPERS or root.handle == "0:":
            continue
        if (name, "egress") not in ends:
            yield error(
                "shaped-twice",
                wish.at_link("device"),
                f"what passes {wish.device.name} passes {name} too, which has a {root.kind} "
                "that this policy does not speak of",
                "each packet would wait twice, and take from both rates",
                f"if it is not needed: tc qdisc delete dev {name} root",
            )


def _marks(wish: Wish, facts: Facts, masks: Masks) -> Iterator[Diagnostic]:
    """Yield who else uses the bits of a connection's mark that tiers take."""
    bits = masks[0] | masks[1]
    users = {
        use.who: use.mask
        for use in facts.marks or ()
        if use.mark == "connection" and use.mask & bits
    }
    if not users:
        return
    listed = ", ".join(f"{who} (mask {mask:#x})" for who, mask in users.items())
    for path, tier in tiers_of(wish):
        yield error(
            "marks-taken",
            span_at(wish.spans, path),
            f"the tier `{tier.name}` takes bits {bits:#x} of a connection's mark, which are in use",
            f"by {listed}: each would read what the other has written",
            f"give them bits outside of {bits:#x}, or tiers others by `connection-mark`",
            "or match only DSCPs that CAKE has in that tin",
        )
