"""Which kinds of qdisc this kernel has, found out by trying.

A version number says nothing: kernels are built without modules, and modules are backported.
So each kind is tried on a device that we make in a network namespace that we make, in a child
process; both are gone when it ends. Without root a user namespace may allow as much.
"""

import ctypes
import errno
import os
import sys
from collections.abc import Iterable
from typing import Final

from tcc.netlink import links, qdisc
from tcc.netlink.handle import INGRESS, INGRESS_HANDLE, ROOT, Handle
from tcc.netlink.namespace import CLONE_NEWNET
from tcc.netlink.qdisc import QdiscMessage
from tcc.netlink.transport import RouteSocket

CLONE_NEWUSER: Final = 0x10000000
CANDIDATES: Final = (
    "bfifo", "cake", "cake_mq", "clsact", "codel", "fq", "fq_codel", "fq_pie", "htb", "ingress",
    "mq", "netem", "pfifo", "pfifo_fast", "pie", "prio", "sfq", "tbf",
)  # fmt: skip
_QUEUES: Final = 4  # cake_mq and mq take only devices with several
_DEVICES: Final = ("tcc-try0", "tcc-try1")


def probe(candidates: Iterable[str] = CANDIDATES) -> tuple[str, ...] | None:
    """Return those `candidates` that this kernel has, sorted; None when it cannot be tried."""
    reading, writing = os.pipe()
    sys.stdout.flush()
    child = os.fork()
    if child == 0:
        _in_child(writing, sorted(set(candidates)))
    os.close(writing)
    with os.fdopen(reading, "rb") as pipe:
        told = pipe.read().decode()
    _, status = os.waitpid(child, 0)
    if os.waitstatus_to_exitcode(status) != 0:
        return None
    return tuple(told.split())


def _in_child(writing: int, candidates: list[str]) -> None:
    """Try, tell, and end the process without running anything of its parent's."""
    status = 1
    try:
        _leave()
        os.write(writing, " ".join(_known(candidates)).encode())
        status = 0
    except OSError:
        pass
    finally:
        os._exit(status)


def _leave() -> None:
    """Go to a new network namespace, with a new user namespace where that is what it takes."""
    libc = ctypes.CDLL(None, use_errno=True)
    for flags in (CLONE_NEWNET, CLONE_NEWNET | CLONE_NEWUSER):
        if libc.unshare(flags) == 0:
            return
    number = ctypes.get_errno()
    raise OSError(number, os.strerror(number))


def _known(candidates: list[str]) -> list[str]:
    with RouteSocket() as route:
        route.request(links.create_veth(*_DEVICES, tx_queues=_QUEUES, rx_queues=_QUEUES))
        number = links.by_name(route, _DEVICES[0]).ifindex
        return [kind for kind in candidates if _has(route, number, kind)]


def _has(route: RouteSocket, number: int, kind: str) -> bool:
    """Whether the kernel knows `kind`.

    It is asked for without options, which some kinds refuse; only ENOENT says that there is
    no such kind (net/sched/sch_api.c, qdisc_create(): "Specified qdisc kind is unknown").
    """
    hook = kind in {"ingress", "clsact"}
    parent, handle = (INGRESS, INGRESS_HANDLE) if hook else (ROOT, Handle.of(1))
    wanted = QdiscMessage(number, handle, parent, kind)
    ack = route.batch([qdisc.add(wanted)])[0]
    if ack.ok:
        route.request(qdisc.delete(QdiscMessage(number, handle, parent)))
    return ack.errno != errno.ENOENT
