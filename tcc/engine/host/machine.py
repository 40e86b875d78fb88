"""Puts a machine together: from a testbed's words and cost profiles to a device, and to sentences.

What a machine is not told is ideal: a queue that the device empties at once, processors that cost
nothing.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from tcc.engine.host import profiles
from tcc.engine.host.build import spread_service, visit_costs
from tcc.engine.host.device import Device, Nic, Processors
from tcc.engine.host.dql import MOST
from tcc.engine.host.lock import LockedDevice, costs_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tcc.engine.events import Schedule
    from tcc.engine.path import Interface
    from tcc.engine.queue_disc import QueueDisc
    from tcc.engine.sink import Sink
    from tcc.engine.tcp.options import OptionPool

DEFAULT_KERNEL = "linux-7.3"
DEFAULT_MQ_KERNEL = "a3729e0df005-or-later"
DEFAULT_QUEUES = 4
DEFAULT_RING = 512
NO_CAP = 1 << 30
NO_REFILL = 0


@dataclass(frozen=True, slots=True)
class Machine:
    """What a testbed says of a machine.

    Attributes:
        kernel: name of a kernel profile, or of what cake_mq does in it; None for 7.3.
        host: name of a host profile; None for processors that cost nothing.
        cpus: processors; None for as many as the host profile has.
        queues: transmit queues; None for as many as are needed.
        by_cpu: each sender's packets take the queue of its processor; else flows are hashed.
        nic: rate of the network card (bit/s); None for the host profile's, if it has one.
        interval: of its interrupts (ns); None for the host profile's.
        most: largest byte queue limit; None for no bound.
        ring: descriptors; None for 512.
        cap: of the list of deferred packets; None for the kernel's.
    """

    kernel: str | None = None
    host: str | None = None
    cpus: int | None = None
    queues: int | None = None
    by_cpu: bool = False
    nic: int | None = None
    interval: int | None = None
    most: int | None = None
    ring: int | None = None
    cap: int | None = None
    costs: dict[str, Any] = field(init=False)

    def __post_init__(self) -> None:
        """Look the host profile up."""
        object.__setattr__(self, "costs", profiles.host(self.host) if self.host else {})

    @property
    def mq_kernel(self) -> str:
        """Return which kernel's cake_mq it has."""
        known = profiles.load()["cake_mq_kernels"]
        return self.kernel if self.kernel and self.kernel in known else DEFAULT_MQ_KERNEL

    def transmit_queues(self, kind: str) -> int:
        """Return how many transmit queues the device has, under a qdisc of this kind."""
        if self.queues is not None:
            return self.queues
        if kind == "cake_mq":
            return int(self.cpus or self.costs.get("cpus") or DEFAULT_QUEUES)
        return 1

    @property
    def locked(self) -> bool:
        """Whether the host profile says what a contended root lock costs."""
        return "enqueue" in self.costs.get("ns", {})

    @property
    def link(self) -> int:
        """Return the rate of the network card (bit/s); 0 for none."""
        return int(self.nic or self.costs.get("link_bps") or 0)

    def needs_model(self, kind: str) -> bool:
        """Whether it is more than an interface that sends one packet after the other."""
        told = (self.interval, self.most, self.ring)
        return (
            self.locked
            or self.transmit_queues(kind) > 1
            or any(one is not None for one in told)
            or "tx_irq_interval_ns" in self.costs
            or any(name.startswith(("per_packet", "single")) for name in self.costs.get("ns", {}))
        )

    def card(self) -> Nic | None:
        """Return the network card."""
        if not self.link:
            return None
        interval = self.interval
        if interval is None:
            interval = self.costs.get("tx_irq_interval_ns", 0)
        return Nic(
            self.link,
            interval,
            self.ring or DEFAULT_RING,
            self.costs.get("tsq_refill_ns", NO_REFILL),
            most=MOST if self.most is None else self.most,
        )

    def processors(self, tins: int, test: str, carrying: int, queues: int) -> Processors:
        """Return what processing costs.

        Args:
            tins: that CAKE uses; 8 where there is no CAKE.
            test: `nup` or `rrul`: which of the profile's loads the traffic is like.
            carrying: transmit queues that carry traffic.
            queues: transmit queues in all.
        """
        cost = self.costs.get("ns", {})
        cpus = int(self.cpus or self.costs.get("cpus") or queues)
        warm, cold = visit_costs(self.costs, tins)
        if "single_cake_serial" in cost and queues == 1:
            service = cost["single_cake_serial"][f"{'be' if tins == 1 else 'ds3'}_{test}"]
        elif "per_packet_total_nup" in cost:
            service = spread_service(cost[f"per_packet_total_{test}"], cpus, carrying)
        else:
            service = cost.get("per_packet_total", 0)
        return Processors(
            service,
            self.costs.get("sync_model") != "duty",
            self.costs.get("softnet_backlog", 1000),
            warm,
            cold,
            self.costs.get("sync_interval_ns", 200_000),
            duty=self.costs.get("sync_model") == "duty",
        )


class Assembly:
    """Makes the egress device of a simulation, and says afterwards what happened in it.

    Args:
        machine: what it is like.
        children: the qdisc of each transmit queue, or one for all.
        processors: what processing costs.
        queues: transmit queues.
    """

    def __init__(
        self,
        machine: Machine,
        children: Sequence[QueueDisc],
        processors: Processors,
        queues: int,
    ) -> None:
        self.machine = machine
        self.children = list(children)
        self.processors = processors
        self.queues = queues
        self.device: Device | None = None
        self.lock: LockedDevice | None = None

    def make(
        self,
        schedule: Schedule,
        qdisc: QueueDisc,
        following: Sink,
        options: OptionPool,
        veil: int | None,
    ) -> Interface:
        """Make the device; `Simulation.link` calls this."""
        machine = self.machine
        if machine.locked and len(self.children) == 1:
            name = machine.kernel or DEFAULT_KERNEL
            if name not in profiles.load()["kernel_profiles"]:
                name = DEFAULT_KERNEL
            costs = costs_of(machine.costs, profiles.kernel(name), machine.cap or 0)
            self.lock = LockedDevice(schedule, qdisc, following, options, costs, veil)
            return self.lock
        self.device = Device(
            schedule,
            qdisc,
            self.children,
            following,
            options,
            self.queues,
            machine.card(),
            self.processors,
            veil,
        )
        return self.device

    def place(self, flow: int, number: int) -> None:
        """Give a flow the queue of its sender's processor, the `number`th of its direction."""
        if self.device is not None and self.machine.by_cpu:
            self.device.place(flow, number % self.queues)

    def sentences(self, measured: int) -> list[str]:
        """Return what happened behind the qdisc in `measured` ns."""
        if self.lock is not None:
            return _of_lock(self.lock, measured)
        if self.device is not None:
            return _of_device(self.device, measured)
        return []


def of_ideal(interface: Interface) -> list[str]:
    """Return where time and packets went where nothing behind the qdisc takes any."""
    waits = interface.sojourn()
    if not waits.samples:
        return []
    dropped = sum(interface.dropped(flow) for flow in range(interface.size))
    return [
        f"behind the qdisc nothing takes time: a packet waits {_ms(waits.mean())} in it, on "
        f"average, and it dropped {dropped}"
    ]


def _ms(duration: int) -> str:
    return f"{duration / 1e6:.2f}ms"


def _share(part: int, whole: int) -> str:
    return f"{100 * part / max(1, whole):.0f}%"


def _of_lock(lock: LockedDevice, measured: int) -> list[str]:
    counted = lock.counters()
    parts = [
        f"{_share(counted[name], measured)} {words}"
        for name, words in (
            ("enqueue_work", "enqueuing"),
            ("send_work", "sending"),
            ("drop_work", "dropping"),
        )
    ]
    said = [f"the root lock is held {', '.join(parts)} of the time"]
    if counted["turned_away"]:
        said.append(f"{counted['turned_away']} packets found no place before the qdisc")
    return said


def place_behind(device: Device) -> str:
    """Say what is behind the qdisc."""
    return "the NIC's queue" if device.wire else "the backlog of the processors"


def _of_device(device: Device, measured: int) -> list[str]:
    counted = device.counters()
    inside, behind = device.sojourn(), device.behind()
    said = []
    if behind.samples:
        said.append(
            f"on its way up a packet waits {_ms(inside.mean())} in the qdisc and "
            f"{_ms(behind.mean())} in {place_behind(device)}, on average"
        )
    if device.wire and device.byte_limits:
        limits = ", ".join(str(int(limit.limit)) for limit in device.byte_limits)
        said.append(
            f"byte queue limit: {limits} bytes; {counted['stops']} times it, or the ring, held "
            "the qdisc back"
        )
    if device.service:
        busy = counted["work"] + counted["sync_work"]
        scans = ""
        if counted["sync_work"]:
            scans = f", {_share(counted['sync_work'], busy)} of that with cake_mq's scans"
        carrying = max(1, counted["carrying"])
        said.append(f"processors that send are busy {_share(busy, measured * carrying)}{scans}")
    if counted["refused"]:
        said.append(f"the processors' backlog dropped {counted['refused']} packets")
    return said
