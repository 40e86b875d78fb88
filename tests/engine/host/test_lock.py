"""The contended root lock: rates that follow from its costs."""

import pytest

from tcc.engine.cake.config import CakeConfig
from tcc.engine.cake.qdisc import Cake
from tcc.engine.events import Schedule
from tcc.engine.host import profiles
from tcc.engine.host.lock import Counter, Flood, LockCosts, LockedDevice, costs_of
from tcc.engine.packet import PacketPool
from tcc.engine.random import Random
from tcc.engine.tcp.options import OptionPool

SECOND = 1_000_000_000
HOST = profiles.host("xeon-6209u-debug")


def flood(costs: LockCosts, rate: int, seconds: int = 1, flows: int = 6):
    """Return the device and what it sent."""
    pool = PacketPool(4096)
    schedule = Schedule(pool)
    cake = Cake(pool, Random(1, 8), CakeConfig(tins=3, flow_mode=4))
    out = Counter(schedule)
    device = LockedDevice(schedule, cake, out, OptionPool(), costs)
    device.group()
    device.connect(0)
    chance = Random(1, 9)
    source = Flood(schedule, device, [chance.draw32() for _ in range(flows)], rate)
    source.open_at(0)
    schedule.run(seconds * SECOND)
    return device, cake, out


def test_baseline_is_one_packet_for_each_two_hand_overs():
    """1 / (453 + 1000 + 2 * 342) ns, and nothing is dropped by the qdisc."""
    device, cake, out = flood(costs_of(HOST, profiles.kernel("baseline-busylock")), 1_000_000)
    assert abs(out.packets - SECOND // 2137) <= 1
    assert cake.statistics()["drops"] == 0
    assert device.turned_away > 0


@pytest.mark.parametrize("kernel", ["llist", "llist+dd", "linux-7.3"])
def test_below_its_capacity_the_lock_passes_everything(kernel: str):
    _, cake, out = flood(costs_of(HOST, profiles.kernel(kernel)), 600_000)
    assert abs(out.packets - 600_000) <= 2
    assert cake.statistics()["drops"] == 0


def test_above_it_the_lock_is_busy_all_the_time():
    device, _, _ = flood(costs_of(HOST, profiles.kernel("llist")), 800_000, 2)
    counted = device.counters()
    busy = sum(counted[name] for name in ("enqueue_work", "send_work", "drop_work"))
    assert abs(busy - 2 * SECOND) < SECOND // 1000


def test_every_packet_is_accounted_for():
    device, cake, out = flood(costs_of(HOST, profiles.kernel("llist+dd")), 900_000, 2)
    counted = cake.statistics()
    arrived = 2 * 900_000 + 1
    held = counted["qlen"] + device.waiting
    assert abs(out.packets + counted["drops"] + device.turned_away + held - arrived) <= 64


def test_the_cap_refuses_what_the_list_has_no_place_for():
    tight = costs_of(HOST, profiles.kernel("llist"), cap=4)
    assert tight.cap == 4
    device, _, _ = flood(tight, 900_000)
    assert device.turned_away > 0
    assert device.counters()["most_waiting"] == 4


def test_kernel_profiles_say_what_is_freed_where():
    under = costs_of(HOST, profiles.kernel("llist"))
    outside = costs_of(HOST, profiles.kernel("llist+dd"))
    assert under.drop - outside.drop == HOST["ns"]["free_skb_outside_lock"] == 108
    assert costs_of(HOST, profiles.kernel("linux-7.3")).cap == 1000
    assert costs_of(HOST, profiles.kernel("llist+dd+limit")).cap == 256
    half = dict(HOST, host_scale=0.5)
    assert costs_of(half, profiles.kernel("llist")).send == 500
