"""Facts as data: what a copy with changes knows."""

from dataclasses import replace

from tcc.facts import DeviceFacts, Facts
from tcc.ir import document


def test_a_copy_with_other_devices_looks_them_up_anew():
    one, other = DeviceFacts(name="eth0", index=2), DeviceFacts(name="eth0", index=3)
    known = Facts(devices=(one,))
    assert known.device("eth0") is one
    changed = replace(known, devices=(other,))
    assert changed.device("eth0") is other
    assert known.device("eth0") is one
    assert known.device("eth1") is None


def test_of_two_devices_with_one_name_the_first_counts():
    one, other = DeviceFacts(name="eth0", index=2), DeviceFacts(name="eth0", index=3)
    assert Facts(devices=(one, other)).device("eth0") is one


def test_looking_up_makes_no_difference():
    facts = Facts(devices=(DeviceFacts(name="eth0", index=2),))
    same = Facts(devices=(DeviceFacts(name="eth0", index=2),))
    facts.device("eth0")
    assert facts == same
    assert document.text(facts) == document.text(same)
