"""What happens at one moment, and when a reader has its processor."""

from __future__ import annotations

import pytest

from tcc.engine.simulation import Path, Simulation
from tests.engine.networks import MS, cake, unshaped

RATE = 100_000_000  # bit/s: a full packet takes 121,120 ns


@pytest.mark.parametrize(("due_first", "delay"), [(False, 0), (True, 121_120)])
def test_who_goes_first_when_one_is_due_as_another_arrives(due_first, delay):
    # Three full packets at time 0; the second is due when the small one of a new flow arrives,
    # which CAKE prefers: it goes at that moment, or when the third would.
    network = Simulation()
    network.link(cake(network, RATE), unshaped(network), Path(10 * MS, upstream=0))
    network.egress.due_first = due_first
    for _ in range(3):
        network.add_udp("up", 1000, 1472, stop=1, like=network.flows[0] if network.flows else None)
    small = network.add_udp("up", 1000, 24, start=121_120, stop=121_121)
    network.schedule.run(5 * MS)
    assert [one.receiver.arrived for one in network.flows] == [1, 1, 1, 1]
    assert small.receiver.delay.greatest == delay


@pytest.mark.parametrize(("turns", "threshold"), [((), 79_449), ((50 * MS,), 75_109)])
def test_a_reader_without_its_processor_leaves_less_room_for_the_window_to_grow(turns, threshold):
    # Of 131,072 bytes, 158 of 256 are payload; each segment takes 1448 + 896.  The window grows
    # from 64,088 by two segments with each, up to (131,072 - 2344) * 158 / 256 = 79,449 if each is
    # read as it comes; or until four lie there, (131,072 - 9376) * 158 / 256 = 75,109.
    network = Simulation()
    network.link(cake(network, RATE), cake(network, RATE), Path(10 * MS, upstream=0))
    one = network.add_tcp("down", payload=8 * 1448, turns=turns)
    network.schedule.run(45 * MS)
    assert one.receiver.bytes == 8 * 1448
    assert one.receiver.window_threshold == threshold
