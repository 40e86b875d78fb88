"""Compare what a kernel did to a train with what the engine makes of it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from tcc.engine.random import Random
from tests.engine.kernel.engine_side import Device
from tests.engine.kernel.frames import Change, Look, Packet, Read, Seen, Train, size_key

RESOLUTION = 512
"""ns by which the test kernel's timers are late at most (measured: the largest of all trains).

A departure that a packet or a read causes is not late at all.  A packet that comes when the timer
is due and not yet there lets the waiting one out in its place: the qdisc is asked once less while
it may not send, which is an overlimit less than where timers are never late.
"""
COMMON = ("bytes", "packets", "drops", "overlimits", "requeues", "backlog", "qlen")
DELAYS = ("peak_delay_us", "avg_delay_us", "base_delay_us")
CHANCES = (0x8000, 0, 0xFFFF, 1, 2, 3, 4, 5)
"""What decides in the engine: a fixed draw of 16 bits, or the seed of all draws.

Draws of 16 bits dither CAKE's quanta.  Those of 32 bits let BLUE drop when they are low: they are
all ones.  A train must come out the same whatever is drawn, or it would not say who is right.
"""


def chance(number: int) -> Random:
    """Return a source of chance."""
    if number in (0x8000, 0, 0xFFFF):
        return Random.fixed(number, 0xFFFFFFFF)
    return Random(number)


@dataclass
class Agreement:
    """Where kernel and engine differ, and by how much their departure times do."""

    found: list[str] = field(default_factory=list)
    latest: int = 0  # ns
    packets: int = 0

    def compare(self, place: str, kernel: object, engine: object) -> None:
        """Note two values that should be the same and are not."""
        if kernel != engine:
            self.found.append(f"{place}: the kernel has {kernel!r}, the engine {engine!r}")


def engine_run(train: Train, taken: dict[str, Any], sizes: dict[str, int], drawn: Random) -> Device:
    """Drive the engine through a train with the times at which the kernel's packets came."""
    device = Device(train, drawn, taken["start"])
    sent, reads, looks = iter(taken["sent"]), iter(taken["reads"]), iter(taken["looks"])
    changes = iter(train.changes)
    for step in train.steps:
        if isinstance(step, Packet):
            at, _, _ = next(sent)
            device.pass_time(taken["start"] + at)
            device.refused.append(device.arrive(step, taken["start"] + at, sizes[size_key(step)]))
        elif isinstance(step, Read):
            at = next(reads)
            device.pass_time(taken["start"] + at)
            device.read(taken["start"] + at)
        elif isinstance(step, Look):
            at = next(looks)["at"]
            device.pass_time(taken["start"] + at)
            device.looked.append(device.shown())
        elif isinstance(step, Change):
            at = next(looks)["at"]
            device.pass_time(taken["start"] + at)
            device.change(next(changes))
    device.pass_time(taken["start"] + taken["looks"][-1]["at"])
    device.looked.append(device.shown())
    for at in reads:
        device.pass_time(taken["start"] + at)
        device.read(taken["start"] + at)
    return device


def compare(train: Train, taken: dict[str, Any], sizes: dict[str, int]) -> Agreement:
    """Return where the engine differs from what the kernel did."""
    result = Agreement(packets=len(taken["sent"]))
    device = engine_run(train, taken, sizes, chance(CHANCES[0]))
    kernel = [Seen(*each) for each in taken["seen"]]
    what = [each[1:] for each in map(_values, kernel)]
    result.compare("frames that came out", what, [_values(each)[1:] for each in device.seen])
    result.compare("refused", [one[2] for one in taken["sent"]], device.refused)
    for one, other in zip(kernel, device.seen, strict=False):
        result.latest = max(result.latest, abs(one.at - other.at))
    allowed = RESOLUTION * (len(kernel) if train.drifts else 1)
    if result.latest > allowed:
        result.found.append(f"departures differ by up to {result.latest} ns")
    compare_looks(result, train, taken, device)
    if not is_certain(train, taken, sizes, device):
        result.found.append("chance moves the engine's outcome: the train proves nothing")
    return result


def compare_looks(result: Agreement, train: Train, taken: dict[str, Any], device: Device) -> None:
    """Compare what was counted at each look, but for overlimits that the timer was too late for."""
    arrivals = {one[0] for one in taken["sent"]}
    before_timer = [
        one.at
        for one, other in zip((Seen(*each) for each in taken["seen"]), device.seen, strict=False)
        if one.at > other.at and one.at in arrivals
    ]
    looks = [look for look in taken["looks"] if look["counters"]]
    for number, (look, ours) in enumerate(zip(looks, device.looked, strict=True)):
        fewer = sum(at <= look["at"] for at in before_timer)
        for theirs in look["counters"]:
            name = theirs.get("parent") or "root"
            if name not in ours:
                continue
            counted = ours[name]
            if 0 < counted.get("overlimits", 0) - theirs["overlimits"] <= fewer:
                counted = counted | {"overlimits": theirs["overlimits"]}
            compare_counters(result, f"look {number}, {name}", theirs, counted, train.loose)


def is_certain(train: Train, taken: dict[str, Any], sizes: dict[str, int], device: Device) -> bool:
    """Say whether a train comes out as `device` had it, whatever is drawn."""
    kind = train.model[0]  # type: ignore[index]
    if kind not in ("cake", "cake_mq"):
        return True
    wanted = [_values(each)[1:] for each in device.seen]
    return all(
        [_values(each)[1:] for each in engine_run(train, taken, sizes, chance(number)).seen]
        == wanted
        for number in CHANCES[1:]
    )


def same_as_recorded(taken: dict[str, Any], recorded: dict[str, Any]) -> bool:
    """Say whether two runs of a train sent, refused and let out the same packets in that order."""
    return [one[2] for one in taken["sent"]] == [one[2] for one in recorded["sent"]] and [
        one[1:] for one in taken["seen"]
    ] == [one[1:] for one in recorded["seen"]]


def _values(seen: Seen) -> tuple[int, ...]:
    return (seen.at, seen.number, seen.segment, seen.tos, seen.length)


def compare_counters(
    result: Agreement, place: str, kernel: dict[str, Any], engine: dict[str, Any],
    loose: tuple[str, ...],
) -> None:  # fmt: skip
    """Compare every counter that both have, and insist on the common ones."""
    for name in COMMON:
        if name not in engine:
            result.found.append(f"{place}: the engine does not count {name}")
    for name, value in engine.items():
        if name in loose or name not in kernel:
            continue
        if name == "tins":
            result.compare(f"{place} tins", len(kernel["tins"]), len(value))
            for number, (one, other) in enumerate(zip(kernel["tins"], value, strict=False)):
                compare_tin(result, f"{place} tin {number}", one, other, loose)
        else:
            result.compare(f"{place} {name}", kernel[name], value)


def compare_tin(
    result: Agreement, place: str, kernel: dict[str, int], engine: dict[str, int],
    loose: tuple[str, ...],
) -> None:  # fmt: skip
    """Compare a tin; averages of delays carry the lateness of the kernel's timer."""
    for name, value in kernel.items():
        if name in loose:
            continue
        if name in DELAYS:
            if abs(value - engine[name]) > 1:
                result.found.append(f"{place} {name}: {value} and {engine[name]}")
        else:
            result.compare(f"{place} {name}", value, engine[name])
