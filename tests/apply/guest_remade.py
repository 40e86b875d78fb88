"""In the guest: an ifb is made anew for cake_mq, and `tcc apply` is killed before each request."""

import json
import os
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).parent
POLICY = 'link wan {{ device "v0"; ingress {{ bandwidth 50mbit; qdisc {} }} }}\n'
SETUP = """
ip netns add far
ip link add v0 type veth peer name v1 netns far
ip address add 10.9.0.1/24 dev v0
ip -n far address add 10.9.0.2/24 dev v1
ip link set lo up
ip link set v0 up
ip -n far link set v1 up
"""
TCC = [sys.executable, "-P", "-m", "tcc"]


def run(words):
    return subprocess.run(words.split(), capture_output=True, text=True, check=True).stdout


def shown():
    links = json.loads(run("ip -j -d link"))
    for link in links:  # a number that counts how often it came up
        link.pop("carrier_changes", None)
    filters = run("tc filter show dev v0 ingress")
    return [
        links,
        run("tc -j qdisc"),
        [line for line in filters.splitlines() if "index" not in line],
    ]


def reached():
    words = ["ip", "netns", "exec", "far", "ping", "-qc1", "-W2", "10.9.0.1"]
    return subprocess.run(words, capture_output=True, check=False).returncode == 0


def tcc(folder, *words, command=TCC):
    done = subprocess.run(
        [*command, *words], cwd=HERE.parents[1], capture_output=True, text=True, check=False,
        env={**os.environ, "TCC_STATE_DIR": folder},
    )  # fmt: skip
    if done.returncode not in {0, -signal.SIGKILL}:
        raise SystemExit(f"{words}: {done.returncode} {done.stderr}")
    return done


def killed(folder, path, at):
    """Whether the apply was killed before its request `at`."""
    dying = [sys.executable, str(HERE / "dying_apply.py"), str(at)]
    return tcc(folder, "apply", path, "--yes", command=dying).returncode != 0


def main():
    for line in SETUP.strip().splitlines():
        run(line)
    with tempfile.TemporaryDirectory() as folder:
        one, many = Path(folder, "one.tcc"), Path(folder, "many.tcc")
        one.write_text(POLICY.format("cake"))
        many.write_text(POLICY.format("cake_mq"))
        tcc(folder, "apply", str(one), "--yes")
        before = shown()
        walk = []
        while killed(folder, str(many), len(walk)):
            came = reached()
            tcc(folder, "rollback")
            walk.append([came, shown() == before, reached()])
        kinds = [one["kind"] for one in json.loads(run("tc -j qdisc show dev ifb-v0"))]
        again = tcc(folder, "plan", str(many)).stdout
        print(json.dumps({"walk": walk, "kinds": kinds, "reached": reached(), "again": again}))


main()
