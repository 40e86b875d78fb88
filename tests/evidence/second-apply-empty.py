"""A second apply of the same policy sends no request that changes anything."""

import os
import sys

from _machine import machine, shaped

from tcc.cli.main import run
from tests.apply.faults import Counting, transport

POLICY = shaped(3)


def main() -> int:
    with machine("a0", "a1", "a2") as world, transport(Counting):
        os.environ["TCC_STATE_DIR"] = str(world.folder / "state")
        words = ["apply", world.policy(POLICY), "--yes", "--netns", world.here.name]
        sent = []
        for _ in range(2):
            Counting.sent = 0
            if run(words, "tcc"):
                return 1
            sent.append(Counting.sent)
    print(f"requests sent: {sent[0]} by the first apply, {sent[1]} by the second")
    return 0 if sent[0] > 0 and sent[1] == 0 else 1


sys.exit(main())
