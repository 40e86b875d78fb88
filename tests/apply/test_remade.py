"""An ifb that is made anew for cake_mq, the apply killed at every step, on the 7.3 kernel."""

from pathlib import Path

GUEST = Path(__file__).with_name("guest_remade.py")


def test_packets_come_in_whenever_it_is_killed_and_a_rollback_brings_the_old_ifb_back(guest_report):
    walk = guest_report["walk"]
    assert len(walk) == 5  # redirect and ifb go; ifb, cake_mq and redirect come
    assert walk == [[True, True, True]] * 5


def test_what_was_not_killed_is_whole(guest_report):
    assert guest_report["kinds"] == ["cake_mq", "cake", "cake"]
    assert guest_report["reached"]
    assert "Nothing to do" in guest_report["again"]
