"""Transmit queues, NICs and processors: figures worked out by hand."""

from fractions import Fraction

import pytest

from tcc.engine.cake.config import CakeConfig
from tcc.engine.cake.mq import CakeMq
from tcc.engine.fifo import Fifo
from tcc.engine.host.device import Device, Nic, Processors
from tcc.engine.host.queues import Queues
from tcc.engine.pfifo_fast import PfifoFast
from tcc.engine.simulation import Path, Simulation

SECOND = 1_000_000_000
MS = 1_000_000
FRAME = 1538 * 8  # bits of a full frame on the wire


def network(children, queues=1, nic=None, processors=None, local=True, rtt=MS, seed=1):
    """Return a simulation with such a device; `children` makes the qdiscs."""
    simulation = Simulation(seed, local=local)
    made = children(simulation)
    root = made[0] if len(made) == 1 else Queues(simulation.pool, made)
    simulation.link(
        root,
        Fifo(simulation.pool, 1 << 40),
        Path(rtt=rtt),
        lambda schedule, qdisc, following, options, veil: Device(
            schedule, qdisc, made, following, options, queues, nic, processors, veil
        ),
    )
    return simulation, simulation.egress


def fifos(count: int = 1):
    return lambda simulation: [PfifoFast(simulation.pool, 1000) for _ in range(count)]


@pytest.mark.parametrize(("interval", "bursts"), [(100_000, 2), (170_000, 2), (250_000, 2)])
def test_limit_is_two_interrupts_of_the_wire(interval: int, bursts: int):
    """With small objects the limit settles at twice what the wire carries between interrupts."""
    nic = Nic(SECOND, interval, refill=15_000)

    def split(simulation):
        from tcc.engine.cake.qdisc import Cake

        return [Cake(simulation.pool, simulation.random(8), CakeConfig(tins=3))]

    simulation, device = network(split, nic=nic)
    for _ in range(4):
        simulation.add_tcp("up")
    simulation.run(4 * SECOND, 4 * SECOND)
    wire = Fraction(interval * 1514, FRAME)  # bytes of frames in an interval
    limit = device.byte_limits[0].limit
    assert abs(limit - bursts * wire) < Fraction(1, 10) * bursts * wire


def test_a_nic_carries_what_framing_leaves():
    simulation, _ = network(fifos(), nic=Nic(100_000_000))
    simulation.add_tcp("up")
    result = simulation.run(4 * SECOND, 2 * SECOND)
    wanted = 100_000_000 * 1448 // 1538
    assert abs(result.flows[0].goodput - wanted) < wanted // 500


def test_queues_share_a_wire_evenly_whatever_their_flows():
    """Three flows on one transmit queue get together what a lone flow on another gets."""
    simulation, device = network(fifos(2), queues=2, nic=Nic(SECOND, 170_000, refill=15_000))
    for flow, queue in enumerate((0, 0, 1, 0)):
        simulation.add_tcp("up")
        device.place(flow, queue)
    flows = simulation.run(4 * SECOND, 2 * SECOND).flows
    lone = flows[2].goodput
    others = sum(flow.goodput for number, flow in enumerate(flows) if number != 2)
    assert abs(lone - others) < lone // 50


def test_a_ring_stops_the_qdisc_where_no_byte_limit_does():
    simulation, device = network(fifos(), nic=Nic(SECOND, 0, descriptors=64, most=0))
    simulation.add_udp("up", 2 * SECOND, buffer=1 << 30)
    simulation.schedule.run(SECOND // 10)
    assert device.counters()["stops"] > 0
    assert device.byte_limits == []


def test_a_processor_behind_the_qdisc_serves_at_its_pace_and_refuses_beyond_its_backlog():
    """Unresponsive datagrams at 100,000 /s; the processor takes 20 us for each."""
    processors = Processors(20_000, backlog=100)
    simulation, device = network(fifos(), processors=processors, local=False)
    simulation.add_udp("up", 100_000 * 1470 * 8)
    result = simulation.run(SECOND, SECOND)
    counted = device.counters()
    assert abs(result.flows[0].goodput - 50_000 * 1470 * 8) < 50_000 * 8
    assert counted["most_waiting"] == 100
    assert abs(counted["refused"] - 50_000) < 10
    assert abs(counted["work"] - SECOND) < MS


def test_a_processor_in_line_keeps_packets_in_the_qdisc():
    processors = Processors(20_000, inline=True)
    simulation, device = network(fifos(), processors=processors, local=False)
    simulation.add_udp("up", 100_000 * 1470 * 8)
    result = simulation.run(SECOND, SECOND)
    assert abs(result.flows[0].goodput - 50_000 * 1470 * 8) < 50_000 * 8
    assert device.counters()["refused"] == 0
    assert result.egress.drops > 49_000  # pfifo_fast overflows instead


def test_the_same_seed_gives_the_same_run():
    def once() -> tuple[object, ...]:
        simulation, device = network(fifos(2), queues=2, nic=Nic(SECOND, 170_000))
        for _ in range(3):
            simulation.add_tcp("up")
        simulation.add_ping()
        result = simulation.run(SECOND, SECOND)
        return (
            [flow.payload for flow in result.flows],
            device.counters(),
            [limit.limit for limit in device.byte_limits],
        )

    assert once() == once()


def shared(kernel: str, mode: int = 3):
    def make(simulation):
        config = CakeConfig(rate=250_000_000, tins=mode, mq_kernel=kernel)
        return list(CakeMq(simulation.pool, simulation.random(8), config, 4).children)

    return make


@pytest.mark.parametrize(("mode", "visits"), [(3, 7168), (0, 5120), (1, 4096), (2, 0)])
def test_an_idle_scan_costs_a_visit_of_every_purged_queue(mode: int, visits: int):
    """One ping at a time: each finds its child's last scan long ago, and waits for the new one."""
    processors = Processors(10_000, visit_cold=91_000, visit_warm=17_000, duty=True)
    simulation, device = network(
        shared("net-next-15c2715a5264", mode), 4, processors=processors, rtt=100_000
    )
    simulation.add_ping(keep=8)
    result = simulation.run(SECOND, SECOND)
    wanted = 100_000 + 10_000 + visits * 91
    assert set(result.flows[0].samples) == {wanted}
    assert device.counters()["sync_work"] == visits * 91 * (
        result.flows[0].offered if visits else 0
    )


@pytest.mark.parametrize("kernel", ["before-15c2715a5264", "a3729e0df005-or-later"])
def test_kernels_that_purge_nothing_cost_nothing(kernel: str):
    processors = Processors(10_000, visit_cold=91_000, visit_warm=17_000, duty=True)
    simulation, _ = network(shared(kernel), 4, processors=processors, rtt=100_000)
    simulation.add_ping(keep=8)
    assert set(simulation.run(SECOND, SECOND).flows[0].samples) == {110_000}


def test_a_scan_longer_than_its_interval_happens_at_every_packet():
    """The router of mq-rate-adjust: a packet takes the scan and its own time, on each queue."""
    processors = Processors(22_000, inline=True, visit_warm=60_000, visit_cold=60_000)
    simulation, _ = network(shared("net-next-15c2715a5264"), 4, processors=processors, local=False)
    for _ in range(32):
        simulation.add_tcp("up")
    result = simulation.run(2 * SECOND, SECOND)
    wanted = 4 * 1448 * 8 * SECOND // (7168 * 60 + 22_000)
    total = sum(flow.goodput for flow in result.flows)
    assert abs(total - wanted) < wanted // 50


def test_a_device_has_one_qdisc_or_one_for_each_queue():
    with pytest.raises(ValueError, match="one for each transmit queue"):
        network(fifos(2), queues=3)
    _, device = network(fifos(2), queues=2)
    with pytest.raises(ValueError, match="no queue 2"):
        device.place(0, 2)
