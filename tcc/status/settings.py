"""What `tcc set` has altered since the last apply, kept beside the journal.

It is no change of its own that could be rolled back: an autorate daemon may make one every
second, and the history is short. It holds until the next change of the same place, be it an
apply, a rollback or a removal: each setting names the change that it is about, and is void
after another one.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal, cast

from tcc.apply import stored
from tcc.apply.codec import payload_of, settings_of, unsaid
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
    if data is None:
        return Settings()
    bases = _bases(journal)
    try:
        made = [(_from_json(one), one["base"]) for one in data["made"]]
        return Settings(tuple(one for one, base in made if bases.get(one.place) == base))
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
    bases = _bases(journal)
    rows = [_to_json(one, bases.get(one.place)) for one in kept.values()]
    stored.write(journal.path / FILE, _KIND, {"made": rows})


def _bases(journal: Journal) -> Mapping[Place, list[str]]:
    """Return which change each place was last part of."""
    return {
        place: [step.record.when, step.record.command]
        for step in journal.steps()
        if step.record is not None
        for place in step.record.after
    }


def _to_json(one: Setting, base: list[str] | None) -> dict[str, Any]:
    return {
        "base": base,
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
        "unsaid": unsaid(one.item),
    }


def _from_json(data: Mapping[str, Any]) -> Setting:
    direction = cast(Literal["egress", "ingress"], str(data["direction"]))
    told = LiveSetting(
        str(data["link"]), direction, str(data["clause"]), str(data["value"]), str(data["when"])
    )
    kind = str(data["kind"])
    settings = settings_of(kind, bytes.fromhex(data["options"]), data["unsaid"])
    item = QdiscItem(kind, int(data["handle"]), settings)
    return Setting(told, Place(str(data["device"]), str(data["at"])), item)
