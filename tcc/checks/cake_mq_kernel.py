"""`cake-mq-kernel`."""

import re
from collections.abc import Iterator

from tcc.checks.view import View
from tcc.diagnostics import Diagnostic, warning

MAINLINE = re.compile(r"7\.([01])(?:\.|-|$)")
"""Releases with cake_mq and without the fix, which came with 7.2."""


def check(view: View) -> Iterator[Diagnostic]:
    """Yield a warning for cake_mq on a kernel whose cake_mq is known to be at fault."""
    release = view.facts.kernel if view.facts is not None else ""
    if not MAINLINE.match(release):
        return
    for side in view.sides:
        if side.kind == "cake_mq" and side.rate is not None:
            yield warning(
                "cake-mq-kernel",
                view.at(side, "qdisc"),
                f"cake_mq of Linux {release} may walk through unused queues whenever it shares "
                "the rate out",
                "that is up to 7 x 1024 of them every 200 us and queue, while a packet is sent: "
                "on an IPQ8074A pings took 470 ms under load, and 4 ms with the fix",
                "use 7.2, or a 7.0 or 7.1 that has its commit a3729e0df005; else `qdisc cake`",
            )
