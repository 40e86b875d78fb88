"""UCI text: sections and options, quoted so that no value can be read as anything else."""

from collections.abc import Sequence
from dataclasses import dataclass

from tcc import __version__


@dataclass(frozen=True, slots=True)
class Section:
    """A `config queue 'NAME'` with its options in order."""

    name: str
    options: tuple[tuple[str, str], ...]


def section_name(link: str) -> str:
    """Return a link's name as UCI takes it: letters, digits and underscores."""
    return "".join(letter if letter.isalnum() else "_" for letter in link)


def quoted(value: str) -> str:
    r"""Return a value in single quotes; a quote inside ends them, is escaped, and begins anew.

    >>> print(quoted("it's"))
    'it'\''s'
    """
    return "'" + value.replace("'", "'\\''") + "'"


def config_text(sections: Sequence[Section], digest: str) -> str:
    """Return the whole of `/etc/config/sqm`."""
    lines = [
        f"# Written by tcc {__version__} from a policy with the SHA-256 {digest}.",
        "# /etc/init.d/sqm enable; /etc/init.d/sqm restart",
    ]
    for section in sections:
        lines += ["", f"config queue {quoted(section.name)}"]
        lines += [f"\toption {name} {quoted(value)}" for name, value in section.options]
    return "\n".join(lines) + "\n"


def batch_text(sections: Sequence[Section]) -> str:
    """Return input for `uci -q batch`: each section is made anew, so nothing old stays in it."""
    lines: list[str] = []
    for section in sections:
        place = f"sqm.{section.name}"
        lines += [f"delete {place}", f"set {place}={quoted('queue')}"]
        lines += [f"set {place}.{name}={quoted(value)}" for name, value in section.options]
    return "\n".join([*lines, "commit sqm"]) + "\n"
