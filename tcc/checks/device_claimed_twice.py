"""`device-claimed-twice`, where a pattern is seen to match another link's device."""

from collections.abc import Iterator
from fnmatch import fnmatchcase

from tcc.checks.view import Side, View
from tcc.diagnostics import Diagnostic, Severity


def check(view: View) -> Iterator[Diagnostic]:
    """Yield an error for each device that one link names and another's pattern matches.

    Two names are compared when the policy is lowered, and a pattern with the host's devices.
    """
    if view.facts is not None:
        return
    patterns = [side for side in view.sides if side.link.device.matching is not None]
    for side in view.sides:
        name = view.device(side.link, side.path[1])
        for other in patterns if name is not None else ():
            pattern = other.link.device.matching or ""
            if side.direction == other.direction and fnmatchcase(name or "", pattern):
                yield _twice(view, side, other, pattern)


def _twice(view: View, side: Side, other: Side, pattern: str) -> Diagnostic:
    place = view.at_link(other, "device")
    return Diagnostic(
        "device-claimed-twice",
        Severity.ERROR,
        f"two links shape the {side.direction} of `{side.link.device.name}`",
        view.at_link(side, "device"),
        hints=(
            f"`{pattern}` matches it too; the narrower link does not come first",
            "a device has one root qdisc; keep one link, or narrow the pattern",
        ),
        related=(("the pattern", place),) if place else (),
    )
