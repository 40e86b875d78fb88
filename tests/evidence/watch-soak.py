"""A day of link flaps at once under `tcc watch`: no leak of memory, files, filters or state."""

import os
import re
import subprocess
import sys
import time
from pathlib import Path

from _machine import TCC, Machine, machine

from tcc.netlink import filters, links, qdisc
from tcc.netlink.handle import CLSACT_INGRESS
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


def whole(route: RouteSocket) -> bool:
    """Whether the redirect, which comes last, leads from a0 to where the ifb's tbf is."""
    names = {link.ifindex: link.name for link in links.dump(route)}
    there = {(names.get(one.ifindex), one.kind): one for one in qdisc.dump(route)}
    if not {("a0", "tbf"), ("a0", "clsact"), ("ifb-a0", "tbf")} <= there.keys():
        return False
    index = there["a0", "clsact"].ifindex
    return bool(filters.dump(route, index, CLSACT_INGRESS))


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
        flapping, began, first = Flapping(world), time.monotonic(), {}
        until(flapping.route)
        memory: list[int] = []
        for number in range(FLAPS):
            if number == WARM:
                until(flapping.route)
                time.sleep(1)
                first = figures(world, watch.pid)
            if number % SAMPLED == 0:
                memory.append(figures(world, watch.pid)["memory in KiB"])
            flapping.once()
            if number % 3:  # every third comes before the last one is put right
                until(flapping.route)
        until(flapping.route)
        time.sleep(1)
        last, took = figures(world, watch.pid), time.monotonic() - began
        repaired = whole(flapping.route)
        watch.terminate()
        status = watch.wait(20)
        repairs = (world.folder / "log").read_text().count("made it so")
    print(
        f"{FLAPS} flaps, {flapping.events} changes of the device, {repairs} repairs, {took:.0f} s"
    )
    for name, count in last.items():
        print(f"{name:14} after {WARM}: {first[name]:7}   after {FLAPS}: {count:7}")
    counted = ["descriptors", "filters", "devices", "qdiscs", "state files"]
    steady = all(last[name] == first[name] for name in counted)
    print("memory on the way, in KiB:", *memory)
    grown = last["memory in KiB"] - first["memory in KiB"]
    print(f"memory grew by {grown} KiB; everything else as it was: {steady}; ended with {status}")
    return 0 if repaired and steady and grown <= 1024 and status == 0 else 1


def until(route: RouteSocket, seconds: float = 30) -> None:
    """Wait until all is as the policy asks."""
    end = time.monotonic() + seconds
    while not whole(route):
        if time.monotonic() > end:
            raise SystemExit("it was not put right")
        time.sleep(0.02)


sys.exit(main())
