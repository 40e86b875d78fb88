"""OpenWrt's configuration files, read by uciparse; what that does not take is read line by line.

uciparse refuses a file for one line that libuci would take, such as a value with an escaped quote.
"""

import re
import shlex
from collections.abc import Sequence
from dataclasses import dataclass, field

from tcc.importing.found import Imported, Kind

_LINE = re.compile(r"\s*(config|option|list)\s+(.*)")


@dataclass(slots=True)
class Section:
    """A section: its type, its name (empty for an anonymous one) and its options."""

    kind: str
    name: str
    options: dict[str, str] = field(default_factory=dict)
    line: int = 0


def read_uci(text: str, imported: Imported) -> Sequence[Section]:
    """Return the sections; a list's values are joined by blanks.

    A line that libuci would not take is remarked on: for its sake it refuses the whole file.
    """
    from uciparse.uci import (  # noqa: PLC0415  (few commands read UCI)
        UciConfigLine,
        UciFile,
        UciListLine,
        UciOptionLine,
        UciParseError,
    )

    found: list[Section] = []
    for number, line in enumerate(text.splitlines(), 1):
        try:
            parsed = UciFile.from_lines([line]).lines
        except UciParseError:
            if not _by_words(line, number, found):
                imported.say(
                    Kind.SUSPICIOUS, "uci-refuses",
                    "UCI does not understand this line, and so takes nothing of the file", number,
                )  # fmt: skip
            continue
        for one in parsed:
            if isinstance(one, UciConfigLine):
                found.append(Section(one.section, one.name or "", {}, number))
            elif isinstance(one, UciOptionLine) and found:
                found[-1].options[one.name] = one.value
            elif isinstance(one, UciListLine) and found:
                _append(found[-1], one.name, one.value)
    return found


def _append(section: Section, name: str, value: str) -> None:
    before = section.options.get(name)
    section.options[name] = value if before is None else f"{before} {value}"


def _by_words(line: str, number: int, found: list[Section]) -> bool:
    """Read a line as a shell would; whether that makes sense."""
    match = _LINE.match(line)
    if match is None:
        return False
    try:
        words = shlex.split(match[2], comments=True)
    except ValueError:
        return False
    if match[1] == "config" and words:
        found.append(Section(words[0], words[1] if len(words) > 1 else "", {}, number))
    elif len(words) >= 2 and found:
        if match[1] == "option":
            found[-1].options[words[0]] = words[1]
        else:
            _append(found[-1], words[0], words[1])
    return True
