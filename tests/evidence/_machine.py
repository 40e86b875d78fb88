"""What the scripts about applying share: namespaces with devices, tcc in them, TCP through them."""

import json
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2] / "tests/kernel"))
sys.path.insert(0, str(Path(__file__).parents[2]))

from testkernel.netns import Namespace, namespaces

ROOT = Path(__file__).resolve().parents[2]
TCC = [sys.executable, "-m", "tcc"]
FAULTY = [sys.executable, str(ROOT / "tests/apply/faulty_apply.py")]
DYING = [sys.executable, str(ROOT / "tests/apply/dying_apply.py")]
BOTH_WAYS = """
link wan {{
    device "a0"
    egress {{ bandwidth {}mbit; qdisc tbf {{ inner bfifo }} }}
    ingress {{ bandwidth 20mbit; qdisc tbf {{ inner bfifo }} }}
}}
"""


@dataclass
class Machine:
    """A namespace `here` whose devices lead to `there`, and a state directory."""

    here: Namespace
    there: Namespace
    folder: Path

    def tcc(self, *words: str, command: list[str] = TCC) -> subprocess.CompletedProcess[str]:
        """Run tcc for the namespace; never asks."""
        return subprocess.run(
            [*command, *words, "--netns", self.here.name],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
            cwd=ROOT,
            env={**os.environ, "TCC_STATE_DIR": str(self.folder / "state")},
        )

    def policy(self, text: str) -> str:
        """Write a policy and return its path."""
        path = self.folder / "evidence.tcc"
        path.write_text(text)
        return str(path)

    def shown(self) -> str:
        """What tc shows of the namespace, as text: `tc -j qdisc show`."""
        return self.here.run("tc", "-j", "qdisc", "show").stdout

    def everything(self) -> tuple[str, ...]:
        """Devices, qdiscs and the filters for what comes in, without counters."""
        names = [link["ifname"] for link in self.here.json("ip", "-j", "link")]
        filters = [
            self.here.run("tc", "filter", "show", "dev", name, "ingress").stdout
            for name in names
            if name != "lo"
        ]
        return (self.here.run("ip", "-j", "link").stdout, self.shown(), *filters)

    def reached(self, number: int) -> bool:
        """Whether a packet that comes in by device `number` is answered."""
        words = ["ping", "-c", "1", "-W", "1", f"10.9.{number}.1"]
        return self.there.run(*words, check=False).returncode == 0

    def redirected(self, device: str) -> int:
        """Packets that the filters for what comes in have taken."""
        words = ["tc", "-s", "filter", "show", "dev", device, "ingress"]
        found = re.findall(r"Sent \d+ bytes (\d+) pkt", self.here.run(*words).stdout)
        return sum(map(int, found))

    def apply(self, path: str) -> None:
        """Apply a policy; ends the script when that fails."""
        done = self.tcc("apply", path, "--yes")
        if done.returncode:
            raise SystemExit(f"apply failed: {done.stderr}")


@contextmanager
def machine(*devices: str) -> Iterator[Machine]:
    """Make a machine with these devices, up and with addresses 10.9.N.1 to 10.9.N.2."""
    with namespaces() as made, tempfile.TemporaryDirectory() as folder:
        here, there = made.new(), made.new()
        for number, device in enumerate(devices):
            made.link((here, device), (there, f"{device}-far"))
            here.run("ip", "address", "add", f"10.9.{number}.1/24", "dev", device)
            there.run("ip", "address", "add", f"10.9.{number}.2/24", "dev", f"{device}-far")
        yield Machine(here, there, Path(folder))


def shaped(count: int) -> str:
    """Return a policy that shapes the egress of a0, a1, ... with tbf, each to another rate."""
    return "\n".join(
        f'link l{number} {{ device "a{number}"; '
        f"egress {{ bandwidth {number + 1}0mbit; qdisc tbf {{ inner bfifo }} }} }}"
        for number in range(count)
    )


SINK = """
import socket, sys
with socket.create_server((sys.argv[1], 5001)) as server:
    print("ready", flush=True)
    while True:
        peer, _ = server.accept()
        with peer:
            while peer.recv(1 << 20):
                pass
"""
SOURCE = """
import socket, sys, time
end = time.monotonic() + float(sys.argv[1])
with socket.create_connection((sys.argv[2], 5001)) as peer:
    peer.settimeout(5)
    block = bytes(1 << 16)
    while time.monotonic() < end:
        peer.send(block)
"""


def measured_rate(world: Machine, device: str, seconds: float) -> float:
    """Return bit/s through the root qdisc of `device` while one TCP connection fills it.

    The qdisc's own counter of bytes sent, over the time between two readings of it.
    """
    return _measured(world, device, seconds, world.here, world.there, "10.9.0.2")


def measured_rate_in(world: Machine, device: str, seconds: float) -> float:
    """Likewise, of an ifb's root, while the connection fills the line from there to here."""
    return _measured(world, device, seconds, world.there, world.here, "10.9.0.1")


def _measured(
    world: Machine, device: str, seconds: float, sender: Namespace, receiver: Namespace, to: str
) -> float:
    inside = ["ip", "netns", "exec"]
    sink = subprocess.Popen([*inside, receiver.name, sys.executable, "-c", SINK, to],
                            stdout=subprocess.PIPE)  # fmt: skip
    source = None
    try:
        assert sink.stdout is not None
        sink.stdout.readline()
        words = [sys.executable, "-c", SOURCE, str(seconds + 3), to]
        source = subprocess.Popen([*inside, sender.name, *words])
        time.sleep(1.5)
        first, began = _sent(world, device)
        time.sleep(seconds)
        last, ended = _sent(world, device)
    finally:
        for process in (source, sink):
            if process is not None:
                process.kill()
                process.wait()
        if sink.stdout:
            sink.stdout.close()
    return (last - first) * 8 / (ended - began)


def _sent(world: Machine, device: str) -> tuple[int, float]:
    """Return the bytes that the root qdisc has sent, and when that was."""
    before = time.monotonic()
    shown = world.here.run("tc", "-s", "-j", "qdisc", "show", "dev", device, "root").stdout
    after = time.monotonic()
    return json.loads(shown)[0]["bytes"], (before + after) / 2
