"""Time that no clock change moves: CLOCK_BOOTTIME, which also runs while a machine sleeps.

Sources: clock_gettime(2), timerfd_create(2). Python has timer descriptors only since 3.13.
"""

import ctypes
import os
import time
from typing import Final

from tcc.closing import Closing

CLOCK: Final = time.CLOCK_BOOTTIME
_ABSOLUTE: Final = 1  # TFD_TIMER_ABSTIME
_FLAGS: Final = os.O_CLOEXEC | os.O_NONBLOCK
_SECOND: Final = 10**9


def now() -> int:
    """Return nanoseconds since the boot."""
    return time.clock_gettime_ns(CLOCK)


class _Time(ctypes.Structure):
    _fields_ = (("seconds", ctypes.c_long), ("nanoseconds", ctypes.c_long))


class _Setting(ctypes.Structure):
    _fields_ = (("interval", _Time), ("value", _Time))


class Timer(Closing):
    """A descriptor that becomes readable at a moment of `CLOCK`; a context manager.

    Raises:
        OSError: there are no descriptors left.
    """

    def __init__(self) -> None:
        self._libc = ctypes.CDLL(None, use_errno=True)
        self._descriptor = self._libc.timerfd_create(CLOCK, _FLAGS)
        if self._descriptor < 0:
            raise _problem()

    def fileno(self) -> int:
        """The descriptor, for poll."""
        return int(self._descriptor)

    def set(self, moment: int) -> None:
        """Fire at `moment`, in nanoseconds since the boot; one that is over fires at once."""
        seconds, rest = divmod(max(moment, 1), _SECOND)
        setting = _Setting(_Time(0, 0), _Time(seconds, rest))
        if self._libc.timerfd_settime(self._descriptor, _ABSOLUTE, ctypes.byref(setting), None):
            raise _problem()

    def close(self) -> None:
        """Give the descriptor back."""
        if self._descriptor >= 0:
            os.close(self._descriptor)
        self._descriptor = -1


def _problem() -> OSError:
    number = ctypes.get_errno()
    return OSError(number, os.strerror(number))
