"""What of a running CAKE can be altered while packets wait.

A change of the rate or of the AQM's times moves no packet and drops none; a change of the
tins or of the flow mode would empty tins that are no longer there and spread flows anew
(cake_change() and cake_reconfigure() in net/sched/sch_cake.c).
"""

from dataclasses import replace

from tcc.ir import Shaping
from tcc.lower.live import CannotSetError, rate_of
from tcc.units import NS_PER_US, format_rate
from tcc_plugins.cake.settings import ACK_FILTERS, CakeSettings, target_of

ALTERS = frozenset({"bandwidth", "rtt", "ack_filter"})
BITS = 8


def altered(settings: CakeSettings, shaping: Shaping) -> CakeSettings:
    """Return `settings` with what `shaping` says.

    Raises:
        CannotSetError: the rate is outside the bounds in which a daemon may move it, or
            the kernel's own estimator moves it.
    """
    if shaping.bandwidth is not None:
        return replace(settings, rate=_rate(settings, shaping))
    if shaping.rtt is not None:
        interval = shaping.rtt // NS_PER_US
        if not 1 <= interval < 2**32:
            raise CannotSetError(f"an rtt of {interval}us is outside 1us..{2**32 - 1}us")
        return replace(settings, interval=interval, target=target_of(interval))
    if shaping.ack_filter is not None:
        return replace(settings, ack_filter=ACK_FILTERS.index(shaping.ack_filter))
    return settings


def _rate(settings: CakeSettings, shaping: Shaping) -> int:
    rate = rate_of(shaping)
    if settings.autorate:
        raise CannotSetError("autorate-ingress moves the rate in the kernel, and would do it again")
    if settings.moves and not settings.moves[0] <= rate <= settings.moves[1]:
        least, most = (format_rate(BITS * one) for one in settings.moves)
        raise CannotSetError(f"the policy lets the rate move within {least}..{most}")
    return rate
