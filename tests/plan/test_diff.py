"""Plans, with the rules of tc_modify_qdisc() (net/sched/sch_api.c) as the expected answers."""

import pytest

from tcc.plan.diff import diff
from tcc.plan.operation import Verb
from tcc.plan.state import KERNELS_OWN, FileItem, Place, QdiscItem
from tcc_plugins.bfifo import BfifoSettings
from tcc_plugins.netlink import host as comparison
from tcc_plugins.pfifo import PfifoSettings

ROOT = Place("eth0", "root")
NOQUEUE = QdiscItem("noqueue", 0, default=True)


def bfifo(handle, limit=3000):
    return QdiscItem("bfifo", handle << 16, BfifoSettings(limit))


def pfifo(handle, limit=30):
    return QdiscItem("pfifo", handle << 16, PfifoSettings(limit))


def tree(handle, *children):
    """A root without plugin that holds `children`, as (minor, item)."""
    state = {ROOT: QdiscItem("tbf", handle << 16, raw=b"options")}
    for minor, item in children:
        state[Place("eth0", f"{handle:x}:{minor:x}")] = item
    return state


def steps(observed, wanted):
    return [
        (step.verb, step.place.at, step.after and step.after.handle >> 16)
        for step in diff(observed, wanted, comparison).operations
    ]


def test_over_the_kernels_own_a_new_one_is_added_under_the_handle_that_was_wanted():
    assert steps({ROOT: NOQUEUE}, {ROOT: bfifo(1)}) == [(Verb.ADD, "root", 1)]


def test_what_is_as_wanted_is_left_alone():
    assert not diff({ROOT: bfifo(1)}, {ROOT: bfifo(1)}, comparison)


def test_the_same_kind_is_changed_in_place_and_keeps_its_handle():
    plan = diff({ROOT: bfifo(0x8001, 5000)}, {ROOT: bfifo(1, 3000)}, comparison)
    (step,) = plan.operations
    assert step.verb is Verb.CHANGE
    assert step.after.handle == 0x80010000
    (difference,) = step.differences
    assert (difference.name, difference.observed, difference.wanted) == ("limit", "5000b", "3000b")


def test_the_same_kind_under_another_handle_is_as_wanted():
    assert not diff({ROOT: bfifo(0x8001)}, {ROOT: bfifo(1)}, comparison)


def test_another_kind_under_our_handle_makes_us_take_the_next_free_one():
    # "Invalid qdisc name: must match existing qdisc" otherwise
    assert steps({ROOT: pfifo(1)}, {ROOT: bfifo(1)}) == [(Verb.REPLACE, "root", 2)]


def test_a_handle_that_hangs_anywhere_on_the_device_is_not_free():
    observed = tree(0x8001, (1, pfifo(1)), (2, pfifo(2)))
    assert steps(observed, {ROOT: bfifo(1)}) == [(Verb.REPLACE, "root", 3)]


def test_other_devices_do_not_count_for_handles():
    observed = {Place("eth1", "root"): pfifo(1), ROOT: NOQUEUE}
    assert steps(observed, {ROOT: bfifo(1)}) == [(Verb.ADD, "root", 1)]


def test_what_hangs_inside_a_new_root_is_added_under_the_handle_that_the_root_gets():
    wanted = {ROOT: bfifo(1), Place("eth0", "1:1"): pfifo(0x10)}
    assert steps({ROOT: pfifo(1)}, wanted) == [
        (Verb.REPLACE, "root", 2),
        (Verb.ADD, "2:1", 0x10),
    ]


def test_parents_come_first_however_the_state_is_ordered():
    wanted = {
        Place("eth0", "10:1"): pfifo(0x20),
        Place("eth0", "1:1"): pfifo(0x10),
        ROOT: bfifo(1),
    }
    assert [at for _, at, _ in steps({ROOT: NOQUEUE}, wanted)] == ["root", "1:1", "10:1"]


def test_inside_a_root_that_stays_another_kind_replaces_the_inner_one():
    observed = {ROOT: bfifo(5), Place("eth0", "5:1"): pfifo(0x10)}
    wanted = {ROOT: bfifo(1), Place("eth0", "1:1"): bfifo(0x10)}
    assert steps(observed, wanted) == [(Verb.REPLACE, "5:1", 0x11)]


def test_an_inner_one_that_nobody_wants_makes_the_root_anew():
    # tbf_graft() has no way back to tbf's own queue
    observed = {ROOT: bfifo(1), Place("eth0", "1:1"): pfifo(0x10)}
    assert steps(observed, {ROOT: bfifo(1)}) == [(Verb.REPLACE, "root", 2)]


def test_a_kind_that_no_plugin_knows_is_made_anew():
    observed = {ROOT: QdiscItem("strange", 1 << 16, raw=b"a")}
    wanted = {ROOT: QdiscItem("strange", 1 << 16, raw=b"b")}
    assert steps(observed, wanted) == [(Verb.REPLACE, "root", 2)]


def test_the_kernels_own_is_had_by_deleting():
    assert steps({ROOT: bfifo(1)}, {ROOT: KERNELS_OWN}) == [(Verb.DELETE, "root", None)]
    assert not diff({ROOT: NOQUEUE}, {ROOT: KERNELS_OWN}, comparison)


def test_a_device_that_is_not_wanted_is_not_touched():
    observed = {ROOT: bfifo(1), Place("eth1", "root"): pfifo(7)}
    plan = diff(observed, {ROOT: bfifo(1, 1)}, comparison)
    assert list(plan.by_device()) == ["eth0"]


@pytest.mark.parametrize(
    ("there", "verbs"),
    [(None, [Verb.ADD]), ("old", [Verb.REPLACE]), ("new", [])],
)
def test_files(there, verbs):
    place = Place("", "etc/config/sqm")
    observed = {} if there is None else {place: FileItem(there)}
    plan = diff(observed, {place: FileItem("new")}, comparison)
    assert [step.verb for step in plan.operations] == verbs
