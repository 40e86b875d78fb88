"""With a testbed a missed requirement says where the time went: the four places, by hand."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

TCC = [sys.executable, "-c", "from tcc.cli.main import main; main()"]
LINK = 'link wan {{ device "eth0"; framing raw; egress {{ {shaping} }} }}\n'
OBJECTIVE = """
testbed machine {{ {testbed} }}
objective "as on an idle line" {{
    on      machine
    under   {load} for 2s rtt 10ms
    require ping induced-latency mean <= 0.01ms
}}
"""


def told(here: Path, shaping: str, testbed: str, load: str = "tcp_nup 4 flows") -> str:
    """Return what is said of a round trip that is never as short as on an idle line."""
    text = LINK.format(shaping=shaping) + OBJECTIVE.format(testbed=testbed, load=load)
    return said_of(here, text)[0]


def said_of(here: Path, text: str) -> list[str]:
    """Return the sentences on the one requirement that a policy misses."""
    (here / "p.tcc").write_text(text)
    done = subprocess.run(
        [*TCC, "verify", "p.tcc", "--json", "--no-mend"],
        capture_output=True, text=True, check=False, cwd=here,
    )  # fmt: skip
    assert done.returncode == 1, done.stderr
    (advice,) = json.loads(done.stdout)["objectives"][0]["advice"]
    return [str(line) for line in advice["where"]]


def places(sentence: str) -> dict[str, float]:
    """Return the parts (ms) of a sentence by place."""
    whole, _, parts = sentence.partition(": ")
    found = {place: float(share) for share, place in re.findall(r"([\d.]+)ms ([^,]+)", parts)}
    added = re.search(r"[\d.]+", whole)
    assert added is not None
    assert abs(float(added[0]) - sum(found.values())) < 0.03
    return found


def test_in_the_qdisc(tmp_path: Path):
    """A FIFO of 20 ms at 10 Mbit/s, full most of the time; the machine behind it is ideal."""
    shaping = "bandwidth 10mbit; qdisc tbf { burst 2KiB; latency 20ms; inner bfifo }"
    found = places(told(tmp_path, shaping, "cpus 2"))
    assert 10 < found["in the egress tbf (bfifo inside)"] < 20 + 2
    assert found["on the way"] < 0.1


def test_in_the_queue_of_the_network_card(tmp_path: Path):
    """What TCP keeps in the host, at most what two interrupts report, lies in the ring."""
    found = places(told(tmp_path, "bandwidth unlimited", "nic 100mbit; interrupt-interval 2ms"))
    assert 1 < found["in the NIC's queue"] < 2 * 2
    assert found["in the egress cake"] < 0.1
    assert found["on the way"] < 0.1


def test_in_the_backlog_of_processors(tmp_path: Path):
    """Processors that need 7.5 us for a packet are slower than the shaper of 2 Gbit/s."""
    shaping = "bandwidth 2gbit; tiers besteffort; qdisc cake"
    testbed = 'host "veth-vm-8cpu"; queues 1'
    found = places(told(tmp_path, shaping, testbed, "tcp_nup 32 flows"))
    assert found["in the backlog of the processors"] > 1
    assert found["in the egress cake"] < 0.2


def test_beyond_the_shaper(tmp_path: Path):
    """256 KiB before a line of 40 Mbit/s hold 52 ms, and are rarely empty."""
    found = places(told(tmp_path, "bandwidth 45mbit", "beyond 40mbit"))
    assert 35 < found["beyond the shaper"] < 53
    assert found["in the egress cake"] < 1


def test_marks_that_there_are_none_of(tmp_path: Path):
    """One of three uploads uses ECN; the others lose packets where it is told."""
    text = (
        LINK.format(shaping="bandwidth 4mbit")
        + """
workload office { tcp upload 1 flow ecn; tcp upload 2 flows }
objective "the queue tells" { under office for 4s rtt 20ms; require egress marks >= 50% }
"""
    )
    first, second = said_of(tmp_path, text)
    found = re.fullmatch(r"the egress cake marked (\d+) of (\d+) packets and dropped (\d+)", first)
    assert found is not None
    marked, packets, dropped = map(int, found.groups())
    assert 0 < marked < packets // 10
    assert dropped > 0
    assert second == "of 3 TCP transfers 1 use ECN: what does not is dropped instead"


def test_at_a_root_lock(tmp_path: Path):
    """0.75 million packets/s of 453 ns to enqueue hold it 34% of the time; the rest is shared."""
    (tmp_path / "p.tcc").write_text("""
link dut { device "eth0"; framing { overhead 18B; mpu 64B }
           egress { bandwidth unlimited; tiers besteffort; fairness flows } }
workload small { udp upload 6 flows 22mbit each payload 22B }
testbed llist { kernel "llist"; host "xeon-6209u-debug" }
objective "nothing is lost" { on llist; under small for 1s rtt 1ms; require small loss <= 1% }
""")
    done = subprocess.run(
        [*TCC, "verify", "p.tcc", "--json", "--no-mend"],
        capture_output=True, text=True, check=False, cwd=tmp_path,
    )  # fmt: skip
    assert done.returncode == 1, done.stderr
    (run,) = json.loads(done.stdout)["objectives"][0]["runs"]
    found = re.fullmatch(
        r"the root lock is held (\d+)% enqueuing, (\d+)% sending, (\d+)% dropping of the time",
        run["host"][0],
    )
    assert found is not None, run["host"]
    enqueuing, sending, dropping = map(int, found.groups())
    assert enqueuing == 34
    assert 99 <= enqueuing + sending + dropping <= 101
    assert min(sending, dropping) > 0
