"""`tcc apply` of ingress is killed (-9) before each request: packets come in, rollback restores."""

import signal
import sys

from _machine import DYING, machine

POLICY = """
link one { device "a0"; egress { bandwidth 30mbit; qdisc tbf { inner bfifo } }
           ingress { bandwidth 20mbit; qdisc tbf { inner bfifo } } }
link two { device "a1"; ingress { bandwidth 10mbit; qdisc tbf { inner bfifo } } }
"""


def main() -> int:
    tried = flowing = restored = 0
    with machine("a0", "a1") as world:
        world.here.run("tc", "qdisc", "add", "dev", "a1", "clsact")
        before = world.everything()
        path = world.policy(POLICY)
        while True:
            died = world.tcc("apply", path, "--yes", command=[*DYING, str(tried)])
            if died.returncode == 0:
                break
            assert died.returncode == -signal.SIGKILL, died.stderr
            tried += 1
            flowing += world.reached(0) and world.reached(1)
            back = world.tcc("rollback")
            restored += back.returncode == 0 and world.everything() == before
            flowing += world.reached(0) and world.reached(1)
        complete = world.reached(0) and world.reached(1)
        again = world.tcc("apply", path, "--yes")
    print(
        f"killed at {tried} boundaries: packets came in {flowing} of {2 * tried} times, "
        f"restored {restored} times; complete afterwards: {complete}"
    )
    good = tried >= 10 and flowing == 2 * tried and restored == tried and complete
    return 0 if good and "Nothing to do" in again.stdout else 1


sys.exit(main())
