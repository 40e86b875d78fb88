"""The `kernel` verifier: real packets, in a guest with CAKE and in this kernel's namespaces."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tcc.netlink.kinds import encode_options
from tcc_plugins.kernel import host
from tcc_plugins.kernel.verifier import PROGRAM
from testkernel.uml_kernel import find

TCC = [sys.executable, "-c", "from tcc.cli.main import main; main()"]
POLICY = """\
link wan {
    device "eth0"
    framing ethernet
    egress { bandwidth 20mbit; tiers besteffort }
}
objective "four uploads" {
    under tcp_nup 4 flows for 5s rtt 20ms
    require egress utilisation >= 90%
    require ping induced-latency p95 <= 10ms
    require egress goodput <= 1mbit
}
"""


def verify(here: Path, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    (here / "p.tcc").write_text(POLICY)
    return subprocess.run(
        [*TCC, "verify", "p.tcc", *arguments],
        capture_output=True,
        text=True,
        check=False,
        cwd=here,
        env={**os.environ, **environment},
    )


@pytest.fixture
def kernel() -> dict[str, str]:
    path = find()
    if path is None:
        pytest.fail("no User-Mode Linux: name one in TCC_UML_KERNEL (docs/verify.md)")
    return {"TCC_UML_KERNEL": str(path)}


@pytest.mark.uml
def test_prediction_and_kernel_agree(tmp_path: Path, kernel: dict[str, str]):
    done = verify(tmp_path, "--verifier", "reference,kernel", "--json", "--no-mend", **kernel)
    assert done.returncode == 1, done.stderr
    predicted, measured = json.loads(done.stdout)["objectives"]
    assert (predicted["verifier"], measured["verifier"]) == ("reference", "kernel")
    assert [row["holds"] for row in measured["requirements"]] == [True, True, False]
    goodputs = [
        sum(flow["goodput"] for flow in one["runs"][0]["flows"]) for one in (predicted, measured)
    ]
    assert abs(goodputs[0] - goodputs[1]) <= goodputs[1] * 3 // 100
    counted = measured["runs"][0]["directions"]["egress"]
    # What tc(8) counted in 5 s, framed, is the shaper's rate and no more than a packet above it.
    assert 0.99 * 12_500_000 < counted["framed"] <= 12_500_000 + 1538
    # Of it 1448 of each 1514 bytes are payload. More can arrive in the measured time by what was
    # under way when it began: 10 ms, and a round trip of 21 ms of segments kept behind a lost one.
    waiting = 31 * 20_000_000 // 8000
    delivered = goodputs[1] * 5 // 8
    assert goodputs[1] > 18_000_000
    assert delivered <= (counted["octets"] + waiting) * 1448 // 1514


@pytest.mark.uml
def test_the_guest_repeats_itself(tmp_path: Path, kernel: dict[str, str]):
    first = verify(tmp_path, "--verifier", "kernel", "--json", **kernel).stdout
    assert first
    assert verify(tmp_path, "--verifier", "kernel", "--json", **kernel).stdout == first


@pytest.mark.uml
def test_side_by_side_for_people(tmp_path: Path, kernel: dict[str, str]):
    done = verify(tmp_path, "--verifier", "reference,kernel", "--no-mend", **kernel)
    assert "side by side" in done.stdout
    assert "outside the band" not in done.stdout


MANY_QUEUES = """\
link wan {
    device "eth0"
    framing ethernet
    egress { bandwidth 20mbit; tiers besteffort; qdisc cake_mq }
}
objective "many uploads" {
    under tcp_nup 24 flows for 3s rtt 20ms
    require egress utilisation >= 90%
}
"""


@pytest.mark.uml
def test_cake_mq_is_made_on_a_kernel_newer_than_tc_and_flows_take_all_its_queues(
    tmp_path: Path, kernel: dict[str, str]
):
    (tmp_path / "q.tcc").write_text(MANY_QUEUES)
    done = subprocess.run(
        [*TCC, "verify", "q.tcc", "--verifier", "kernel", "--json"],
        capture_output=True, text=True, check=False, cwd=tmp_path, env={**os.environ, **kernel},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    (run,) = json.loads(done.stdout)["objectives"][0]["runs"]
    queues = run["directions"]["egress"]["queues"]
    assert len(queues) == 4
    # 24 flows by a fair hash: none of four queues has less than one of them
    assert min(queues) > sum(queues) // 24


TCP = {
    "kind": "tcp", "direction": "egress", "dscp": 0, "address": "10.0.1.2", "rate": 0,
    "payload": 1470, "control": "cubic", "interval": 200_000_000, "start": 0,
}  # fmt: skip
PING = {**TCP, "kind": "ping", "direction": None, "interval": 20_000_000}
JOB = {
    "local": False, "hosts": 1, "queues": 1, "ecn": 2, "rtt": 0, "jitter": 0, "loss": 0,
    "egress": [], "ingress": [], "flows": [], "warmup": 1_000_000_000, "duration": 3_000_000_000,
}  # fmt: skip
FRAME_RATE = {"rate_linklayer": 1, "rate_rate": 2_500_000}  # bytes/s: 20 Mbit/s
BUCKET = {
    "kind": "tbf", "handle": 0x10000, "parent": 0xFFFFFFFF, "options": encode_options("tbf", [
        ("PARMS", {**FRAME_RATE, "limit": 66_384, "buffer": 102_400}),  # 20 ms; ticks of 64 ns
        ("BURST", 16_384),
    ]).hex(),
}  # fmt: skip
"""What tc sends for `tbf rate 20mbit burst 16k latency 20ms`, tables left out."""


def namespaces() -> str:
    return subprocess.run(["ip", "netns"], capture_output=True, text=True, check=True).stdout


@pytest.mark.kernel
def test_namespaces_of_this_kernel():
    """A bucket of 20 Mbit/s lets 1448 of each 1514 bytes through as payload; nothing remains."""
    before = namespaces()
    job = {**JOB, "flows": [TCP, PING], "egress": [BUCKET]}
    said = json.loads(host.run(PROGRAM, json.dumps(job)))
    assert before == namespaces()
    goodput = said["s"]["0"]["payload"] * 8 / 3
    assert 0.93 < goodput / (20_000_000 * 1448 / 1514) < 1.01
    assert len(said["c"]["1"]["trips"]) > 140
    assert said["delayed_by"] == ""


@pytest.mark.kernel
def test_nothing_is_imported_from_the_working_directory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    """Root may stand in a folder that somebody else writes to."""
    for name in ("guest", "json", "socket"):
        (tmp_path / f"{name}.py").write_text("raise SystemExit('this is not the one')\n")
    monkeypatch.chdir(tmp_path)
    said = json.loads(host.run(PROGRAM, json.dumps({**JOB, "flows": [PING]})))
    assert said["c"]["0"]["trips"]


@pytest.mark.kernel
def test_tcp_keeps_a_rate_of_its_own():
    """Pacing counts headers, 1514 bytes of which 1448 are payload; nothing else holds it back."""
    said = json.loads(host.run(PROGRAM, json.dumps({**JOB, "flows": [{**TCP, "rate": 5_000_000}]})))
    assert 0.9 < said["s"]["0"]["payload"] * 8 / 3 / 5_000_000 < 1.01


@pytest.mark.kernel
def test_the_path_of_this_kernel_has_the_delay_asked_for():
    """Half of the round trip each way, by netem or by a process; 3 ms for a busy machine."""
    job = {**JOB, "rtt": 40_000_000, "flows": [PING]}
    said = json.loads(host.run(PROGRAM, json.dumps(job)))
    probes = said["c"]["0"]
    assert len(probes["trips"]) > 140
    for way in ("up", "down"):
        ordered = sorted(probes[way])
        assert ordered[0] >= 20_000_000
        assert ordered[len(ordered) // 2] < 23_000_000


def delayed_by_a_process(job: dict[str, object]) -> dict[str, Any]:
    said: dict[str, Any] = json.loads(host.run(PROGRAM, json.dumps({**job, "netem": False})))
    assert said["delayed_by"] == "process"
    return said


@pytest.mark.kernel
def test_a_side_that_is_not_up_in_time_is_no_measurement():
    """Otherwise clients would connect to nobody, and all rates be 0."""
    with pytest.raises(host.HostError, match="this machine is too busy to measure on"):
        host.run(PROGRAM, json.dumps({**JOB, "flows": [TCP], "lead": 0}))


@pytest.mark.kernel
def test_a_process_delays_where_netem_is_not():
    """TCP through it fills the bucket, and a window of 40 ms more than that waits nowhere."""
    job = {**JOB, "rtt": 40_000_000, "flows": [TCP, PING], "egress": [BUCKET],
           "warmup": 3_000_000_000}  # fmt: skip
    said = delayed_by_a_process(job)
    assert 0.9 < said["s"]["0"]["payload"] * 8 / 3 / (20_000_000 * 1448 / 1514) < 1.01
    ordered = sorted(said["c"]["1"]["trips"])
    assert ordered[0] >= 40_000_000
    assert ordered[len(ordered) // 2] < 40_000_000 + 20_000_000 + 6_553_600 + 2_000_000


@pytest.mark.kernel
def test_a_process_loses_and_scatters_as_asked():
    """Half lost each way: a quarter comes back. At most 10 ms more each way, 5 on average."""
    job = {**JOB, "rtt": 20_000_000, "jitter": 10_000_000, "loss": 1 << 31,
           "flows": [{**PING, "interval": 1_000_000}]}  # fmt: skip
    probes = delayed_by_a_process(job)["c"]["0"]
    assert 0.2 < len(probes["trips"]) / probes["sent"] < 0.3
    added = [way - 10_000_000 for way in probes["up"]]
    assert min(added) >= 0
    assert 3_000_000 < sum(added) / len(added) < 9_500_000  # order is kept, which adds some


@pytest.mark.kernel
def test_more_than_a_process_can_delay_is_no_measurement():
    job = {**JOB, "rtt": 1_000_000, "flows": [{**TCP}] * 4}
    with pytest.raises(host.HostError, match="for want of netem a process delays packets, and "):
        delayed_by_a_process(job)


@pytest.mark.kernel
def test_what_the_kernel_refuses_is_said_in_its_own_words():
    """A bucket that holds nothing: the kernel gives no sentence, so the C library's stands."""
    empty = encode_options("tbf", [("PARMS", {**FRAME_RATE, "limit": 66_384})]).hex()
    job = {**JOB, "egress": [{**BUCKET, "options": empty}]}
    with pytest.raises(host.HostError, match="the kernel refuses tbf: Invalid argument"):
        host.run(PROGRAM, json.dumps(job))
    job = {**JOB, "egress": [{**BUCKET, "parent": 0x70001}]}
    with pytest.raises(host.HostError, match="the kernel refuses tbf: Failed to find"):
        host.run(PROGRAM, json.dumps(job))


@pytest.mark.kernel
def test_a_qdisc_that_is_not_there_is_named(tmp_path: Path):
    """This machine's kernel may have CAKE and netem; no kernel has this one."""
    before = namespaces()
    job = {**JOB, "egress": [{**BUCKET, "kind": "nosuch"}]}
    with pytest.raises(host.HostError, match="no qdisc `nosuch`: load it"):
        host.run(PROGRAM, json.dumps(job))
    assert before == namespaces()


def test_without_a_kernel_it_says_so(tmp_path: Path):
    done = verify(tmp_path, "--verifier", "kernel", TCC_UML_KERNEL="/nowhere")
    assert (done.returncode, done.stdout) == (2, "")
    assert "error[verifier-unavailable]: TCC_UML_KERNEL=/nowhere: no such file" in done.stderr


def doctor(kernel: str) -> list[str]:
    done = subprocess.run(
        [*TCC, "doctor"], capture_output=True, text=True, check=False,
        env={**os.environ, "TCC_UML_KERNEL": kernel},
    )  # fmt: skip
    return done.stdout.splitlines()


@pytest.mark.slow
def test_the_doctor_says_on_which_kernel_it_would_be(tmp_path: Path):
    (tmp_path / "linux").touch()
    there = "ok    `verify --verifier kernel` measures on "
    assert f"{there}{tmp_path}/linux, in simulated time" in doctor(f"{tmp_path}/linux")
    assert any(line.startswith(f"{there}this host's kernel") for line in doctor(""))
    lines = doctor("/nowhere")
    at = lines.index("look  TCC_UML_KERNEL=/nowhere: no such file")
    assert lines[at + 1].startswith("      -> name a User-Mode Linux binary")


def test_more_hosts_than_addresses_are_refused(tmp_path: Path):
    text = POLICY.replace("tcp_nup 4 flows for 5s", "tcp_nup 300 flows from 300 hosts for 5s")
    (tmp_path / "q.tcc").write_text(text)
    done = subprocess.run(
        [*TCC, "verify", "q.tcc", "--verifier", "kernel"],
        capture_output=True, text=True, check=False, cwd=tmp_path,
    )  # fmt: skip
    assert (done.returncode, done.stdout) == (2, "")
    assert "error[verifier-cannot]: the kernel verifier cannot set up or measure more than 250" in (
        done.stderr
    )


def test_what_no_kernel_counts_is_refused(tmp_path: Path):
    text = POLICY.replace("egress utilisation >= 90%", "egress sojourn p99 <= 10ms")
    (tmp_path / "q.tcc").write_text(text)
    done = subprocess.run(
        [*TCC, "verify", "q.tcc", "--verifier", "kernel"],
        capture_output=True, text=True, check=False, cwd=tmp_path,
    )  # fmt: skip
    assert done.returncode == 2
    assert "error[verifier-cannot]: the kernel verifier cannot set up or measure the time in" in (
        done.stderr
    )
