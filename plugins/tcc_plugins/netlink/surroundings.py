"""What is around the qdiscs: ifb devices, hooks, our filters, our nftables tables."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from tcc.lower.nft import fingerprint, table_name
from tcc.netlink import filters, links
from tcc.netlink.handle import CLSACT_EGRESS, CLSACT_INGRESS
from tcc.netlink.objects import TcObject
from tcc.netlink.transport import RouteSocket
from tcc.plan.render import name
from tcc.plan.state import (
    HOOK,
    LINK,
    MARKS,
    NOTHING,
    PRIORITY,
    REDIRECT,
    Difference,
    FilterItem,
    HookItem,
    Item,
    LinkItem,
    Place,
    RulesItem,
)
from tcc_plugins.netlink import redirects
from tcc_plugins.netlink.nft import Nft
from tcc_plugins.netlink.observing import Reading, name_of

_DIRECTIONS = {REDIRECT: CLSACT_INGRESS, PRIORITY: CLSACT_EGRESS}


@dataclass
class Surroundings:
    """One look at a namespace; the filters of a device are listed once."""

    route: RouteSocket
    nft: Nft
    numbers: Mapping[str, int]
    reading: Reading
    _filters: dict[tuple[str, str], list[TcObject]] = field(default_factory=dict)

    def of(self, places: Iterable[Place]) -> Iterator[tuple[Place, Item]]:
        """Yield what is at `places`; those on devices that are not there are left out."""
        for place in places:
            if place.device in self.numbers:
                yield place, self._at(place)
            elif place.at == LINK:
                yield place, NOTHING

    def _at(self, place: Place) -> Item:
        if place.at == LINK:
            return self._link(place.device)
        if place.at == HOOK:
            return self._hook(place.device)
        if place.at == MARKS:
            table = table_name(place.device)
            text = self.nft.table(table)
            return NOTHING if text is None else RulesItem(table, text)
        return self._ours(place.device, place.at)

    def _link(self, device: str) -> LinkItem:
        found = links.by_index(self.route, self.numbers[device])
        return LinkItem(found.kind, found.up, found.tx_queues, found.ifindex, found.address)

    def _hook(self, device: str) -> Item:
        hook = self.reading.hooks.get(device)
        if hook is None:
            return NOTHING
        others = sum(self._others(device, at) for at in self._directions(device))
        return hook._replace(others=others)

    def _others(self, device: str, at: str) -> int:
        """Return how many filters of one direction are not ours."""
        ours = self._ours(device, at)
        mine = isinstance(ours, FilterItem) and not ours.foreign
        nodes = [one for one in self._listed(device, at) if redirects.is_node(one)]
        return len(nodes) - mine

    def _ours(self, device: str, at: str) -> Item:
        opposite = PRIORITY if at == REDIRECT else REDIRECT
        return redirects.at_our_priority(
            at,
            self._listed(device, at),
            self._listed(device, opposite),
            lambda number: name_of(self.route, number),
        )

    def _listed(self, device: str, at: str) -> list[TcObject]:
        """Return the filters of one direction."""
        if at not in self._directions(device):
            return []
        key = device, at
        if key not in self._filters:
            number = self.numbers[device]
            self._filters[key] = filters.dump(self.route, number, _DIRECTIONS[at])
        return self._filters[key]

    def _directions(self, device: str) -> tuple[str, ...]:
        """Return the directions that there are: ingress has the one, whatever it is asked for."""
        hook = self.reading.hooks.get(device)
        if hook is None:
            return ()
        return (REDIRECT, PRIORITY) if hook.kind == "clsact" else (REDIRECT,)


def differences(wanted: Item, observed: Item) -> Sequence[Difference]:
    """Return how two items other than qdiscs differ, in what can be asked for."""
    match wanted, observed:
        case LinkItem(), LinkItem():
            found = [("kind", wanted.kind, observed.kind), ("up", wanted.up, observed.up)]
            if not has_queues(wanted, observed):
                found.append(("queues", wanted.tx_queues, observed.tx_queues))
        case HookItem(), HookItem():
            found = [("kind", wanted.kind, observed.kind)]
        case FilterItem(), FilterItem():
            same = wanted._replace(path=()) == observed._replace(path=())
            return () if same else (Difference("filter", name(wanted), name(observed)),)
        case RulesItem(), RulesItem():
            same = fingerprint(wanted.text) == fingerprint(observed.text)
            return () if same else (Difference("rules", "these", "others"),)
        case _:
            return () if wanted == observed else (Difference("", name(wanted), name(observed)),)
    return [Difference(what, _word(a), _word(b)) for what, a, b in found if a != b]


def has_queues(wanted: LinkItem, observed: LinkItem) -> bool:
    """Whether a device has the queues that it shall have: their number is given at its birth."""
    if wanted.number:  # one that was there, and shall be again
        return wanted.tx_queues == observed.tx_queues
    return wanted.tx_queues <= observed.tx_queues


def _word(value: object) -> str:
    return {True: "yes", False: "no"}[value] if isinstance(value, bool) else str(value)
