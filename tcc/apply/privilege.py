"""Do with as few privileges as will do: see what there is, put aside what is not needed.

Source: capabilities(7), capset(2).
"""

import ctypes
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

DAC_OVERRIDE: Final = 1
NET_ADMIN: Final = 12
_VERSION_3: Final = 0x20080522
_STATUS = Path("/proc/thread-self/status")


class _Header(ctypes.Structure):
    _fields_ = (("version", ctypes.c_uint32), ("pid", ctypes.c_int))


class _Data(ctypes.Structure):
    _fields_ = (
        ("effective", ctypes.c_uint32),
        ("permitted", ctypes.c_uint32),
        ("inheritable", ctypes.c_uint32),
    )


def may_administer() -> bool:
    """Whether this thread has CAP_NET_ADMIN in force."""
    return bool(_field("CapEff") >> NET_ADMIN & 1)


@contextmanager
def only(*capabilities: int) -> Iterator[None]:
    """Put all other capabilities aside for the body of a `with`; those of this thread alone.

    One that was lost for good meanwhile does not come back.
    """
    before = _field("CapEff")
    wanted = sum(1 << number for number in capabilities)
    _put_in_force(before & wanted)
    try:
        yield
    finally:
        _put_in_force(before & _field("CapPrm"))


def _field(name: str) -> int:
    for line in _STATUS.read_text("ascii").splitlines():
        word, _, value = line.partition(":")
        if word == name:
            return int(value, 16)
    return 0


def _put_in_force(effective: int) -> None:
    """Set the effective capabilities; what is permitted and inheritable stays."""
    permitted, inheritable = _field("CapPrm"), _field("CapInh")
    data = (_Data * 2)()
    for index in range(2):
        shift = 32 * index
        data[index].effective = effective >> shift & 0xFFFFFFFF
        data[index].permitted = permitted >> shift & 0xFFFFFFFF
        data[index].inheritable = inheritable >> shift & 0xFFFFFFFF
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.capset(ctypes.byref(_Header(_VERSION_3, 0)), ctypes.byref(data)) != 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
