"""Which devices' incoming packets are redirected, where to, and how many."""

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from tcc.netlink import actions, filters
from tcc.netlink.handle import CLSACT_INGRESS, INGRESS
from tcc.netlink.objects import TcObject
from tcc.netlink.transport import RouteSocket
from tcc.netlink.wire import DecodeError, EncodeError, Value
from tcc.status.reader import Look


class Found(NamedTuple):
    """One redirect: to the device numbered `to`, 0 where that device is gone."""

    to: int
    packets: int | None


def read(route: RouteSocket, look: Look) -> dict[int, Found]:
    """Return, by the number of the device, the first redirect of what comes in there.

    Only devices with an ingress or clsact qdisc are asked about.

    Raises:
        OSError: the kernel would not list.
    """
    hooked = [one.ifindex for one in look.samples if one.parent == INGRESS]
    found: dict[int, Found] = {}
    for number in hooked:
        for listed in filters.dump(route, number, CLSACT_INGRESS):
            for redirect in of_filter(listed):
                found.setdefault(number, redirect)
    return found


def of_filter(listed: TcObject) -> Iterator[Found]:
    """Yield the redirects of one filter; a kind that is not known here has none."""
    if not listed.handle or listed.options is None:
        return
    try:
        options = dict(filters.decode_filter(listed.kind, listed.options))
        acts = options.get("ACT")
        for _, act in acts if isinstance(acts, list) else ():
            kind, pairs = actions.parse_action(act)
            parms = dict(pairs).get("PARMS")
            if kind != "mirred" or not isinstance(parms, Mapping):
                continue
            if parms["eaction"] == actions.EGRESS_REDIRECT:
                yield Found(parms["ifindex"], _packets(dict(act).get("STATS")))
    except (DecodeError, EncodeError, KeyError):
        return


def _packets(stats: Value | None) -> int | None:
    """Return how many packets an action has seen."""
    basic = dict(stats).get("BASIC") if isinstance(stats, list) else None
    return basic["packets"] if isinstance(basic, Mapping) else None
