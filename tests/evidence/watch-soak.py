"""A day of link flaps at once under `tcc watch`: no leak of memory, files, filters or state."""

import os
import re
import subprocess
import sys
import time
from pathlib import Path

from _machine import TCC, Machine, machine

from tcc.netlink import links
from tcc.netlink.messages import Message
from tcc.netlink.namespace import Namespace
from tcc.netlink.transport import RouteSocket

FLAPS = int(os.environ.get("TCC_FLAPS", "1440"))  # one a minute for 24 hours
WARM = FLAPS // 4
SAMPLED = max(1, FLAPS // 8)
POLICY = """
link wan {
    device "a0"
    egress { bandwidth 30mbit; qdisc tbf { inner bfifo } }
    ingress { bandwidth 20mbit; qdisc tbf { inner bfifo } }
}
"""


class Flapping:
    """Takes a0 away and makes it again, with all that happens to a link in between."""

    def __init__(self, world: Machine) -> None:
        self.world = world
        self.route = RouteSocket(Namespace.named(world.here.name))
        self.there = os.open(f"/run/netns/{world.there.name}", os.O_RDONLY)
        self.events = 0

    def once(self) -> None:
        self.ask(links.delete(links.by_name(self.route, "a0").ifindex))
        self.ask(links.create_veth("a0", "a0-far", peer_namespace=self.there))
        index = links.by_name(self.route, "a0").ifindex
        for _ in range(3):
            self.ask(links.set_up(index))
            self.ask(links.set_down(index))
        self.ask(links.set_up(index))

    def ask(self, message: Message) -> None:
        self.route.request(message)
        self.events += 1


def whole(world: Machine) -> bool:
    shown = world.here.run("tc", "qdisc", "show", check=False).stdout
    return (
        shown.count("qdisc tbf") == 2
        and "clsact ffff: dev a0" in shown
        and world.here.run("tc", "filter", "show", "dev", "a0", "ingress").stdout.count("Redirect")
        == 1
    )


def figures(world: Machine, pid: int) -> dict[str, int]:
    """What must not grow."""
    status = Path(f"/proc/{pid}/status").read_text()
    memory = re.search(r"VmRSS:\s+(\d+) kB", status)
    threads = re.search(r"Threads:\s+(\d+)", status)
    state = world.folder / "state"
    filters = world.here.run("tc", "filter", "show", "dev", "a0", "ingress").stdout
    return {
        "memory in KiB": int(memory[1]) if memory else 0,
        "descriptors": len(os.listdir(f"/proc/{pid}/fd")),
        "threads": int(threads[1]) if threads else 0,
        "filters": filters.count("mirred"),
        "devices": len(world.here.json("ip", "-j", "link")),
        "qdiscs": len(world.here.json("tc", "-j", "qdisc", "show")),
        "state files": sum(path.is_file() for path in state.rglob("*")),
        "state bytes": sum(path.stat().st_size for path in state.rglob("*") if path.is_file()),
    }


def main() -> int:
    with machine("a0") as world, (world.folder / "log").open("wb") as log:
        environment = {**os.environ, "TCC_STATE_DIR": str(world.folder / "state")}
        command = [*TCC, "watch", world.policy(POLICY), "--netns", world.here.name]
        watch = subprocess.Popen(command, stderr=log, env=environment)
        until(world)
        flapping, began, first = Flapping(world), time.monotonic(), {}
        memory: list[int] = []
        for number in range(FLAPS):
            if number == WARM:
                until(world)
                first = figures(world, watch.pid)
            if number % SAMPLED == 0:
                memory.append(figures(world, watch.pid)["memory in KiB"])
            flapping.once()
            # mostly as fast as it comes; now and then the repair is waited for
            if number % 4 == 0:
                until(world)
            else:
                time.sleep(0.02)
        until(world)
        time.sleep(1)
        last, took = figures(world, watch.pid), time.monotonic() - began
        repaired = whole(world)
        watch.terminate()
        status = watch.wait(20)
        repairs = (world.folder / "log").read_text().count("made it so")
    print(
        f"{FLAPS} flaps, {flapping.events} changes of the device, {repairs} repairs, {took:.0f} s"
    )
    for name, count in last.items():
        print(f"{name:14} after {WARM}: {first[name]:7}   after {FLAPS}: {count:7}")
    steady = all(last[name] == first[name] for name in last if "memory" not in name
                 and "bytes" not in name)  # fmt: skip
    print("memory on the way, in KiB:", *memory)
    grown = last["memory in KiB"] - first["memory in KiB"]
    print(f"memory grew by {grown} KiB; everything else as it was: {steady}; ended with {status}")
    return 0 if repaired and steady and grown <= 1024 and status == 0 else 1


def until(world: Machine, seconds: float = 30) -> None:
    """Wait until all is as the policy asks."""
    end = time.monotonic() + seconds
    while not whole(world):
        if time.monotonic() > end:
            raise SystemExit("it was not put right")
        time.sleep(0.02)


sys.exit(main())
