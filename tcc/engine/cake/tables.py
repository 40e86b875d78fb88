"""CAKE's tables: which tin a DSCP goes to, in which order tins are shown, their weights.

Facts from net/sched/sch_cake.c of Linux 7.3 (the diffserv and order tables and the functions that
configure the tins), written down as CAKE specification sections 3.1 and 3.2 have them.
`tests/engine/test_cake_tables.py` compares them with tables extracted from the kernel.
"""

from __future__ import annotations

from dataclasses import dataclass

DIFFSERV3, DIFFSERV4, DIFFSERV8, BESTEFFORT, PRECEDENCE = range(5)

MODE_NAMES = ("diffserv3", "diffserv4", "diffserv8", "besteffort", "precedence")


@dataclass(frozen=True, slots=True)
class TinMode:
    """One way to divide traffic into tins.

    Attributes:
        names: as `tc -s qdisc` shows them, by display position.
        index: the tin's internal index of each of the 64 DSCPs.
        order: the internal index of each display position.
        shifts: a tin's rate is the configured one shifted right by this; empty where each
            tin has 7/8 of the one before.
        quanta: weights of the tins when there is no rate.
    """

    names: tuple[str, ...]
    index: bytes
    order: tuple[int, ...]
    shifts: tuple[int, ...]
    quanta: tuple[int, ...]


def index_of(default: int, *tins: tuple[int, tuple[int, ...]]) -> bytes:
    """Return the internal index of every DSCP."""
    index = bytearray([default] * 64)
    for tin, dscps in tins:
        for dscp in dscps:
            index[dscp] = tin
    return bytes(index)


EIGHT = tuple(f"Tin {number}" for number in range(8))
EIGHTHS = (256, 224, 196, 171, 149, 130, 113, 98)

MODES = (
    TinMode(
        ("Bulk", "Best Effort", "Voice"),
        index_of(0, (1, (1, 8)), (2, (4, 44, 46, 48, 56))),
        (1, 0, 2),
        (0, 4, 2),
        (1024, 64, 256),
    ),
    TinMode(
        ("Bulk", "Best Effort", "Video", "Voice"),
        index_of(
            0,
            (1, (1, 8)),
            (2, (4, 16, 18, 20, 22, 24, 26, 28, 30, 34, 36, 38)),
            (3, (32, 40, 44, 46, 48, 56)),
        ),
        (1, 0, 2, 3),
        (0, 4, 1, 2),
        (1024, 64, 512, 256),
    ),
    TinMode(
        EIGHT,
        index_of(
            2,
            (0, (1,)),
            (1, (2, 8, 10, 12, 14)),
            (3, (24, 26, 28, 30, 34, 36, 38)),
            (4, (4, 18, 20, 22)),
            (5, (16,)),
            (6, (32, 40, 44, 46)),
            (7, (48, 56)),
        ),
        tuple(range(8)),
        (),
        EIGHTHS,
    ),
    TinMode(("Tin 0",), bytes(64), (0,), (0,), (65535,)),
    TinMode(EIGHT, bytes(dscp >> 3 for dscp in range(64)), tuple(range(8)), (), EIGHTHS),
)


def mode_of(number: int) -> TinMode:
    """Return a tin mode by its number; the kernel takes an unknown one for diffserv3."""
    return MODES[number] if 0 <= number < len(MODES) else MODES[DIFFSERV3]


# 1/sqrt(n) in Q0.32 for n = 0..15, as cobalt_newton_step()'s cache has them.
INVERSE_ROOTS = (
    4294967295, 4294967295, 3037000500, 2479700525, 2147483647, 1920767767, 1753413056, 1623345051,
    1518500250, 1431655765, 1358187914, 1294981364, 1239850263, 1191209601, 1147878294, 1108955788,
)  # fmt: skip
