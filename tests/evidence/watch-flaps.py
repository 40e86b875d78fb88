"""`tcc watch` puts right within a second: devices made anew, ifbs deleted, qdiscs replaced."""

import subprocess
import sys
import time

from _machine import TCC, Machine, machine

ROUNDS = 12
POLICY = """
link wan {
    device "a0"
    egress { bandwidth 30mbit; qdisc tbf { inner bfifo } }
    ingress { bandwidth 20mbit; qdisc tbf { inner bfifo } }
}
"""


def whole(world: Machine) -> bool:
    """Whether all is there that the policy asks for, told apart from what is only half there."""
    shown = world.here.run("tc", "qdisc", "show", check=False).stdout
    roots = [line.split()[4] for line in shown.splitlines() if line.startswith("qdisc tbf")]
    if sorted(roots) != ["a0", "ifb-a0"] or "clsact ffff: dev a0" not in shown:
        return False
    filters = world.here.run("tc", "filter", "show", "dev", "a0", "ingress", check=False).stdout
    return "Redirect to device ifb-a0" in filters


def recreate(world: Machine) -> None:
    world.here.run("ip", "link", "delete", "a0")
    peer = ["peer", "name", "a0-far", "netns", world.there.name]
    world.here.run("ip", "link", "add", "a0", "type", "veth", *peer)
    world.here.run("ip", "address", "add", "10.9.0.1/24", "dev", "a0")
    world.there.run("ip", "address", "add", "10.9.0.2/24", "dev", "a0-far")
    world.there.run("ip", "link", "set", "a0-far", "up")
    world.here.run("ip", "link", "set", "a0", "up")


def rename(world: Machine) -> None:
    for old, new in (("a0", "b0"), ("b0", "a0")):
        world.here.run("ip", "link", "set", old, "down")
        world.here.run("ip", "link", "set", old, "name", new)
    world.here.run("tc", "qdisc", "delete", "dev", "a0", "root", check=False)
    world.here.run("ip", "link", "set", "a0", "up")


def replace(world: Machine) -> None:
    world.here.run("tc", "qdisc", "replace", "dev", "a0", "root", "handle", "77:", "pfifo")


def delete_ifb(world: Machine) -> None:
    world.here.run("ip", "link", "delete", "ifb-a0")


def main() -> int:
    slowest, lost, wrong = 0.0, 0, 0
    with machine("a0") as world:
        command = [*TCC, "watch", world.policy(POLICY), "--netns", world.here.name]
        for act in (recreate, rename, replace, delete_ifb):
            times = []
            for number in range(ROUNDS):
                if number % 3 == 0:  # so that it is never somebody who fights
                    watch = start(world, command)
                act(world)
                began = time.monotonic()
                while not whole(world) and time.monotonic() - began < 10:
                    time.sleep(0.01)
                times.append(time.monotonic() - began)
                lost += not world.reached(0)
                if number % 3 == 2:
                    watch.terminate()
                    wrong += watch.wait() != 0
            slowest = max(slowest, *times)
            mean = sum(times) / len(times)
            print(
                f"{act.__name__:10} {ROUNDS} times: mean {mean:.3f} s, slowest {max(times):.3f} s"
            )
    print(f"slowest {slowest:.3f} s; packets did not come in {lost} times; unclean ends {wrong}")
    return 0 if slowest <= 1 and not lost and not wrong else 1


def start(world: Machine, command: list[str]) -> "subprocess.Popen[bytes]":
    environment = {"TCC_STATE_DIR": str(world.folder / "state"), "PATH": "/usr/sbin:/usr/bin:/sbin"}
    made = subprocess.Popen(command, stderr=subprocess.PIPE, env=environment)
    assert made.stderr is not None
    for line in made.stderr:
        if line.startswith(b"keeping "):
            break
    time.sleep(0.5)
    return made


sys.exit(main())
