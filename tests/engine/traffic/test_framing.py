"""Bytes as they are counted at a link without a shaper."""

from tcc.engine.simulation import Path, Simulation
from tests.engine.networks import unshaped

SECOND = 1_000_000_000


def test_a_queue_that_shapes_nothing_counts_frames():
    """8 Mbit/s of datagrams of 1000 bytes: 1001 in the first second, of 1042 bytes."""
    simulation = Simulation()
    simulation.link(unshaped(simulation), unshaped(simulation), Path(0))
    simulation.add_udp("up", 8_000_000, 1000)
    result = simulation.run(SECOND)
    assert result.egress.octets == result.egress.framed == 1001 * 1042
    assert result.ingress.framed == 0
