"""Numbers as short as people read them: three digits, and the unit of the field."""

from tcc.units import NS_PER_US

_RATES = (("gbit", 10**9), ("mbit", 10**6), ("kbit", 10**3))
_SIZES = (("GiB", 2**30), ("MiB", 2**20), ("KiB", 2**10))
_TIMES = (("s", 10**6), ("ms", 10**3))
_COUNTS = (("G", 10**9), ("M", 10**6), ("k", 10**3))
UNKNOWN = "-"


def rate(bits: int | None) -> str:
    """Return bit/s.

    >>> rate(38_000_000), rate(999), rate(None)
    ('38mbit', '999bit', '-')
    """
    return UNKNOWN if bits is None else _short(bits, _RATES, "bit")


def size(count: int | None) -> str:
    """Return bytes."""
    return UNKNOWN if count is None else _short(count, _SIZES, "B")


def delay(us: int) -> str:
    """Return a time given in us.

    >>> delay(0), delay(870), delay(12_345)
    ('0', '870us', '12.3ms')
    """
    return _short(us, _TIMES, "us") if us else "0"


def count(number: int | None) -> str:
    """Return a number of packets or flows.

    >>> count(999), count(12_345)
    ('999', '12.3k')
    """
    return UNKNOWN if number is None else _short(number, _COUNTS, "")


def elapsed(ns: int) -> str:
    """Return a time given in ns."""
    return delay(ns // NS_PER_US)


def _short(value: int, units: tuple[tuple[str, int], ...], least: str) -> str:
    for name, factor in units:
        if value >= factor:
            tenths = value * 10 // factor
            whole = tenths >= 1000 or tenths % 10 == 0
            return f"{tenths // 10}{name}" if whole else f"{tenths // 10}.{tenths % 10}{name}"
    return f"{value}{least}"
