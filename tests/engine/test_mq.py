"""mq: a qdisc for each transmit queue, and the sums of what they count."""

from __future__ import annotations

import pytest

from tcc.engine.constants import DROP, NEVER, NIL, OK
from tcc.engine.fifo import Fifo
from tcc.engine.mq import Mq
from tcc.engine.packet import PacketPool
from tcc.engine.tbf import Pace, TokenBucket


def made():
    pool = PacketPool(16)
    children = [
        Fifo(pool, 2, in_bytes=False),
        TokenBucket(pool, Fifo(pool, 9000), Pace(1_000_000), 1000),
        Fifo(pool, 9000),
    ]
    return pool, Mq(pool, children)


def put(pool, mq, queue, id, length=1000):
    return mq.enqueue(pool.new({"id": id, "length": length, "tx_queue": queue}), 0)


def get(pool, mq, queue, at=0):
    packet = mq.dequeue(queue, at)
    return None if packet == NIL else pool.read(packet)["id"]


def test_each_queue_gives_its_own():
    pool, mq = made()
    for queue in (2, 0, 1, 2, 0):
        assert put(pool, mq, queue, 10 * queue) == OK
    assert [get(pool, mq, queue) for queue in (0, 1, 2, 0, 1, 2)] == [0, 10, 20, 0, None, 20]


def test_a_full_queue_does_not_bother_the_others():
    pool, mq = made()
    assert [put(pool, mq, 0, n) for n in range(3)] == [OK, OK, DROP]
    assert put(pool, mq, 2, 9) == OK


def test_timers_are_the_queues_own():
    pool, mq = made()
    for n in range(2):
        put(pool, mq, 1, n)
    assert get(pool, mq, 1) == 0
    assert get(pool, mq, 1) is None
    assert [mq.take_wakeup(queue) for queue in range(3)] == [NEVER, 1_000_000, NEVER]
    assert mq.take_wakeup(1) == NEVER
    assert get(pool, mq, 1, 1_000_000) == 1


def test_a_queue_that_the_device_does_not_have():
    pool, mq = made()
    put(pool, mq, 7, 1)
    assert get(pool, mq, 0) == 1
    with pytest.raises(IndexError, match="no queue 3 of 3"):
        mq.dequeue(3, 0)


def test_the_root_shows_the_sums():
    pool, mq = made()
    for queue, count in enumerate((3, 3, 2)):
        for n in range(count):
            put(pool, mq, queue, n, 500)
    get(pool, mq, 0)
    assert mq.statistics() == {
        "bytes": 500, "packets": 1, "drops": 1, "overlimits": 0, "requeues": 0,
        "backlog": 3000, "qlen": 6,
    }  # fmt: skip
    mq.reset()
    assert mq.statistics()["qlen"] == 0


def test_one_queue_is_not_enough():
    pool = PacketPool(2)
    with pytest.raises(ValueError, match="more than one"):
        Mq(pool, [Fifo(pool, 1)])


def test_children_share_the_pool():
    pool = PacketPool(2)
    with pytest.raises(ValueError, match="another pool"):
        Mq(pool, [Fifo(pool, 1), Fifo(PacketPool(2), 1)])
