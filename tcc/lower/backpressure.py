"""Making this machine's UDP senders wait instead of losing: what a kernel can do for it.

A blocking UDP socket sleeps while the packets it has on the way fill its send buffer; a
drop frees that memory at once, so a full queue makes the sender faster and not slower
(sock_alloc_send_pskb() and sock_wfree() in net/core/sock.c). With a queue that holds
everything the send buffers can hold nothing is dropped and every sender sleeps in turn.
The RFC that would have qdiscs slow sockets down (netdev, August 2022) is in no mainline kernel;
where a kernel has it, its sysctl shows.
"""

from collections.abc import Mapping

from tcc.diagnostics import Diagnostic
from tcc.ir import Backpressure
from tcc.lower.draft import Draft
from tcc.plugin import Wish
from tcc.units import NS_PER_MS, format_duration

SYSCTL = "net.ipv4.udp_backpressure_interval"
SNDBUF = 212_992
"""The default of net.core.wmem_default, bytes."""
TRUESIZE = 2_304
"""What a full-size UDP packet is charged to its socket, bytes: its buffer and the skb."""


def has_sysctl(wish: Wish) -> bool:
    """Whether the host is known to have the RFC's sysctl."""
    return wish.facts is not None and SYSCTL in wish.facts.sysctls


def sysctls(wish: Wish, asked: Backpressure) -> dict[str, str]:
    """Return the sysctl to set, in ms rounded up; empty where no kernel is known to have it."""
    if asked.interval is None or not has_sysctl(wish):
        return {}
    return {SYSCTL: str(-(-asked.interval // NS_PER_MS))}


def explain_interval(draft: Draft, asked: Backpressure, found: Mapping[str, str]) -> None:
    """Record what `interval` became: a sysctl, or nothing where no kernel is known to have it."""
    if asked.interval is None:
        return
    became = " ".join(f"{name}={value}" for name, value in found.items())
    draft.explain(
        f"interval {format_duration(asked.interval)}",
        became or "nothing",
        "" if became else "it sets a sysctl that no mainline kernel has, nor this host's facts",
        draft.wish.at("backpressure", "interval"),
    )


def packets_in_flight(asked: Backpressure) -> int | None:
    """Return how many packets all senders can have on the way; None when nobody said how many.

    The test for room comes before a packet is made, so one more than fits begins: the
    quotient is rounded up.
    """
    if asked.senders is None:
        return None
    return asked.senders * per_sender(asked)


def per_sender(asked: Backpressure) -> int:
    """Return how many packets one sender can have on the way."""
    return -(-(asked.sndbuf or SNDBUF) // TRUESIZE)


def cannot_wait(wish: Wish, reason: str) -> Diagnostic:
    """Return `backpressure-unavailable`: why not here, and what there is instead."""
    return wish.cannot(
        "backpressure",
        "backpressure-unavailable",
        "no mainline kernel slows UDP senders down for a full qdisc",
        reason,
        "with `role host`, `senders N` and `qdisc tbf { inner sfq }` the queue is made long "
        "enough that senders block and nothing is dropped",
        "in the application: a smaller SO_SNDBUF, SO_MAX_PACING_RATE with fq, or IP_RECVERR",
        "forwarded traffic has no socket here: only an AQM or ECN reaches its sender",
    )
