"""`qdisc auto`: which kind a wish gets, as a pure function of the policy and the facts."""

from typing import NamedTuple

from tcc.facts import Facts
from tcc.plugin import Wish
from tcc.units import format_rate

ONE_CORE = 1_000_000_000
"""bit/s that one core surely shapes. A single CAKE has been measured at 1.5 to 1.8 Gbit/s on
a server's core and at less on a router's; its packets all pass one lock."""
CAKE, CAKE_MQ, TBF = "cake", "cake_mq", "tbf"


class Choice(NamedTuple):
    """A kind, and why; no kind where nothing that the kernel has can do it."""

    kind: str | None
    reason: str


def choose(wish: Wish) -> Choice:
    """Return the kind for a wish that leaves it open, and the reason for people."""
    known = known_kinds(wish.facts)
    if _wants_waiting(wish) and (known is None or TBF in known):
        return Choice(TBF, "senders can only wait for a queue that drops for its length alone")
    if known is None:
        return Choice(CAKE, "nothing is known of the kernel, and cake is the one that can do all")
    if CAKE_MQ in known and (reason := _needs_queues(wish)):
        return Choice(CAKE_MQ, reason)
    if CAKE in known:
        return Choice(CAKE, "this kernel has it, and one queue is enough or all that there is")
    if TBF in known and _rate(wish) is not None:
        return Choice(TBF, "this kernel has no cake")
    if TBF in known:
        return Choice(None, "this kernel has no cake, and its tbf needs a rate")
    return Choice(None, "this kernel has neither cake nor tbf")


def known_kinds(facts: Facts | None) -> frozenset[str] | None:
    """Return the kinds that the kernel is known to have; None when nothing is known."""
    return frozenset(facts.qdiscs) if facts is not None and facts.qdiscs else None


def _rate(wish: Wish) -> int | None:
    """Return the rate in bit/s; None when there is none or it is unlimited."""
    asked = wish.shaping.bandwidth
    return None if asked is None or isinstance(asked.rate, str) else asked.rate


def _wants_waiting(wish: Wish) -> bool:
    """Whether back-pressure is asked for and could be had: local senders below a rate."""
    role = wish.link.role
    return (
        wish.shaping.backpressure is not None
        and not wish.prefers("backpressure")
        and wish.direction == "egress"
        and role is not None
        and role.kind == "host"
        and _rate(wish) is not None
    )


def _needs_queues(wish: Wish) -> str:
    """Return why one core is not enough, or nothing when it is or several cannot be had."""
    asked = wish.shaping.bandwidth
    if wish.direction != "egress" or wish.device.tx_queues < 2:
        return ""
    if asked is not None and asked.minimum is not None:
        return ""  # an autorate daemon moves the rate of a cake
    rate = _rate(wish) or wish.device.speed
    if rate is not None and rate <= ONE_CORE:
        return ""
    queues = f"{wish.device.name} has {wish.device.tx_queues} transmit queues, and "
    if rate is None:
        return queues + "line rate is too much for one core"
    return queues + f"{format_rate(rate)} is more than the {format_rate(ONE_CORE)} of one core"
