"""TCP whose pace a profile bounds: byte queue limits that follow from its super-packets."""

import pytest

from tcc.engine.fifo import Fifo
from tcc.engine.host.device import Device, Nic
from tcc.engine.host.paced import PacedSender
from tcc.engine.results import Watch
from tcc.engine.simulation import Path, Simulation
from tcc.engine.tcp.cubic import Cubic
from tcc.engine.tcp.receiver import Receiver

SECOND = 1_000_000_000


def ends(simulation: Simulation) -> tuple[PacedSender, Receiver]:
    """Return both ends of a connection."""
    schedule, options = simulation.schedule, simulation.options
    there, back = simulation.egress, simulation.wire_down
    chance = simulation.random(16)
    sender = PacedSender(schedule, there, 0, (1, 2, 3), Cubic(), options, chance, local=True)
    return sender, Receiver(schedule, back, 0, (4, 3, 2), options)


def upload(least: int, most: int):
    """Return the byte queue limit, the objects and their bytes of one TCP on a gigabit card."""
    simulation = Simulation(1, local=True)
    qdisc = Fifo(simulation.pool, 1 << 40)
    made = []

    def device(schedule, root, following, options, veil):
        made.append(Device(schedule, root, [root], following, options, 1, Nic(10**9, 170_000)))
        return made[0]

    simulation.link(qdisc, Fifo(simulation.pool, 1 << 40), Path(rtt=520_000), device)
    sender, receiver = ends(simulation)
    sender.bound(simulation.random(48), least, most)
    sender.open_at(0, 520_000)
    receiver.open_at(0, 520_000)
    watch = Watch("tcp", 0, "up", 0, 0, "", sender, receiver, 0, None)
    simulation.join(watch, sender, receiver, None)
    simulation.run(5 * SECOND, SECOND)
    return made[0].byte_limits[0].limit, made[0].counters()["objects"], made[0].sent_bytes


@pytest.mark.parametrize("segments", [20, 22, 44])
def test_the_limit_comes_down_to_two_super_packets(segments: int):
    """A super-packet is `segments` frames of 1514 bytes; the limit is not below two of them."""
    limit, objects, octets = upload(segments, segments)
    assert abs(limit - 2 * segments * 1514) <= 1514
    assert abs(octets - objects * segments * 1514) < octets // 100


def test_drawn_lengths_are_about_the_middle_on_average():
    _, objects, octets = upload(28, 44)
    assert abs(octets / objects / 1514 - 36) < 36 / 20


def test_a_super_packet_has_segments():
    simulation = Simulation(1, local=True)
    simulation.link(
        Fifo(simulation.pool, 1 << 40), Fifo(simulation.pool, 1 << 40), Path(rtt=520_000)
    )
    sender, _ = ends(simulation)
    with pytest.raises(ValueError, match="segments"):
        sender.bound(simulation.random(48), 0, 44)
