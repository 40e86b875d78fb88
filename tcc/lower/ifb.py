"""Names of the devices that ingress is shaped on."""

import re
from hashlib import sha256
from typing import Final

from tcc.facts import DeviceFacts

PREFIX: Final = "ifb-"
LONGEST: Final = 15  # bytes in the name of a device: IFNAMSIZ - 1
_PLAIN = re.compile(r"[A-Za-z0-9._-]+")


def ifb_name(device: str) -> str:
    """Return the name of the ifb for `device`: `ifb-` and its name, where that fits.

    Of a longer name the last four characters are kept for people, and seven of a digest keep
    the names of two devices apart: cutting alone would give two USB adapters of one maker
    the same name.

    >>> ifb_name("wan"), len(ifb_name("enxa0cec812eb2b"))
    ('ifb-wan', 15)
    """
    if is_plain(device) and len(PREFIX + device) <= LONGEST:
        return PREFIX + device
    tail = device[-4:] if is_plain(device[-4:]) else ""
    return PREFIX + digest(device)[: LONGEST - len(PREFIX) - len(tail)] + tail


def is_plain(name: str) -> bool:
    """Whether a name has only letters, digits, dots, hyphens and underscores."""
    return _PLAIN.fullmatch(name) is not None


def digest(name: str) -> str:
    """Return a digest of a name, in hexadecimal."""
    return sha256(name.encode("utf-8", "surrogateescape")).hexdigest()


def is_ours(device: DeviceFacts) -> bool:
    """Whether a device is one that shaping made, by its name and kind.

    A pattern such as `device matching "*"` must not take it for one to be shaped.
    """
    return device.kind == "ifb" and device.name.startswith(PREFIX)
