"""What a UDP socket does when its host lets out half of what it sends: by hand."""

import pytest

from tcc.engine.fifo import Fifo
from tcc.engine.simulation import Path, Simulation
from tests.engine.networks import MS, SECOND

SENT = 1000  # datagrams/s of 1470 bytes; the device carries half of them, 1536 bytes each
PACKETS = 93  # ceil(212992 / 2304): what fits a socket's buffer


def send(limit: int, head_drop: bool = False, **socket: bool):
    """Send for 3 s through a pfifo; return the sender."""
    network = Simulation(1, local=True)
    queue = Fifo(network.pool, limit, in_bytes=False, head_drop=head_drop)
    path = Path(rtt=10 * MS, device=SENT // 2 * 1536 * 8)
    network.link(queue, Fifo(network.pool, 1 << 40), path)
    watch = network.add_udp("up", SENT * 1470 * 8, **socket)
    network.run(3 * SECOND, 0)
    return watch.sender


def test_one_that_blocks_waits_and_loses_nothing():
    sender = send(1000)
    assert (sender.again, sender.refusals) == (0, 0)
    assert abs(sender.sent - (3 * SENT // 2 + PACKETS)) <= 2


def test_one_that_does_not_goes_without_what_finds_no_room():
    sender = send(1000, blocking=False)
    assert sender.refusals == 0
    assert abs(sender.sent - (3 * SENT // 2 + PACKETS)) <= 2
    assert abs(sender.sent + sender.again - 3 * SENT) <= 1


@pytest.mark.parametrize("asks", [False, True])
def test_only_one_that_asks_is_told_of_drops(asks: bool):
    """Ten packets fit, and one is on the wire."""
    sender = send(10, recverr=asks)
    assert abs(sender.refusals - (3 * SENT // 2 - 11)) <= 2
    assert sender.no_buffers == (sender.refusals if asks else 0)


def test_of_a_drop_at_the_head_nobody_is_told():
    """The kernel answers "slow down", which is no error to a socket."""
    sender = send(10, head_drop=True, recverr=True)
    assert abs(sender.refusals - (3 * SENT // 2 - 11)) <= 2
    assert sender.no_buffers == 0
