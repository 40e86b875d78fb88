"""Children that do not outlive their parent, however it ends.

A parent that is killed with SIGKILL can tell nobody; the kernel can (prctl(2), PR_SET_PDEATHSIG).
"""

import ctypes
import os
import signal
import sys

PR_SET_PDEATHSIG = 1
LIBC = ctypes.CDLL(None) if sys.platform == "linux" else None
"""Loaded before any fork: nothing is looked up between fork and exec."""


def depend_on(parent: int, death: signal.Signals) -> None:
    """Have this process, a child, sent a signal when its parent is no more.

    Args:
        parent: the process that forked this one.
        death: the signal; it outlives an exec.

    Other systems than Linux have no such thing; there a child ends when it is done.
    """
    if LIBC is None:
        return
    LIBC.prctl(PR_SET_PDEATHSIG, death)
    if os.getppid() != parent:  # it has ended in the meantime
        os._exit(1)
