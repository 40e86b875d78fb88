"""A namespace for changes on trial: tcc in this process, the guard as the process it is."""

import contextlib
import io
import os
import time
from pathlib import Path

from tcc.apply.identity import identify
from tcc.apply.journal import Journal
from tcc.cli.main import run
from tcc.netlink.namespace import Namespace

POLICY = """\
link wan {{
    device "a0"
    egress {{ bandwidth {0}mbit; qdisc tbf {{ inner bfifo }} }}
    ingress {{ bandwidth 20mbit; qdisc tbf {{ inner bfifo }} }}
}}
"""


class World:
    """`here` has the device a0; what is sent from `there` comes in by it."""

    def __init__(self, netns, folder):
        self.here, self.there = netns.new(), netns.new()
        netns.link((self.here, "a0"), (self.there, "a0-far"))
        self.here.run("ip", "address", "add", "10.7.0.1/24", "dev", "a0")
        self.there.run("ip", "address", "add", "10.7.0.2/24", "dev", "a0-far")
        self.state = folder / "state"
        self.policy = folder / "home.tcc"
        self.journal = Journal(self.state, identify(Namespace.named(self.here.name)))
        self.write(30)

    def write(self, megabits):
        self.policy.write_text(POLICY.format(megabits))

    def tcc(self, *words):
        """Run tcc for the namespace; return its exit code and what it printed."""
        out = io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(out):
            status = run([*words, "--netns", self.here.name], "tcc")
        return status, out.getvalue()

    def apply(self, *words):
        return self.tcc("apply", str(self.policy), "--yes", *words)

    def shown(self):
        """Devices, qdiscs and filters, but for counters and numbers that count up."""
        links = self.here.json("ip", "-j", "link")
        filters = [
            self.here.run("tc", "filter", "show", "dev", link["ifname"], "ingress").stdout
            for link in links
        ]
        lines = "\n".join(filters).splitlines()
        return (
            [(link["ifname"], link["flags"]) for link in links],
            self.here.run("tc", "-j", "qdisc", "show").stdout,
            [line for line in lines if not line.strip().startswith("index ")],
        )

    def reached(self):
        """Whether a packet that comes in is answered."""
        ping = ["ping", "-c", "1", "-W", "1", "10.7.0.1"]
        return self.there.run(*ping, check=False).returncode == 0

    def guard(self):
        """The process that undoes what is pending; None when none is alive."""
        found = self.journal.guard()
        return found.process if found is not None and found.process.alive() else None

    def rate(self):
        """The rate of a0's tbf in Mbit/s, None where there is none (tc says bytes per second)."""
        for found in self.here.json("tc", "-j", "qdisc", "show", "dev", "a0"):
            if found["kind"] == "tbf":
                return found["options"]["rate"] * 8 / 1e6
        return None


def until(true, seconds=20.0):
    """Wait until something is so; return whether it became so in time."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if true():
            return True
        time.sleep(0.05)
    return bool(true())


def status_of(process):
    """What /proc says of a process: session, terminal, and what it ignores."""
    fields = Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()
    lines = Path(f"/proc/{process.pid}/status").read_text().splitlines()
    ignored = next(int(line.split()[1], 16) for line in lines if line.startswith("SigIgn"))
    return {"session": int(fields[3]), "terminal": int(fields[4]), "ignored": ignored}


def open_files(process):
    """Where its descriptors lead, by number."""
    folder = f"/proc/{process.pid}/fd"
    return {int(name): os.readlink(f"{folder}/{name}") for name in os.listdir(folder)}
