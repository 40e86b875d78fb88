"""What `guest_systemd.py` found out where systemd is the first process."""

from pathlib import Path

GUEST = Path(__file__).with_name("guest_systemd.py")


def test_a_trial_is_a_service_of_its_own_and_outlives_its_session(guest_report):
    found = guest_report["trial"]
    assert "unless `tcc confirm` comes" in found["said"]
    assert found["units"].startswith("tcc-unconfirmed-")
    assert "active running" in found["units"]
    assert found["session"] == "failed"  # everything in it was killed
    assert found["on trial"] == "20Mbit"
    assert found["undone"]
    assert found["units after"] == ""


def test_what_is_confirmed_leaves_no_service(guest_report):
    found = guest_report["confirmed"]
    assert found["status"] == 0, found["said"]
    assert found["kept"] == "20Mbit"
    assert found["units"] == ""


def test_the_unit_of_the_watch_starts_reloads_and_stops(guest_report):
    found = guest_report["watched"]
    assert found["start"] == [0, ""]
    assert found["started"] == "20Mbit"  # READY comes when all is as wanted
    assert "StatusText=keeping 1 devices" in found["status"]
    assert "ActiveState=active" in found["status"]
    assert found["made anew"] == "20Mbit"
    assert found["reload"] == 0
    assert found["reloaded"]
    assert found["stop"] == 0
    assert "Result=success\nExecMainStatus=0" in found["ended"]
    assert found["stays"] == "30Mbit"
