"""A namespace with a watch running in it, as the process it is."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

from tests.apply.confirm_world import World, until

ROOT = Path(__file__).parents[2]
TCC = [sys.executable, "-P", "-m", "tcc"]


class Watched(World):
    """As `World`; `log` is what the watch has said."""

    def __init__(self, netns, folder):
        super().__init__(netns, folder)
        self.log_file = folder / "watch.log"
        self.process = None

    def start(self, *more, **environment):
        """Start a watch of the policy and wait until all is as it should be."""
        ready = self.log().count("keeping ")
        with self.log_file.open("a") as log:
            self.process = subprocess.Popen(
                [*TCC, "watch", str(self.policy), *more, "--netns", self.here.name],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                env={**os.environ, "TCC_STATE_DIR": str(self.state), **environment},
            )
        assert until(lambda: self.log().count("keeping ") > ready, 60), self.log()
        if "WATCHDOG_USEC" not in environment:
            self.quiet()

    def stop(self):
        """End it, and return its exit status."""
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(20)

    def log(self):
        return self.log_file.read_text() if self.log_file.exists() else ""

    def kinds(self, device="a0"):
        found = self.here.run("tc", "-j", "qdisc", "show", "dev", device, check=False)
        return [one["kind"] for one in json.loads(found.stdout or "[]")]

    def whole(self):
        """Whether egress and ingress are shaped, and packets come in."""
        return (
            "tbf" in self.kinds()
            and "clsact" in self.kinds()
            and "tbf" in self.kinds("ifb-a0")
            and self.reached()
        )

    def recreate(self):
        """Delete the device and make it again, as a reconnect does."""
        self.here.run("ip", "link", "delete", "a0")
        peer = ["peer", "name", "a0-far", "netns", self.there.name]
        self.here.run("ip", "link", "add", "a0", "type", "veth", *peer)
        self.here.run("ip", "address", "add", "10.7.0.1/24", "dev", "a0")
        self.there.run("ip", "address", "add", "10.7.0.2/24", "dev", "a0-far")
        self.there.run("ip", "link", "set", "a0-far", "up")
        self.here.run("ip", "link", "set", "a0", "up")

    def switches(self):
        """Context switches of the process and of all its threads so far."""
        total = 0
        for task in Path(f"/proc/{self.process.pid}/task").iterdir():
            for line in (task / "status").read_text().splitlines():
                if "ctxt_switches" in line:
                    total += int(line.split()[1])
        return total

    def quiet(self, seconds=0.7):
        """Wait until it has been asleep for a while."""
        seen, since = -1, time.monotonic()
        while time.monotonic() - since < seconds:
            if self.switches() != seen:
                seen, since = self.switches(), time.monotonic()
            time.sleep(0.1)
