"""tbf's settings in bytes and ticks, on the wire and as tc's words.

The kernel keeps a bucket as the time its bytes take, and dumps that time in ticks of 64 ns:
how many bytes it was made from cannot be read back exactly, so buckets are compared in ticks.
What is read is the largest bucket that dumps alike: sent back, it lets through whatever the
original did, where the ticks themselves would make a smaller one that may hold no frame.

Sources: tbf_change() and tbf_dump() in net/sched/sch_tbf.c; psched_ratecfg_precompute() in
net/sched/sch_generic.c and psched_l2t_ns() in include/net/sch_generic.h; tc-tbf(8).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import cast

from tcc.netlink.kinds import decode_options, encode_options
from tcc.netlink.wire import Pair
from tcc.plugin import Child, Difference
from tcc.units import NS_PER_S

U32_MAX = 2**32 - 1
TICK_SHIFT = 6
"""A packet-scheduler tick is 2**6 ns."""
NS_PER_TICK = 1 << TICK_SHIFT
ETHERNET, ATM = 1, 2
"""Link layers of struct tc_ratespec; 1 says that no rate table need be guessed from."""
CELL, CELL_PAYLOAD = 53, 48
LONGEST = NS_PER_TICK * U32_MAX
"""ns that a bucket can last: 32 bits of ticks."""


@dataclass(frozen=True, slots=True)
class TbfSettings:
    """A token bucket filter, and the queue inside it."""

    rate: int
    """Bytes per second."""
    limit: int
    """Bytes that may wait; governs only a FIFO inside, whose own limit it is."""
    burst: int
    """The bucket, in bytes."""
    peak: int = 0
    """Bytes per second; 0 is none."""
    mtu: int = 0
    """The peak's bucket in bytes."""
    overhead: int = 0
    mpu: int = 0
    linklayer: int = ETHERNET
    inner: Child | None = None
    """None where it is not known: a dump tells of the inner qdisc separately."""


@lru_cache(maxsize=4096)
def clock(rate: int) -> tuple[int, int]:
    """Return the factor and shift that turn bytes at `rate` bytes/s into ns, as the kernel's.

    The shift is the first with which the quotient has 32 bits, or the dividend 64.
    """
    shift = max(0, min(rate.bit_length(), 63 - NS_PER_S.bit_length()))  # no earlier one does
    factor = NS_PER_S << shift
    while not (factor // rate) >> 31 & 1 and not factor >> 63 & 1:
        factor, shift = factor * 2, shift + 1
    return factor // rate & U32_MAX, shift


def time_of(size: int, rate: int, settings: TbfSettings) -> int:
    """Return how long `size` bytes take at `rate` bytes/s, in ns, as the kernel computes it."""
    size = max(size + settings.overhead, settings.mpu)
    if settings.linklayer == ATM:
        size = -(-size // CELL_PAYLOAD) * CELL
    factor, shift = clock(rate)
    return size * factor >> shift


def ticks_of(size: int, rate: int, settings: TbfSettings) -> int:
    """Return a bucket of `size` bytes as the kernel dumps it."""
    return (time_of(size, rate, settings) >> TICK_SHIFT) & U32_MAX


def size_of(ticks: int, rate: int, settings: TbfSettings) -> int:
    """Return the largest bucket, in bytes, that the kernel dumps as `ticks`."""
    return _size_of(ticks, rate, settings.overhead, settings.mpu, settings.linklayer)


def _size_of(ticks: int, rate: int, overhead: int, mpu: int, linklayer: int) -> int:
    factor, shift = clock(rate)
    size = (((ticks + 1) << (shift + TICK_SHIFT)) - 1) // factor  # on the wire, framing included
    if linklayer == ATM:
        size = size // CELL * CELL_PAYLOAD
    if size < mpu:
        return 1
    return max(1, min(size - overhead, U32_MAX - 1))


def encode(settings: TbfSettings) -> bytes:
    """Return the payload of TCA_OPTIONS.

    No rate tables: no kernel since 3.8 looks anything up in them, and with the link layer
    given they are not even looked at. Buckets go along in ticks, for kernels before 3.14, and
    in bytes, which the others use.

    Raises:
        EncodeError: a value that its field cannot carry.
    """
    parms = {
        "rate_linklayer": settings.linklayer,
        "rate_overhead": settings.overhead,
        "rate_mpu": settings.mpu,
        "rate_rate": min(settings.rate, U32_MAX),
        "limit": settings.limit,
        "buffer": ticks_up(settings.burst, settings.rate),
    }
    if settings.peak:
        parms |= {
            "peakrate_linklayer": settings.linklayer,
            "peakrate_overhead": settings.overhead,
            "peakrate_mpu": settings.mpu,
            "peakrate_rate": min(settings.peak, U32_MAX),
            "mtu": ticks_up(settings.mtu, settings.peak),
        }
    pairs: list[Pair] = [("PARMS", parms), ("BURST", settings.burst)]
    if settings.rate > U32_MAX:
        pairs.append(("RATE64", settings.rate))
    if settings.peak:
        if settings.peak > U32_MAX:
            pairs.append(("PRATE64", settings.peak))
        pairs.append(("PBURST", settings.mtu))
    return encode_options("tbf", pairs)


def ticks_up(size: int, rate: int) -> int:
    """Return the ticks that `size` bytes take at `rate` bytes/s, rounded up, at most 32 bits."""
    return min(-(-size * NS_PER_S // (rate * NS_PER_TICK)), U32_MAX)


def decode(payload: bytes) -> TbfSettings:
    """Return the settings of a dump; raises DecodeError for malformed attributes."""
    said = dict(cast("list[tuple[str, object]]", decode_options("tbf", payload)))
    parms = cast("Mapping[str, int]", said["PARMS"])
    rate = cast(int, said.get("RATE64", parms["rate_rate"]))
    peak = cast(int, said.get("PRATE64", parms["peakrate_rate"]))
    wire = parms["rate_overhead"], parms["rate_mpu"], parms["rate_linklayer"]
    burst = cast(int, said.get("BURST")) or _size_of(parms["buffer"], rate, *wire)
    mtu = (cast(int, said.get("PBURST")) or _size_of(parms["mtu"], peak, *wire)) if peak else 0
    return TbfSettings(rate, parms["limit"], burst, peak, mtu, *wire)


def differences(wanted: TbfSettings, observed: TbfSettings) -> Sequence[Difference]:
    """Compare what the kernel would dump of each; the inner qdisc is compared by itself."""
    if _dumped(wanted) == _dumped(observed):
        return ()
    return [
        Difference(name, want, have)
        for (name, want), have in zip(
            describe(wanted).items(), describe(observed).values(), strict=True
        )
        if want != have
    ]


def _dumped(settings: TbfSettings) -> tuple[int, ...]:
    """Return the numbers that a dump of these settings holds."""
    rate, peak = settings.rate, settings.peak
    return (
        rate,
        ticks_of(settings.burst, rate, settings),
        settings.limit,
        peak,
        ticks_of(settings.mtu, peak, settings) if peak else 0,
        settings.overhead,
        settings.mpu,
        settings.linklayer,
    )


def describe(settings: TbfSettings) -> Mapping[str, str]:
    """Return every setting in words for people, named as tc names them."""
    peak = settings.peak
    return {
        "rate": f"{8 * settings.rate}bit",
        "burst": f"{ticks_of(settings.burst, settings.rate, settings)} ticks of 64ns",
        "limit": f"{settings.limit}b",
        "peakrate": f"{8 * peak}bit" if peak else "none",
        "mtu": f"{ticks_of(settings.mtu, peak, settings)} ticks of 64ns" if peak else "none",
        "overhead": f"{settings.overhead}",
        "mpu": f"{settings.mpu}",
        "linklayer": "atm" if settings.linklayer == ATM else "ethernet",
    }


def command(settings: TbfSettings) -> Sequence[str]:
    """Return tc's words."""
    words = [
        "rate", f"{8 * settings.rate}bit",
        "burst", f"{settings.burst}",
        "limit", f"{settings.limit}",
    ]  # fmt: skip
    if settings.peak:
        words += ["peakrate", f"{8 * settings.peak}bit", "mtu", f"{settings.mtu}"]
    if settings.overhead:
        words += ["overhead", f"{settings.overhead}"]
    if settings.mpu:
        words += ["mpu", f"{settings.mpu}"]
    if settings.linklayer == ATM:
        words += ["linklayer", "atm"]
    return words
