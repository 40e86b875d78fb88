"""What comes in is held to its rate: bytes by the ifb's own counter, one TCP connection."""

import sys

from _machine import machine, measured_rate_in

RATE = 20_000_000
POLICY = 'link wan { device "a0"; ingress { bandwidth 20mbit; qdisc tbf { inner bfifo } } }'


def main() -> int:
    with machine("a0") as world:
        unshaped = world.redirected("a0")
        world.apply(world.policy(POLICY))
        rate = measured_rate_in(world, "ifb-a0", 4)
        packets = world.redirected("a0")
    print(f"{rate / 1e6:.2f} Mbit/s of {RATE / 1e6:.0f}, {packets} packets redirected")
    return 0 if abs(rate / RATE - 1) <= 0.03 and packets > unshaped else 1


sys.exit(main())
