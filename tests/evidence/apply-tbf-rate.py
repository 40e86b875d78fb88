"""An applied tbf policy is met within 1 % over 10 s of TCP, by the qdisc's own byte counter."""

import sys

from _machine import machine, measured_rate

WANTED = 50_000_000
POLICY = """
link wan {
    device "a0"
    egress { bandwidth 50mbit; qdisc tbf { burst 32KiB; latency 50ms; inner bfifo } }
}
"""


def main() -> int:
    with machine("a0") as world:
        world.apply(world.policy(POLICY))
        rate = measured_rate(world, "a0", 10)
    deviation = (rate - WANTED) / WANTED
    print(f"wanted {WANTED / 1e6} Mbit/s, measured {rate / 1e6:.3f} Mbit/s: {deviation:+.3%}")
    return 0 if abs(deviation) <= 0.01 else 1


sys.exit(main())
