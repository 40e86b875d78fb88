"""The base: tables, packets, chance, events, and the first qdiscs."""

from __future__ import annotations

import heapq
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tcc.engine import constants, rows
from tcc.engine.constants import CN, DROP, NEVER, NIL, OK
from tcc.engine.events import PythonHandler, Schedule
from tcc.engine.fifo import Fifo
from tcc.engine.foreign import ForeignQueueDisc
from tcc.engine.packet import PacketPool
from tcc.engine.random import Random

ENGINE = Path(constants.__file__).parent


def test_constants_are_the_same_for_c_and_for_python():
    text = (ENGINE / "constants.pxd").read_text()
    in_c = {name: int(value) for name, value in re.findall(r"(\w+) = (-?\d+)", text)}
    in_python = {
        name: value
        for name, value in vars(constants).items()
        if name.isupper() and isinstance(value, int)
    }
    assert in_c == in_python
    assert len(constants.REASON_NAMES) == constants.REASONS


def test_rows_have_the_same_fields_in_c_and_in_python():
    text = (ENGINE / "rows.pxd").read_text()
    structs = re.findall(r"cdef struct (\w+):\n((?:    .*\n)+)", text)
    assert {name for name, _ in structs} >= {"Packet", "Entry", "Node", "Line"}
    for name, body in structs:
        fields = {line.split()[-1] for line in body.splitlines()}
        assert fields == set(getattr(rows, name).__slots__), name


def test_pool_grows_and_gives_rows_back():
    pool = PacketPool(2)
    packets = [pool.new({"id": n, "length": 100 + n}) for n in range(9)]
    assert len(set(packets)) == 9
    assert pool.used == 9
    assert pool.size == 16
    assert [pool.read(p)["length"] for p in packets] == list(range(100, 109))
    pool.free(packets[3])
    assert pool.used == 8
    again = pool.new({})
    assert again == packets[3]
    assert pool.read(again)["length"] == 0


def test_pool_refuses_what_is_no_packet():
    pool = PacketPool(2)
    with pytest.raises(IndexError, match="no packet 7"):
        pool.read(7)
    with pytest.raises(KeyError, match="no colour"):
        pool.new({"colour": 1})


def test_splitmix_gives_its_published_numbers():
    # The first outputs for seed 1234567, as in the generator's reference output.
    source = Random(1234567)
    assert [source.draw64() for _ in range(5)] == [
        6457827717110365317,
        3203168211198807973,
        9817491932198370423,
        4593380528125082431,
        16408922859458223821,
    ]


def test_narrow_draws_are_the_top_bits():
    assert Random(1234567).draw32() == 6457827717110365317 >> 32
    assert Random(1234567).draw16() == 6457827717110365317 >> 48


def test_streams_differ_and_fixed_sources_do_not_move():
    assert len({Random(1, stream).draw64() for stream in range(64)}) == 64
    fixed = Random.fixed(5, 6, 7)
    assert [(fixed.draw16(), fixed.draw32(), fixed.draw64()) for _ in range(2)] == [(5, 6, 7)] * 2


@given(st.lists(st.tuples(st.integers(0, 50), st.integers(0, 7)), max_size=60))
def test_events_happen_by_time_then_in_the_order_of_arming(armings):
    schedule = Schedule(PacketPool())
    seen = []
    handler = PythonHandler(schedule, lambda what, argument, now: seen.append((now, argument)))
    expected = []
    for number, (time, what) in enumerate(armings):
        schedule.once(time, handler, what, number)
        heapq.heappush(expected, (time, number))
    schedule.run(100)
    assert seen == [heapq.heappop(expected) for _ in range(len(expected))]
    assert schedule.now == 100


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(-1, 40)), max_size=80))
def test_timers_fire_once_at_the_last_time_they_were_armed_for(armings):
    schedule = Schedule(PacketPool())
    seen = []
    handler = PythonHandler(schedule, lambda what, argument, now: seen.append((now, what)))
    timers = [schedule.new_timer(handler, number) for number in range(6)]
    last: dict[int, tuple[int, int]] = {}
    for order, (timer, time) in enumerate(armings):
        if time < 0:
            schedule.disarm_timer(timers[timer])
            last.pop(timer, None)
        else:
            schedule.arm_timer(timers[timer], time)
            last[timer] = (time, order)
    schedule.run(100)
    assert seen == [(time, timer) for timer, (time, _) in sorted(last.items(), key=lambda i: i[1])]


@given(
    st.lists(
        st.tuples(st.integers(0, 2), st.integers(0, 20), st.integers(1, 9)),
        max_size=60,
    )
)
def test_delay_lines_deliver_as_if_each_packet_had_an_event_of_its_own(sends):
    def run(with_lines: bool):
        pool = PacketPool()
        schedule = Schedule(pool)
        seen = []
        handler = PythonHandler(
            schedule, lambda what, argument, now: seen.append((now, what, argument))
        )
        lines = [schedule.new_line(handler, number) for number in range(3)]

        def send(what, argument, now):
            if with_lines:
                schedule.send_packet(lines[what], argument, now + what * 3)
            else:
                schedule.once(now + what * 3, handler, what, argument)

        sender = PythonHandler(schedule, send)
        for line, time, _ in sends:
            schedule.once(time, sender, line, pool.new({}))
        schedule.run(1000)
        return seen

    assert run(True) == run(False)


def test_an_exception_in_a_python_handler_stops_the_run():
    schedule = Schedule(PacketPool())

    def broken(what, argument, now):
        raise ValueError(f"at {now}")

    handler = PythonHandler(schedule, broken)
    schedule.once(7, handler, 0)
    schedule.once(9, handler, 0)
    with pytest.raises(ValueError, match="at 7"):
        schedule.run(100)
    assert schedule.fired == 1


def fill(qdisc, lengths):
    return [
        qdisc.enqueue(qdisc.pool.new({"id": n, "length": length}), 0)
        for n, length in enumerate(lengths)
    ]


def empty(qdisc):
    found = []
    packet = qdisc.dequeue(0)
    while packet != NIL:
        found.append(qdisc.pool.read(packet)["id"])
        qdisc.pool.free(packet)
        packet = qdisc.dequeue(0)
    return found


def test_bfifo_counts_bytes():
    # 3000 B hold two packets of 1500 B exactly (bfifo_enqueue: backlog + length <= limit).
    qdisc = Fifo(PacketPool(), 3000)
    assert fill(qdisc, [1500, 1500, 1]) == [OK, OK, DROP]
    assert [(qdisc.pool.read(p)["id"], reason) for p, reason in qdisc.pool.drain()] == [
        (2, constants.OVERLIMIT)
    ]
    assert qdisc.drops_by_reason() == {"overlimit": 1}
    assert empty(qdisc) == [0, 1]
    assert qdisc.take_wakeup() == NEVER


def test_pfifo_counts_packets():
    qdisc = Fifo(PacketPool(), 2, in_bytes=False)
    assert fill(qdisc, [9000, 1, 1]) == [OK, OK, DROP]
    assert empty(qdisc) == [0, 1]


def test_pfifo_head_drop_keeps_the_newest():
    qdisc = Fifo(PacketPool(), 2, in_bytes=False, head_drop=True)
    assert fill(qdisc, [1, 2, 3]) == [OK, OK, CN]
    assert empty(qdisc) == [1, 2]
    assert qdisc.statistics() == {
        "bytes": 5, "packets": 2, "drops": 1, "overlimits": 0,
        "requeues": 0, "backlog": 0, "qlen": 0,
    }  # fmt: skip


def test_reset_purges_without_counting_drops():
    qdisc = Fifo(PacketPool(), 5000)
    fill(qdisc, [1500, 1500])
    qdisc.reset()
    assert (qdisc.qlen, qdisc.backlog, qdisc.drops, qdisc.dropped_after) == (0, 0, 0, 2)
    assert len(qdisc.pool.drain()) == 2


class Stack:
    """Last in, first out, in plain Python: three packets at the most."""

    def __init__(self):
        self.packets, self.dropped, self.wakeup = [], [], None

    def enqueue(self, packet, now):
        if packet.length == 13:
            raise ValueError("thirteen")
        if len(self.packets) == 3:
            self.dropped.append((packet, constants.OVERLIMIT))
            return DROP
        packet.tos = 2
        self.packets.append(packet)
        self.wakeup = now + 5
        return OK

    def dequeue(self, now):
        return self.packets.pop() if self.packets else None

    def peek(self, now):
        return self.packets[-1] if self.packets else None

    def reset(self):
        self.packets.clear()


def test_a_qdisc_in_plain_python_runs_through_the_slower_door():
    pool = PacketPool()
    qdisc = ForeignQueueDisc(pool, Stack())
    assert fill(qdisc, [100, 200, 300, 400]) == [OK, OK, OK, DROP]
    assert qdisc.take_wakeup() == 5
    assert [reason for _, reason in pool.drain()] == [constants.OVERLIMIT]
    assert (qdisc.received, qdisc.enqueued, qdisc.dropped_before) == (4, 3, 1)
    first = qdisc.peek(0)
    assert pool.read(first)["length"] == 300
    assert pool.read(first)["tos"] == 2
    assert empty(qdisc) == [2, 1, 0]
    assert (qdisc.qlen, qdisc.backlog) == (0, 0)
    fill(qdisc, [1, 2])
    qdisc.reset()
    assert (qdisc.qlen, qdisc.drops, qdisc.dropped_after) == (0, 1, 2)


def test_an_exception_in_a_python_qdisc_is_kept_and_no_packet_is_lost_sight_of():
    pool = PacketPool()
    qdisc = ForeignQueueDisc(pool, Stack())
    assert fill(qdisc, [1, 13, 1]) == [OK, DROP, DROP]
    assert len(pool.drain()) == 2
    with pytest.raises(ValueError, match="thirteen"):
        qdisc.check()
    assert qdisc.received == qdisc.enqueued + qdisc.dropped_before
