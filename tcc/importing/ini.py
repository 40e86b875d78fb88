"""Files of sections and settings, where a section may be there several times, in order."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

_SECTION = re.compile(r"\[([^\]]+)\]\s*")


@dataclass(slots=True)
class Part:
    """One section."""

    name: str
    line: int
    settings: dict[str, str] = field(default_factory=dict)


def parts(text: str) -> Iterator[Part]:
    """Yield the sections; comments begin with `#` or `;`, a backslash at the end goes on."""
    part: Part | None = None
    held = ""
    for number, line in enumerate(text.splitlines(), 1):
        written = line.strip()
        if written.startswith(("#", ";")) or not (written or held):
            continue
        if written.endswith("\\"):
            held += written[:-1] + " "
            continue
        written, held = held + written, ""
        section = _SECTION.fullmatch(written)
        if section:
            if part is not None:
                yield part
            part = Part(section[1], number)
        elif part is not None and "=" in written:
            name, _, value = written.partition("=")
            part.settings[name.strip()] = value.strip()
    if part is not None:
        yield part
