"""The DSCP that stands for a tin, and whether CAKE's own table has a DSCP in it.

The marks are those of RFC 4594 and RFC 8622 for the named tins, the class selector of its
number for a tin of `precedence`, and for `diffserv8` a code point of the kernel's table.
"""

from typing import Final

from tcc.engine.cake.tables import MODE_NAMES, TinMode, mode_of

NAMED: Final = {"bulk": 8, "besteffort": 0, "video": 34, "voice": 46}
DIFFSERV8: Final = (1, 8, 0, 34, 18, 16, 46, 48)
DEFAULT_MODE: Final = "diffserv3"
"""CAKE's, where a policy says nothing."""


def mark_of(tin: str, mode: str | None) -> int:
    """Return the DSCP that puts a packet into `tin`; tins with numbers are CAKE's as shown.

    >>> mark_of("voice", "diffserv4"), mark_of("tin0", "diffserv4"), mark_of("tin5", "precedence")
    (46, 8, 40)
    """
    if tin in NAMED:
        return NAMED[tin]
    number = int(tin.removeprefix("tin"))
    if mode == "diffserv8":
        return DIFFSERV8[number]
    names = _table(mode).names
    name = names[number].lower().replace(" ", "") if number < len(names) else ""
    return NAMED.get(name, number * 8)


def goes_there(dscp: int, tin: str, mode: str | None) -> bool:
    """Whether CAKE's own table has `dscp` in the tin where `tin`'s own mark goes.

    >>> goes_there(40, "voice", "diffserv4"), goes_there(40, "voice", "diffserv3")
    (True, False)
    """
    index = _table(mode).index
    return index[dscp] == index[mark_of(tin, mode)]


def _table(mode: str | None) -> TinMode:
    return mode_of(MODE_NAMES.index(mode or DEFAULT_MODE))
