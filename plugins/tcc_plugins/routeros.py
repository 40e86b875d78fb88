"""The `routeros` back end: a script for MikroTik RouterOS 7.

What leaves goes by an interface queue, whose CAKE shapes by itself. What comes in can only be
shaped by a simple queue: its HTB keeps the rate, so the framing is not counted there.

Source: MikroTik's pages on CAKE and on queues. The spelling of overhead, mpu, atm, wash and
memlimit is that of the queue types of RouterOS 7.1 and later.
"""

from collections.abc import Iterator
from functools import partial

from tcc.express import (
    FileBackend,
    Loss,
    Reasons,
    Request,
    Written,
    cake_losses,
    header,
    is_cake,
    said_of,
    tier_losses,
)
from tcc.lower import LoweredQdisc
from tcc.plan.state import FileItem
from tcc.plugin import Verdict
from tcc.tcwords.cake import CakeSaid

FILE = "tcc.rsc"
ACKS = {"no-ack-filter": "none", "ack-filter": "filter", "ack-filter-aggressive": "aggressive"}
CELLS = {"noatm": "none", "atm": "atm", "ptm": "ptm"}
NEVER = ("split", "fwmark", "ingress")
CHECK = """\
:if ([:len [/ip firewall filter find action=fasttrack-connection disabled=no]] > 0) do={
  :error "FastTrack passes simple queues by: disable its rule first"
}
"""


def _write(request: Request) -> Written:
    lines: list[str] = []
    losses: list[Loss] = []
    ingress = False
    for device, ends in request.by_device().items():
        losses += tier_losses(
            ends, "RouterOS", "set its DSCP by `/ip firewall mangle action=change-dscp`"
        )
        for direction, one in ends.items():
            ingress = ingress or direction == "ingress"
            losses += _losses(one)
            if is_cake(one):
                lines += _queue(device, direction, said_of(one))
    text = header(request) + (CHECK if ingress else "")
    text += "".join(f"{line}\n" for line in lines)
    return Written({FILE: FileItem(text)}, losses)


def quoted(value: str) -> str:
    r"""Return a value in RouterOS's quotes.

    >>> print(quoted('a"b$c'))
    "a\"b\$c"
    """
    return '"' + "".join(f"\\{sign}" if sign in '"\\$' else sign for sign in value) + '"'


def _queue(device: str, direction: str, said: CakeSaid) -> Iterator[str]:
    name = quoted(f"tcc-{device}-{direction}")
    yield f"/queue type remove [find name={name}]"
    yield f"/queue type add name={name} kind=cake " + " ".join(_words(said, direction))
    if direction == "egress":
        yield f"/queue interface set [find interface={quoted(device)}] queue={name}"
        return
    limit = f"{said.rate}/0" if said.rate else "0/0"
    yield f"/queue simple remove [find name={name}]"
    yield (
        f"/queue simple add name={name} target={quoted(device)} max-limit={limit}"
        f" queue={name}/default"
    )


def _words(said: CakeSaid, direction: str) -> Iterator[str]:
    if direction == "egress":
        yield f"cake-bandwidth={said.rate}" if said.rate else "cake-bandwidth=0"
    yield f"cake-autorate-ingress={_yes(said.autorate)}"
    yield f"cake-diffserv={said.mode}"
    yield f"cake-flowmode={said.flow}"
    yield f"cake-nat={_yes(said.nat)}"
    yield f"cake-wash={_yes(said.wash)}"
    yield f"cake-ack-filter={ACKS[said.ack]}"
    yield f"cake-rtt={said.rtt}us"
    if not said.raw:
        yield f"cake-overhead={said.overhead}"
        yield f"cake-mpu={said.mpu}"
        yield f"cake-atm={CELLS[said.cells]}"
    yield f"cake-memlimit={said.memlimit}"


def _yes(flag: bool) -> str:
    return "yes" if flag else "no"


def _losses(one: LoweredQdisc) -> Iterator[Loss]:
    if one.kind != "cake":
        yield Loss(
            one.wish, "qdisc", f"a {one.kind} is not written for RouterOS", ("write `qdisc cake`",)
        )
        return
    said, default = said_of(one), CakeSaid()
    because = dict.fromkeys(NEVER, "its queue types have no such property")
    kept = said._replace(**{name: getattr(default, name) for name in NEVER})
    if said.raw and (said.overhead or said.mpu or said.cells != "noatm"):
        kept = kept._replace(overhead=0, mpu=0, cells="noatm")
        because["overhead"] = "raw sizes have nothing added there"
    ingress = one.wish.direction == "ingress"
    if ingress:
        kept = kept._replace(ingress=said.ingress)
    yield from cake_losses(one, kept, Reasons("RouterOS", because, {}))
    if ingress and said.rate and not said.raw:
        yield Loss(
            one.wish, "framing",
            f"its simple queue keeps the rate and counts no framing: {said.overhead}B per packet",
            ("lower the bandwidth by the share that it has of your packets",),
            verdict=Verdict.APPROXIMATED,
        )  # fmt: skip
    if ingress and said.ingress:
        yield Loss(
            one.wish, "ingress", "its simple queue does not charge what it drops",
            ("lower the bandwidth by some percent more",), verdict=Verdict.APPROXIMATED,
        )  # fmt: skip


RouterOS = partial(FileBackend, "routeros", _write)
"""What RouterOS should be told."""
