"""The `ifupdown-ng` back end: its `cake` and `cake-ingress` executors.

All of CAKE goes by `cake-args`, which overrides the keys of single options: of those, the ones
that are switched off by `no` are switched on. The executor replaces a qdisc and so changes a live
one, where tc cannot take back mpu, memlimit and fwmark: take the device down first.

Source: executor-scripts/linux/cake and cake-ingress of ifupdown-ng.
"""

from collections.abc import Iterator
from functools import partial

from tcc.express import (
    FileBackend,
    Loss,
    Request,
    Written,
    header,
    tier_losses,
    unnameable,
)
from tcc.lower import LoweredQdisc
from tcc.lower.ifb import ifb_name
from tcc.plan.state import FileItem
from tcc.plugin import qdisc

FILE = "etc/network/interfaces.d/tcc"


def _write(request: Request) -> Written:
    stanzas: list[str] = []
    losses: list[Loss] = []
    for device, ends in request.by_device().items():
        if lost := list(unnameable(ends, "ifupdown-ng", device)):
            losses += lost
            continue
        losses += tier_losses(ends, "ifupdown-ng")
        for direction, one in ends.items():
            losses += _losses(one)
            if one.kind == "cake":
                stanzas.append(_stanza(device, direction, one))
    text = header(request) + "# Stanzas of one interface add up: yours for the device stays.\n"
    return Written({FILE: FileItem("\n".join([text, *stanzas]))}, losses)


def _stanza(device: str, direction: str, one: LoweredQdisc) -> str:
    words = " ".join(qdisc(one.kind).command(one.settings))
    if direction == "egress":
        return f"auto {device}\niface {device}\n    use cake\n    cake-args {words}\n"
    ifb = ifb_name(device)
    return (
        f"auto {ifb}\niface {ifb}\n    use cake-ingress\n    cake-ingress-dev {device}\n"
        f"    use cake\n    cake-args {words}\n"
    )


def _losses(one: LoweredQdisc) -> Iterator[Loss]:
    wish = one.wish
    if one.kind != "cake":
        yield Loss(
            wish, "qdisc", f"ifupdown-ng has no executor for {one.kind}",
            ("its only one for qdiscs is `cake`", "write `qdisc cake`"),
        )  # fmt: skip
    if wish.shaping.backpressure is not None and one.sysctls:
        yield Loss(wish, "backpressure", "ifupdown-ng sets no sysctl")


IfupdownNg = partial(FileBackend, "ifupdown-ng", _write)
"""What ifupdown-ng should be told."""
