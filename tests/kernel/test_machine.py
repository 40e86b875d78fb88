"""The test kernel itself, whichever machine it is: the qdiscs are there, output comes back."""

import os
import sys
from pathlib import Path

import pytest

from testkernel import host, machine, uml_kernel

GUEST = Path(__file__).with_name("guest_machine.py")


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
