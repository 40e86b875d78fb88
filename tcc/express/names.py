"""Names of devices in files that have no way to quote them."""

import re
from collections.abc import Iterator, Mapping
from typing import Final

from tcc.express.losses import Loss
from tcc.lower import LoweredQdisc

PLAIN: Final = re.compile(r"[A-Za-z0-9._-]+")
"""Names that stand for themselves in a path, in a list of patterns, and in a command."""


def unnameable(ends: Mapping[str, LoweredQdisc], system: str, device: str) -> Iterator[Loss]:
    """Yield the losses of a device whose name a system would take for something else.

    Linux takes nearly any sign in a name: `*`, `;` and `$(...)` as well.
    """
    if PLAIN.fullmatch(device):
        return
    for one in ends.values():
        yield Loss(
            one.wish, "device", f"{system} has no way to write the name `{device}`",
            ("give the device a name of letters, digits, `.`, `-`, `_`",),
        )  # fmt: skip
