"""The test kernel itself: the qdiscs are there, time is simulated, runs repeat byte for byte."""

import os
import re
import sys
import time
from pathlib import Path

import pytest

from testkernel import host, machine, uml_kernel
from testkernel.guest import Job

GUEST = Path(__file__).with_name("guest_machine.py")
TRAFFIC = Path(__file__).with_name("guest_traffic.sh")


def test_kernel_is_7_3(guest_report):
    assert guest_report["kernel"].startswith("7.3.")


def test_python_of_this_environment_runs_inside(guest_report):
    assert guest_report["python"] == sys.executable


@pytest.mark.parametrize("kind", ["cake", "cake_mq", "tbf", "fq_codel", "sfq", "netem"])
def test_qdisc_exists(guest_report, kind):
    assert guest_report["qdiscs"][kind] == kind


def test_pyroute2_reads_the_kernels_answer(guest_report):
    assert guest_report["pyroute2"] == "netem"  # the last one that was set


def test_ifb_and_nftables_exist(guest_report):
    assert guest_report["ifb"] == "ifb"
    assert "dscp set ef" in guest_report["nft"]


def test_sleeping_takes_exactly_as_long_as_asked_and_computing_no_time(guest_report):
    clock = guest_report["clock"]
    assert 30_000_000_000 <= clock["slept"] < 30_010_000_000
    assert clock["computed"] < 1_000_000


def test_half_a_minute_in_the_guest_takes_seconds_here(run_in_guest):
    started = time.monotonic()
    assert run_in_guest(["sleep", "30"]).status == 0
    assert time.monotonic() - started < 15


def test_two_runs_are_byte_identical(run_in_guest):
    first, second = (run_in_guest(["bash", str(TRAFFIC)]) for _ in range(2))
    assert first.status == 0, first.stderr
    assert "10 packets transmitted, 10 received" in first.stdout
    assert re.search(r"Sent \d+ bytes 1\d pkt", first.stdout), first.stdout
    assert first == second


@pytest.mark.uml
def test_another_seed_gives_other_random_numbers():
    """The comparison above could fail: randomness does reach what the guest prints."""
    command = ["od", "-An", "-tx1", "-N16", "/dev/urandom"]
    found = machine.uml_machine()
    same, other = found, type(found)(found.kernel, found.overlay, seed=2)
    outputs = [machine.run(Job(command), each).stdout for each in (found, same, other)]
    assert outputs[0] == outputs[1] != outputs[2]


def test_exit_status_and_both_streams_come_back(run_in_guest):
    done = run_in_guest(["sh", "-c", "echo out; echo err >&2; exit 7"])
    assert (done.status, done.stdout, done.stderr) == (7, "out\n", "err\n")


def test_a_guest_that_hangs_is_ended(run_in_guest):
    assert run_in_guest(["sh", "-c", "while :; do :; done"], seconds=3).status == 124


def test_only_the_current_directory_is_written_to(run_in_guest, tmp_path):
    inside, outside = tmp_path / "in", tmp_path / "out"
    inside.mkdir()
    outside.mkdir()
    done = run_in_guest(
        ["sh", "-c", f"echo kept > {inside}/file; echo lost > {outside}/file"], writable=[inside]
    )
    assert done.status == 0
    assert (inside / "file").read_text() == "kept\n"
    assert not (outside / "file").exists()


def test_a_missing_kernel_is_named(monkeypatch):
    monkeypatch.setenv("TCC_UML_KERNEL", "/nowhere/linux")
    with pytest.raises(host.UnavailableError, match="/nowhere/linux: no such file"):
        uml_kernel.find()


def test_no_kernel_at_all_says_what_to_do(monkeypatch, tmp_path):
    monkeypatch.delenv("TCC_UML_KERNEL", raising=False)
    monkeypatch.setenv("TCC_KERNEL_CACHE", str(tmp_path))
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    with pytest.raises(host.UnavailableError, match="make uml-kernel"):
        machine.uml_machine()
