"""The tap: it changes nothing, tells of every packet once, and knows the queue it was in."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tcc.engine.cake.tables import mode_of
from tcc.engine.simulation import Path, Simulation
from tcc.engine.tap import Tap
from tests.engine.networks import DIFFSERV4, MS, SECOND, cake

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tcc.engine.cake.qdisc import Cake
    from tcc.engine.results import Result

HOSTS = 7
MARKS = (0, 8, 34, 46)


class Watch:
    """Checks each packet as it comes, and counts."""

    def __init__(self, qdisc: Cake, stop: BaseException | None = None) -> None:
        self.qdisc = qdisc
        self.stop = stop
        self.left = self.marked = self.split = 0
        self.gone: dict[int, int] = {}
        self.waited: list[int] = []
        self.flows: set[tuple[int, int]] = set()

    def crossed(self, packet: Mapping[str, int], now: int, queue: tuple[int, ...] | None) -> None:
        if self.stop is not None and self.left == 100:
            raise self.stop
        assert queue is not None
        tin, slot, source, destination = queue
        flow = self.qdisc.flow(tin, slot)
        assert tin == mode_of(self.qdisc.config.tins).index[packet["tos"] >> 2]
        assert flow["tag"] == packet["flow_hash"]
        assert (flow["source"], flow["destination"]) == (source, destination)
        self.left += 1
        self.marked += packet["tos"] & 3 == 3
        self.waited.append(now - packet["enqueue_time"])
        self.flows.add((tin, slot))

    def dropped(self, packet: Mapping[str, int], now: int) -> None:
        self.gone[packet["reason"]] = self.gone.get(packet["reason"], 0) + 1
        assert now >= packet["enqueue_time"]


def loaded(seed: int, tapped: bool, stop: BaseException | None = None) -> tuple[Result, Watch]:
    """Run sixteen uploads of four marks, half of them with ECN, towards a slow CAKE."""
    network = Simulation(seed)
    egress = cake(network, 20_000_000, DIFFSERV4, flow_mode=HOSTS)
    ingress = cake(network, 20_000_000, DIFFSERV4, ack_filter=1)
    watch = Watch(egress, stop)
    way = Tap(egress, network.schedule, watch) if tapped else egress
    network.link(way, ingress, Path(20 * MS))
    for number in range(16):
        network.add_tcp("up", ecn=number % 2 == 0, dscp=MARKS[number % 4], host=number % 3)
    network.add_ping(20 * MS)
    return network.run(2 * SECOND, warmup=SECOND), watch


@pytest.mark.parametrize("seed", [1, 2])
def test_a_run_with_a_tap_is_the_run_without(seed: int):
    plain, tapped = (loaded(seed, tapped)[0] for tapped in (False, True))
    for name in ("events", "segments", "measured", "packets_in_use"):
        assert getattr(plain, name) == getattr(tapped, name)
    for one, other in zip(plain.flows, tapped.flows, strict=True):
        assert (one.payload, one.drops, one.series, one.details) == (
            other.payload, other.drops, other.series, other.details,
        )  # fmt: skip
    for name in ("packets", "octets", "framed", "drops", "drops_by_reason", "marks", "statistics"):
        assert getattr(plain.egress, name) == getattr(tapped.egress, name)


def test_every_packet_is_told_once_and_where_it_waited():
    result, watch = loaded(3, tapped=True)
    assert watch.left == result.egress.statistics["packets"] > 4000
    assert sum(watch.gone.values()) == sum(result.egress.drops_by_reason.values()) > 0
    assert watch.marked >= result.egress.marks > 0
    assert result.egress.sojourn.greatest == max(watch.waited[-result.egress.packets :])
    assert len(watch.flows) == 17


@pytest.mark.parametrize("error", [ValueError("no"), OSError(28, "full")])
def test_what_a_watcher_raises_ends_the_run(error: Exception):
    with pytest.raises(type(error)) as raised:
        loaded(1, tapped=True, stop=error)
    assert raised.value is error


def test_an_interrupt_while_it_is_told_ends_the_run_early():
    result, watch = loaded(1, tapped=True, stop=KeyboardInterrupt())
    assert result.interrupted
    assert watch.left == 100
