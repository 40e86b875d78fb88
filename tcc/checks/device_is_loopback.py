"""`device-is-loopback`."""

from collections.abc import Iterator

from tcc.checks.view import View
from tcc.diagnostics import Diagnostic, warning

LOOPBACK = "lo"


def check(view: View) -> Iterator[Diagnostic]:
    """Yield a warning for a link that shapes what this machine sends to itself."""
    for index, link in enumerate(view.policy.links):
        if view.device(link, index) == LOOPBACK:
            yield warning(
                "device-is-loopback",
                view.span("links", index, "device"),
                "what passes `lo` stays in this machine, and no line is behind it",
                "its packets are of up to 65536 bytes, and programs of this machine that talk to "
                "each other are slowed down, while the line keeps its queue",
                "name the device that leads to the line",
            )
