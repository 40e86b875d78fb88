"""`cake-mq-one-queue`, where the device's name tells it."""

from collections.abc import Iterator

from tcc.checks.devices import is_ifb, is_mobile, is_ppp, is_wireguard
from tcc.checks.view import View
from tcc.diagnostics import Diagnostic, warning


def check(view: View) -> Iterator[Diagnostic]:
    """Yield a warning for cake_mq on a device of a kind that has one transmit queue.

    With facts, the plugin knows how many there are.
    """
    for side in view.sides if view.facts is None else ():
        name = view.name(side)
        one = is_ppp(name) or is_wireguard(name) or is_mobile(name) or is_ifb(name)
        if side.kind == "cake_mq" and side.direction == "egress" and one:
            yield warning(
                "cake-mq-one-queue",
                view.at(side, "qdisc"),
                f"devices such as `{name}` have 1 transmit queue, and cake_mq needs several",
                "the kernel refuses it with no more than `Operation not supported`",
                "use `qdisc cake`, or `qdisc auto`",
            )
