"""One thing that was looked at."""

from typing import Literal, NamedTuple

State = Literal["ok", "look", "unknown"]


class Finding(NamedTuple):
    """How one thing is, and what mends it if it is not right.

    `code` names what was looked at; it does not change between versions.
    """

    code: str
    what: str
    cure: str | None = None
    state: State = "ok"


def ok(code: str, what: str) -> Finding:
    """Return that something is as it should be."""
    return Finding(code, what)


def look(code: str, what: str, cure: str) -> Finding:
    """Return that something is not, with the command that mends it."""
    return Finding(code, what, cure, "look")


def unknown(code: str, what: str) -> Finding:
    """Return that something could not be found out."""
    return Finding(code, what, None, "unknown")
