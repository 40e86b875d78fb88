"""`tcc` that dies, as by `kill -9`, before its K-th step: K, then tcc's words.

Steps are everything that lasts: requests to the kernel, files made durable, renamed or taken
away, processes started.
"""

import os
import signal
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from tcc.cli.main import run
from tcc.netlink.transport import RouteSocket
from tests.apply.faults import transport


class Steps:
    """Counts steps and dies before one of them."""

    left = 0

    @classmethod
    def one(cls):
        if cls.left == 0:
            os.kill(os.getpid(), signal.SIGKILL)
        cls.left -= 1


def dying(function):
    """`function` as a step."""

    def step(*args, **named):
        Steps.one()
        return function(*args, **named)

    return step


class Stepping(RouteSocket):
    """Sends requests one by one, each a step."""

    def batch(self, messages, *rest, **named):
        answers = []
        for message in messages:
            Steps.one()
            answers += super().batch([message], *rest, **named)
        return answers


Steps.left = int(sys.argv[1])
del sys.argv[1]
os.fsync, os.rename, os.unlink = dying(os.fsync), dying(os.rename), dying(os.unlink)
subprocess.run = dying(subprocess.run)
with transport(Stepping):
    sys.exit(run(sys.argv[1:], "tcc"))
