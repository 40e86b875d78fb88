"""The `kernel` verifier: real packets, in a guest with CAKE and in this kernel's namespaces."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

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
    # 1448 payload bytes of the 1538 that CAKE counts: 18.83 Mbit/s, and 1% for what was sent
    # before and waited at the receiver for a segment that was lost.
    assert 18_000_000 < goodputs[1] < 20_000_000 * 1448 / 1538 * 1.01


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


@pytest.mark.kernel
def test_namespaces_of_this_kernel():
    """A bucket of 20 Mbit/s lets 1448 of each 1514 bytes through as payload; nothing remains."""
    flow = {
        "kind": "tcp", "direction": "egress", "dscp": 0, "address": "10.0.1.2", "rate": 0,
        "payload": 1470, "control": "cubic", "interval": 200_000_000, "start": 0,
    }  # fmt: skip
    ping = {**flow, "kind": "ping", "direction": None, "interval": 20_000_000}
    job = {
        "local": False, "hosts": 1, "ecn": 2, "rtt": 0, "netem": [], "warmup": 1_000_000_000,
        "duration": 3_000_000_000, "ingress": [], "flows": [flow, ping],
        "egress": [["root", "handle", "1:", "tbf", "rate", "20mbit", "burst", "16k",
                    "latency", "20ms"]],
    }  # fmt: skip
    before = subprocess.run(["ip", "netns"], capture_output=True, text=True, check=True).stdout
    said = json.loads(host.run(PROGRAM, json.dumps(job)))
    after = subprocess.run(["ip", "netns"], capture_output=True, text=True, check=True).stdout
    assert before == after
    goodput = said["s"]["0"]["payload"] * 8 / 3
    assert 0.93 < goodput / (20_000_000 * 1448 / 1514) < 1.01
    assert len(said["c"]["1"]["trips"]) > 140


@pytest.mark.kernel
def test_a_qdisc_that_is_not_there_is_named(tmp_path: Path):
    """This machine's kernel may have CAKE and netem; no kernel has this one."""
    job = {
        "local": False, "hosts": 1, "ecn": 2, "rtt": 0, "netem": [], "warmup": 0, "duration": 0,
        "ingress": [], "flows": [], "egress": [["root", "nosuch"]],
    }  # fmt: skip
    with pytest.raises(host.HostError, match="nosuch"):
        host.run(PROGRAM, json.dumps(job))
    left = subprocess.run(["ip", "netns"], capture_output=True, text=True, check=True).stdout
    assert f"tcc{os.getpid()}" not in left


def test_without_a_kernel_it_says_so(tmp_path: Path):
    done = verify(tmp_path, "--verifier", "kernel", TCC_UML_KERNEL="/nowhere")
    assert (done.returncode, done.stdout) == (2, "")
    assert "error[verifier-unavailable]: TCC_UML_KERNEL=/nowhere: no such file" in done.stderr


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
