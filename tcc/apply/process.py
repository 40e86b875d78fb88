"""Processes beyond doubt: a number and when it began, so that one given again is not mistaken.

Sources: proc_pid_stat(5), pidfd_open(2).
"""

import os
import signal
from dataclasses import dataclass
from pathlib import Path

_STATE, _START = 0, 19  # fields of /proc/PID/stat behind the name, which may hold anything


@dataclass(frozen=True, slots=True)
class Process:
    """One process."""

    pid: int
    start: int
    """When it began, in clock ticks since the boot."""

    def alive(self) -> bool:
        """Whether it still runs; one that ended and was not waited for does not."""
        fields = _fields(self.pid)
        return bool(fields) and fields[_STATE] not in "ZX" and int(fields[_START]) == self.start

    def descriptor(self) -> int | None:
        """Return a descriptor that becomes readable when it ends; None when it has."""
        try:
            found = os.pidfd_open(self.pid)
        except OSError:
            return None
        if self.alive():
            return found
        os.close(found)
        return None

    def send(self, number: signal.Signals) -> bool:
        """Send it a signal; return whether it was there to get it, and may be sent one."""
        found = self.descriptor()
        if found is None:
            return False
        try:
            signal.pidfd_send_signal(found, number)
        except OSError:
            return False
        finally:
            os.close(found)
        return True


def this() -> Process:
    """Return the process that asks."""
    pid = os.getpid()
    return Process(pid, int(_fields(pid)[_START]))


def _fields(pid: int) -> list[str]:
    try:
        text = Path(f"/proc/{pid}/stat").read_text("ascii", "replace")
    except OSError:
        return []
    return text.rpartition(")")[2].split()
