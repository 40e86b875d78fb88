"""Handles: the 32-bit numbers by which tc names qdiscs, classes and parents.

Two 16-bit halves, major and minor, written in hexadecimal with a colon between
them (tc(8), "HANDLES"): `1:` is a qdisc, `1:10` a class of it.  A few values
have names of their own (include/uapi/linux/pkt_sched.h).
"""

import re
from typing import Final, Self

_TEXT = re.compile(r"(?P<major>[0-9a-fA-F]{0,4}):(?P<minor>[0-9a-fA-F]{0,4})")


class Handle(int):
    """A handle: an integer that prints as tc prints it."""

    __slots__ = ()

    @classmethod
    def of(cls, major: int, minor: int = 0) -> Self:
        """Return the handle `major:minor`; raise `ValueError` outside 16 bits."""
        for half in (major, minor):
            if not 0 <= half <= 0xFFFF:
                raise ValueError(f"half of a handle: {half} is outside 0..65535")
        return cls(major << 16 | minor)

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read `1:`, `1:10`, `:3`, `root`, `ingress`, `clsact` or `none`; else `ValueError`."""
        if text in _NAMED:
            return cls(_NAMED[text])
        match = _TEXT.fullmatch(text)
        if match is None or text == ":":
            raise ValueError(f"{text!r} is no handle; expected MAJOR:[MINOR] in hexadecimal")
        return cls.of(int(match["major"] or "0", 16), int(match["minor"] or "0", 16))

    @property
    def major(self) -> int:
        """The qdisc's half."""
        return self >> 16

    @property
    def minor(self) -> int:
        """The class's half."""
        return self & 0xFFFF

    def __str__(self) -> str:
        """Return tc's spelling."""
        if self == ROOT:
            return "root"
        if self == UNSPECIFIED:
            return "none"
        major = f"{self.major:x}" if self.major else ""
        minor = f"{self.minor:x}" if self.minor else ""
        return f"{major}:{minor}"

    def __repr__(self) -> str:
        """Return a spelling that shows the type."""
        return f"Handle({str(self)!r})"


UNSPECIFIED: Final = Handle(0)
ROOT: Final = Handle(0xFFFFFFFF)
INGRESS: Final = Handle(0xFFFFFFF1)  # parent of ingress and clsact
CLSACT_INGRESS: Final = Handle(0xFFFFFFF2)  # parent of clsact's filters, by direction
CLSACT_EGRESS: Final = Handle(0xFFFFFFF3)
INGRESS_HANDLE: Final = Handle(0xFFFF0000)  # the only handle that ingress and clsact take

_NAMED: Final = {
    "none": UNSPECIFIED,
    "root": ROOT,
    "ingress": INGRESS,
    "clsact": INGRESS,
}
