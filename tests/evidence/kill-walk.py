"""`tcc apply` is killed (-9) before each of its requests; `tcc rollback` restores every time."""

import signal
import sys

from _machine import DYING, machine, shaped

BEFORE = [
    "qdisc add dev a1 root handle 5: tbf rate 9mbit burst 3k limit 9k",
    "qdisc add dev a1 parent 5:1 handle 50: pfifo limit 5",
    "qdisc add dev a2 root handle 1: pfifo limit 7",
]
POLICY = shaped(3)


def main() -> int:
    tried = restored = noticed = 0
    with machine("a0", "a1", "a2") as world:
        for command in BEFORE:
            world.here.run("tc", *command.split())
        before = world.shown()
        path = world.policy(POLICY)
        while True:
            died = world.tcc("apply", path, "--yes", command=[*DYING, str(tried)])
            if died.returncode == 0:
                break
            assert died.returncode == -signal.SIGKILL, died.stderr
            tried += 1
            noticed += "unfinished-change" in world.tcc("apply", path, "--yes").stderr
            back = world.tcc("rollback")
            restored += back.returncode == 0 and world.shown() == before
    print(f"killed at {tried} boundaries, noticed {noticed} times, restored {restored} times")
    return 0 if tried >= 6 and restored == noticed == tried else 1


sys.exit(main())
