"""Whole predictions: what must come out of simple loads, and the same bytes every time."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

EXAMPLES = Path(__file__).parent.parent.parent / "docs" / "examples"
TCC = [sys.executable, "-c", "from tcc.cli.main import main; main()"]
ONE_FLOW = """
link wan {
    device "eth0"
    framing ethernet
    egress { bandwidth 10mbit; tiers besteffort }
}
objective "one flow" {
    under tcp_nup 1 flow for 4s rtt 20ms
    require egress utilisation >= 90%
    require egress goodput >= 9mbit
    require ping induced-latency p99 <= 10ms
    require egress goodput <= 1mbit
}
"""


def verify(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*TCC, "verify", *arguments],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, **environment},
    )


@pytest.fixture
def one_flow(tmp_path: Path) -> str:
    path = tmp_path / "one.tcc"
    path.write_text(ONE_FLOW)
    return str(path)


@pytest.mark.parametrize("name", ["home", "udp-server"])
def test_samples_hold(name: str):
    done = verify(str(EXAMPLES / f"{name}.tcc"))
    assert done.returncode == 0, done.stdout + done.stderr


def test_goodput_is_what_framing_leaves(one_flow: str):
    """1448 payload bytes of each 1538 on the wire: at most 9.415 Mbit/s of 10."""
    done = verify(one_flow, "--json")
    assert done.returncode == 1
    (objective,) = json.loads(done.stdout)["objectives"]
    rows = {row["text"]: row for row in objective["requirements"]}
    assert [row["holds"] for row in objective["requirements"]] == [True, True, True, False]
    (goodput,) = rows["goodput >= 9mbit"]["measured"]
    assert 9_000_000 < goodput < 10_000_000 * 1448 / 1538 + 20_000


def test_same_seed_same_bytes_serial_and_parallel(one_flow: str):
    first = verify(one_flow, "--json", "--repeat", "2", "--jobs", "1").stdout
    assert first
    assert verify(one_flow, "--json", "--repeat", "2", "--jobs", "2").stdout == first


def test_same_bytes_interpreted(one_flow: str):
    short = Path(one_flow)
    short.write_text(
        ONE_FLOW.replace("10mbit", "2mbit").replace("9mbit", "1mbit").replace("4s", "1s")
    )
    compiled = verify(one_flow, "--json").stdout
    assert compiled
    slow_run = verify(one_flow, "--json", TCC_ENGINE="interpreted")
    assert slow_run.stdout == compiled
    assert "interpreted" in slow_run.stderr


def test_nothing_to_run_is_invalid(tmp_path: Path):
    path = tmp_path / "p.tcc"
    path.write_text('link wan { device "eth0"; framing raw; egress { bandwidth 10mbit } }\n')
    done = verify(str(path))
    assert (done.returncode, "no-objective" in done.stderr) == (2, True)


def test_an_invalid_policy_is_invalid(tmp_path: Path):
    path = tmp_path / "p.tcc"
    path.write_text("link wan { egress { bandwidth 10 } }\n")
    assert verify(str(path)).returncode == 2
