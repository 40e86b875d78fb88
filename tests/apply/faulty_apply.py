"""`tcc` to which something happens before its K-th request: what, K, then tcc's words.

What: `lose-privilege` (CAP_NET_ADMIN goes for good, as by capset(2)), or a command line.
"""

import ctypes
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from tcc.apply import privilege
from tcc.cli.main import run
from tcc.netlink.transport import RouteSocket
from tests.apply.faults import transport

WHAT, LEFT = sys.argv[1], [int(sys.argv[2])]
happened = []


def happen():
    if LEFT[0] == 0:
        happened.append(WHAT)
        if WHAT == "lose-privilege":
            lose()
        else:
            done = subprocess.run(WHAT.split(), capture_output=True, check=False)
            if done.returncode:
                happened.pop()
    LEFT[0] -= 1


def lose():
    """Take CAP_NET_ADMIN out of all three sets: nobody in this thread gets it back."""
    mask = ~(1 << privilege.NET_ADMIN)
    data = (privilege._Data * 2)()
    for index in range(2):
        shift = 32 * index
        data[index].effective = (privilege._field("CapEff") & mask) >> shift & 0xFFFFFFFF
        data[index].permitted = (privilege._field("CapPrm") & mask) >> shift & 0xFFFFFFFF
        data[index].inheritable = (privilege._field("CapInh") & mask) >> shift & 0xFFFFFFFF
    header = privilege._Header(privilege._VERSION_3, 0)
    libc = ctypes.CDLL(None, use_errno=True)
    assert libc.capset(ctypes.byref(header), ctypes.byref(data)) == 0


class Interrupted(RouteSocket):
    """Sends requests one by one; before one of them something happens."""

    def batch(self, messages, *rest, **named):
        answers = []
        for message in messages:
            happen()
            answers += super().batch([message], *rest, **named)
        return answers


del sys.argv[1:3]
with transport(Interrupted):
    status = run(sys.argv[1:], "tcc")
if not happened:
    print("did nothing", file=sys.stderr)
sys.exit(status)
