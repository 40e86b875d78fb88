"""Every single request of an apply is refused in turn; each time everything is undone at once."""

import os
import sys
from contextlib import redirect_stderr, redirect_stdout
from io import StringIO

from _machine import machine, shaped

from tcc.cli.main import run
from tests.apply.faults import Refusing, transport

RESTORED = 3
BEFORE = [
    "qdisc add dev a1 root handle 5: tbf rate 9mbit burst 3k limit 9k",
    "qdisc add dev a1 parent 5:1 handle 50: pfifo limit 5",
    "qdisc add dev a2 root handle 1: pfifo limit 7",
]
POLICY = shaped(4)


def main() -> int:
    tried = undone = 0
    with machine("a0", "a1", "a2", "a3") as world, transport(Refusing):
        os.environ["TCC_STATE_DIR"] = str(world.folder / "state")
        for command in BEFORE:
            world.here.run("tc", *command.split())
        before = world.shown()
        words = ["apply", world.policy(POLICY), "--yes", "--netns", world.here.name]
        while True:
            Refusing.at, Refusing.seen = tried, 0
            with redirect_stdout(StringIO()), redirect_stderr(StringIO()):
                status = run(words, "tcc")
            if status == 0:
                break
            tried += 1
            undone += status == RESTORED and world.shown() == before
    print(f"{tried} requests refused in turn, {undone} times everything undone at once")
    return 0 if tried >= 8 and undone == tried else 1


sys.exit(main())
