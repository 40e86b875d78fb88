"""Names of DSCP code points.

Sources: RFC 2474 (class selectors), RFC 2597 (assured forwarding), RFC 3246 (EF),
RFC 5865 (VA, voice-admit), RFC 8622 (LE).
"""

NAMES: dict[str, int] = {
    "be": 0,
    "df": 0,
    "le": 1,
    "ef": 46,
    "va": 44,
    **{f"cs{value}": 8 * value for value in range(8)},
    **{f"af{klass}{drop}": 8 * klass + 2 * drop for klass in range(1, 5) for drop in range(1, 4)},
}

GROUPS: dict[str, tuple[int, ...]] = {
    f"af{klass}x": tuple(8 * klass + 2 * drop for drop in range(1, 4)) for klass in range(1, 5)
}
"""`af4x` is all of af41, af42 and af43."""


def name_of(value: int) -> str:
    """Return the usual name of a code point, or its number in decimal.

    >>> name_of(46), name_of(0), name_of(5)
    ('ef', 'cs0', '5')
    """
    if value % 8 == 0:
        return f"cs{value // 8}"
    return next((name for name, number in NAMES.items() if number == value), str(value))
