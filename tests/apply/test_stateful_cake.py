"""Random histories of a host with CAKE; `make evidence T=stateful-cake` is a longer run."""

from pathlib import Path

GUEST = Path(__file__).with_name("guest_stateful.py")


def test_never_a_third_state_and_always_a_way_back(guest_report):
    # a history that breaks a promise ends the guest's script; these parts were really tried
    for tried in (
        "left: cake",
        "left: cake_mq",
        "somebody else's change",
        "rollback of a killed apply",
        "rollback: exit 0",
    ):
        assert guest_report.get(tried, 0) >= 1, tried
