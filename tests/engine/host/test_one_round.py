"""One round of flows against CAKE's two lists, worked by hand; quantum 1514, packets of 1000."""

import pytest

from tcc.engine.cake.config import CakeConfig
from tcc.engine.cake.qdisc import Cake
from tcc.engine.host.one_round import OneRound
from tcc.engine.packet import PacketPool
from tcc.engine.random import Random
from tests.engine.cake_bench import BESTEFFORT, DIFFSERV3, T0, Bench


@pytest.mark.parametrize(("one_round", "then"), [(False, [9, 4]), (True, [4, 9])])
def test_a_flow_that_was_empty_is_served_next_or_waits_its_turn(one_round: bool, then: list[int]):
    """The long flow has 1514 + 1514 - 3 x 1000 = 28 bytes left to send when the other comes."""
    bench = Bench(tins=BESTEFFORT, flow_mode=4)
    order = OneRound(bench.cake) if one_round else None

    def put(number: int, flow: int) -> None:
        bench.put(number, 1000, flow_hash=flow)
        if order is not None:
            order.settle()

    for number in range(1, 7):
        put(number, 5)
    assert [bench.get()["id"] for _ in range(3)] == [1, 2, 3]
    put(9, 600)
    assert [bench.get()["id"] for _ in range(2)] == then
    assert [bench.get()["id"] for _ in range(2)] == [5, 6]


def test_it_is_for_one_tin():
    with pytest.raises(ValueError, match="one tin"):
        OneRound(Cake(PacketPool(16), Random(1, 8), CakeConfig(tins=DIFFSERV3)))


def test_flows_that_run_empty_and_come_back_lose_no_packet():
    bench = Bench(tins=BESTEFFORT, flow_mode=4)
    order = OneRound(bench.cake)
    for number in range(50):
        bench.put(number, 100, flow_hash=number % 3)
        order.settle()
        assert bench.get()["id"] == number
    assert bench.cake.dequeue(T0) == -1
