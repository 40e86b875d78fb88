"""After apply and rollback `tc -j qdisc show` is byte for byte what it was, whatever was there."""

import sys

from _machine import machine, shaped

BEFORE = {
    "the kernel's own": [],
    "pfifo under our handle": ["qdisc add dev a1 root handle 1: pfifo limit 7"],
    "tbf under our handle": ["qdisc add dev a1 root handle 1: tbf rate 1mbit burst 3k limit 9k"],
    "tbf under another": ["qdisc add dev a1 root handle 8: tbf rate 1mbit burst 3k limit 9k"],
    "a handle of the kernel's": ["qdisc add dev a1 root bfifo limit 5000"],
    "an inner qdisc": [
        "qdisc add dev a1 root handle 5: tbf rate 9mbit burst 3k limit 9k",
        "qdisc add dev a1 parent 5:1 handle 50: pfifo limit 5",
    ],
    "an explicit noqueue": ["qdisc replace dev a1 root noqueue"],
    "peak, overhead, ATM": [
        "qdisc add dev a1 root handle 1: tbf rate 9mbit burst 9k limit 99k "
        "peakrate 20mbit mtu 2k overhead 18 mpu 64 linklayer atm"
    ],
}
POLICY = shaped(3)


def main() -> int:
    wrong = 0
    for name, commands in BEFORE.items():
        with machine("a0", "a1", "a2") as world:
            for command in commands:
                world.here.run("tc", *command.split())
            before = world.shown()
            world.apply(world.policy(POLICY))
            changed = world.shown() != before
            back = world.tcc("rollback").returncode
            same = world.shown() == before
            good = changed and back == 0 and same
            wrong += not good
            print(f"{name:26} {'the same bytes' if good else 'NOT THE SAME'}")
    print(f"{len(BEFORE) - wrong} of {len(BEFORE)} exact")
    return min(wrong, 1)


sys.exit(main())
