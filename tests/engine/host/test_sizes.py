"""TCP whose super-packets a profile bounds: byte queue limits that follow from their length."""

import pytest

from tcc.engine.fifo import Fifo
from tcc.engine.host.device import Device, Nic
from tcc.engine.host.sizes import Sizes
from tcc.engine.simulation import Path, Simulation

SECOND = 1_000_000_000


def upload(least: int, most: int):
    """Return the byte queue limit, the objects and their bytes of one TCP on a gigabit card."""
    simulation = Simulation(1, local=True)
    qdisc = Fifo(simulation.pool, 1 << 40)
    made = []

    def device(schedule, root, following, options, veil):
        made.append(Device(schedule, root, [root], following, options, 1, Nic(10**9, 170_000)))
        return made[0]

    simulation.link(qdisc, Fifo(simulation.pool, 1 << 40), Path(rtt=520_000), device)
    sender = simulation.add_tcp("up").sender
    Sizes(sender, simulation.random(48), least, most)
    simulation.run(5 * SECOND, SECOND)
    return made[0].byte_limits[0].limit, made[0].counters()["objects"], made[0].sent_bytes


@pytest.mark.parametrize("segments", [20, 22, 44])
def test_the_limit_comes_down_to_two_super_packets(segments: int):
    """A super-packet is `segments` frames of 1514 bytes; the limit is not below two of them."""
    limit, objects, octets = upload(segments, segments)
    assert abs(limit - 2 * segments * 1514) <= 1514
    assert abs(octets - objects * segments * 1514) < octets // 100


def test_drawn_lengths_are_even_between_both_ends():
    _, objects, octets = upload(28, 44)
    assert abs(octets / objects / 1514 - 36) < 0.5


def test_a_super_packet_has_segments():
    simulation = Simulation(1, local=True)
    simulation.link(
        Fifo(simulation.pool, 1 << 40), Fifo(simulation.pool, 1 << 40), Path(rtt=520_000)
    )
    sender = simulation.add_tcp("up").sender
    with pytest.raises(ValueError, match="segments"):
        Sizes(sender, simulation.random(48), 0, 44)
