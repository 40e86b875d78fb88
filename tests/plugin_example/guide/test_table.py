"""What the back end writes, and what it refuses."""

import subprocess
from pathlib import Path

HERE = Path(__file__).parent


def generate(policy: Path) -> subprocess.CompletedProcess[str]:
    command = ["tcc", "generate", "table", str(policy)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_a_whole_file():
    assert generate(HERE / "line.tcc").stdout == (HERE / "links.csv").read_text()


def test_what_the_table_cannot_hold(tmp_path):
    policy = tmp_path / "p.tcc"
    policy.write_text(
        'link wan { device "eth0"; egress { bandwidth 9mbit within 1mbit..20mbit } }\n'
    )
    done = generate(policy)
    assert (done.returncode, "table-cannot" in done.stderr) == (1, True), done.stderr
