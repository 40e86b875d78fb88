"""NetworkManager's keyfiles: the [tc] section, in the kernel's own units.

Source: nm-utils.c of libnm: rates are bytes per second there, times us.
"""

from typing import Final

from tcc.importing.found import Imported, Kind
from tcc.importing.ini import parts
from tcc.importing.links import links_of
from tcc.importing.machine import Machine
from tcc.importing.shell import Command
from tcc.tcwords.numbers import decimal_of

BITS: Final = 8


def read_networkmanager(text: str, device: str | None) -> Imported:
    """Return the link of one profile, or of a part of one that is for `device`."""
    settings: dict[str, str] = {}
    name = ""
    for part in parts(text):
        if part.name == "tc":
            settings = part.settings
        elif part.name == "connection":
            name = part.settings.get("interface-name", "")
    name = name or device or ""
    if not name:
        imported = Imported()
        imported.say(Kind.LOST, "no-interface", "the profile names no interface: give its device")
        return imported
    machine = Machine()
    for key, value in settings.items():
        what, _, where = key.partition(".")
        words = value.split()
        if what == "qdisc":
            place = ["root"] if where == "root" else ["parent", where]
            command = ("tc", "qdisc", "add", "dev", name, *place, *_units(words))
            machine.run(Command(0, command))
        elif what == "tfilter":
            command = ("tc", "filter", "add", "dev", name, "parent", where, *words)
            machine.run(Command(0, command))
    return links_of(machine)


def _units(words: list[str]) -> list[str]:
    """Return tc's words for NetworkManager's, whose numbers have no unit."""
    made: list[str] = []
    for word, before in zip(words, ["", *words], strict=False):
        number = decimal_of(word)
        if before == "rate" and number is not None:
            made.append(f"{BITS * number}bit")
        elif before in ("latency", "target", "interval", "ce_threshold") and number is not None:
            made.append(f"{word}us")
        else:
            made.append(word)
    return made
