"""UCI text: sections and options, quoted so that no value can be read as anything else."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from uciparse.uci import UciConfigLine, UciFile, UciLine, UciOptionLine


@dataclass(frozen=True, slots=True)
class Section:
    """A section, such as `config queue 'NAME'`, with its options in order."""

    name: str
    options: tuple[tuple[str, str], ...]
    kind: str = "queue"


def section_name(link: str) -> str:
    """Return a link's name as UCI takes it: letters, digits and underscores."""
    return "".join(letter if letter.isalnum() else "_" for letter in link)


def section_names(links: Iterable[str]) -> dict[str, str]:
    """Return a section's name for each link; no two are alike.

    >>> section_names(["wan-a", "wan_a"])
    {'wan-a': 'wan_a', 'wan_a': 'wan_a_2'}
    """
    made: dict[str, str] = {}
    for link in links:
        name, number = section_name(link), 1
        while name in made.values():
            number += 1
            name = f"{section_name(link)}_{number}"
        made[link] = name
    return made


def quoted(value: str) -> str:
    r"""Return a value in single quotes; a quote inside ends them, is escaped, and begins anew.

    >>> print(quoted("it's"))
    'it'\''s'
    """
    return "'" + value.replace("'", "'\\''") + "'"


def config_text(sections: Sequence[Section], head: str) -> str:
    """Return a whole file of `/etc/config`; no value has both kinds of quote."""
    lines: list[UciLine] = []
    for section in sections:
        lines.append(UciConfigLine(section.kind, section.name))
        lines += [UciOptionLine(name, value) for name, value in section.options]
    return head + "".join(UciFile(lines).normalized())


def batch_text(sections: Sequence[Section], package: str = "sqm") -> str:
    """Return input for `uci -q batch`: each section is made anew, so nothing old stays in it."""
    lines: list[str] = []
    for section in sections:
        place = f"{package}.{section.name}"
        lines += [f"delete {place}", f"set {place}={quoted(section.kind)}"]
        lines += [f"set {place}.{name}={quoted(value)}" for name, value in section.options]
    return "\n".join([*lines, f"commit {package}"]) + "\n"
