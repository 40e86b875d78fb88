"""What `tcc set` has altered since the last apply, kept beside the journal.

It is no change of its own that could be rolled back: an autorate daemon may make one every
second, and the history is short. It holds until the next apply, rollback or removal: the
document names the change that it is about, and is void for any other.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final, Literal, cast

from tcc.apply import stored
from tcc.apply.codec import payload_of, settings_of
from tcc.apply.journal import Journal
from tcc.plan.state import Item, Place, QdiscItem, State
from tcc.status.model import LiveSetting

FILE: Final = "set"
_KIND: Final = "set-1"


@dataclass(frozen=True, slots=True)
class Setting:
    """One clause of one qdisc, and the qdisc's settings with it."""

    told: LiveSetting
    place: Place
    item: QdiscItem


@dataclass(frozen=True, slots=True)
class Settings:
    """Everything that was set; the last one of each place and clause counts."""

    made: tuple[Setting, ...] = ()

    @property
    def listed(self) -> tuple[LiveSetting, ...]:
        """Return what people are told: one line for each link, direction and clause."""
        found = {
            (one.told.link, one.told.direction, one.told.clause): one.told for one in self.made
        }
        return tuple(found.values())

    def over(self, state: State) -> Mapping[Place, Item]:
        """Return what takes the place of items of `state`."""
        found: dict[Place, Item] = {}
        for one in self.made:
            item = state.get(one.place)
            if isinstance(item, QdiscItem) and item.kind == one.item.kind:
                found[one.place] = item._replace(settings=one.item.settings, raw=b"")
        return found


def read(journal: Journal) -> Settings:
    """Return what was set since the last change; nothing where the document is about another.

    Raises:
        OSError, DamagedError: it cannot be read, or is not what was written.
    """
    data = stored.read(journal.path / FILE, _KIND)
    if data is None or data["base"] != _base(journal):
        return Settings()
    try:
        return Settings(tuple(_from_json(one) for one in data["made"]))
    except (KeyError, TypeError, ValueError) as problem:
        raise stored.DamagedError(
            journal.path / FILE, f"it lacks something: {problem}"
        ) from problem


def write(journal: Journal, made: Iterable[Setting]) -> None:
    """Keep what was just set, over what was set before; the namespace must be held.

    Raises:
        OSError: it could not be written.
    """
    try:
        known = read(journal).made
    except stored.DamagedError:
        known = ()
    kept = {(one.place, one.told.clause): one for one in (*known, *made)}
    data = {"base": _base(journal), "made": [_to_json(one) for one in kept.values()]}
    stored.write(journal.path / FILE, _KIND, data)


def _base(journal: Journal) -> list[str]:
    record = journal.last()
    return [record.when, record.command] if record else []


def _to_json(one: Setting) -> dict[str, Any]:
    return {
        "link": one.told.link,
        "direction": one.told.direction,
        "clause": one.told.clause,
        "value": one.told.value,
        "when": one.told.when,
        "device": one.place.device,
        "at": one.place.at,
        "kind": one.item.kind,
        "handle": one.item.handle,
        "options": (payload_of(one.item) or b"").hex(),
        "moves": getattr(one.item.settings, "moves", None),
    }


def _from_json(data: Mapping[str, Any]) -> Setting:
    direction = cast(Literal["egress", "ingress"], str(data["direction"]))
    told = LiveSetting(
        str(data["link"]), direction, str(data["clause"]), str(data["value"]), str(data["when"])
    )
    kind = str(data["kind"])
    settings = settings_of(kind, bytes.fromhex(data["options"]))
    if data["moves"]:
        settings = replace(cast(Any, settings), moves=tuple(map(int, data["moves"])))
    item = QdiscItem(kind, int(data["handle"]), settings)
    return Setting(told, Place(str(data["device"]), str(data["at"])), item)
