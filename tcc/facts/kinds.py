"""Which kinds of qdisc, filter, action and device this kernel has, found out by trying.

A version number says nothing: kernels are built without modules, and modules are backported.
So each kind is tried on a device that we make in a network namespace that we make, in a child
process; both are gone when it ends. Without root a user namespace may allow as much.
"""

import ctypes
import errno
import os
import subprocess
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from tcc.netlink import actions, filters, links, qdisc
from tcc.netlink.filters import FilterMessage, everything
from tcc.netlink.handle import CLSACT_INGRESS, INGRESS, INGRESS_HANDLE, ROOT, Handle
from tcc.netlink.namespace import CLONE_NEWNET
from tcc.netlink.qdisc import QdiscMessage
from tcc.netlink.transport import RouteSocket
from tcc.netlink.wire import Pair

CLONE_NEWUSER: Final = 0x10000000
CANDIDATES: Final = (
    "bfifo", "cake", "cake_mq", "clsact", "codel", "fq", "fq_codel", "fq_pie", "htb", "ingress",
    "mq", "netem", "pfifo", "pfifo_fast", "pie", "prio", "sfq", "tbf",
)  # fmt: skip
_QUEUES: Final = 4  # cake_mq and mq take only devices with several
_DEVICES: Final = ("tcc-try0", "tcc-try1")


FILTERS: Final = ("bpf", "flower", "fw", "matchall", "u32")
ACTIONS: Final = ("ctinfo", "gact", "mirred", "skbedit")
_PREF: Final = 1


@dataclass(frozen=True, slots=True)
class Kinds:
    """What a kernel has, each sorted."""

    qdiscs: tuple[str, ...] = ()
    filters: tuple[str, ...] = ()
    actions: tuple[str, ...] = ()
    links: tuple[str, ...] = ()
    nft: bool = False


def probe(candidates: Iterable[str] = CANDIDATES) -> Kinds | None:
    """Return what this kernel has, of qdiscs among `candidates`; None when it cannot be tried."""
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
    *lists, nft = told.split("\n")
    qdiscs, filters_, actions_, links_ = (tuple(line.split()) for line in lists)
    return Kinds(qdiscs, filters_, actions_, links_, nft == "yes")


def _in_child(writing: int, candidates: list[str]) -> None:
    """Try, tell, and end the process without running anything of its parent's."""
    status = 1
    try:
        _leave()
        os.write(writing, "\n".join(_all(candidates)).encode())
        status = 0
    except OSError:
        pass
    finally:
        os._exit(status)


def _leave() -> None:
    """Go to a new network namespace, with a new user namespace where that is what it takes."""
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.unshare(CLONE_NEWNET) == 0:
        return
    user = os.geteuid()
    if libc.unshare(CLONE_NEWNET | CLONE_NEWUSER) == 0:
        # Programs keep their capabilities only as root (user_namespaces(7)): nft is one.
        with open("/proc/self/uid_map", "w", encoding="ascii") as file:
            file.write(f"0 {user} 1")
        return
    number = ctypes.get_errno()
    raise OSError(number, os.strerror(number))


def _all(candidates: list[str]) -> Iterator[str]:
    with RouteSocket() as route:
        route.request(links.create_veth(*_DEVICES, tx_queues=_QUEUES, rx_queues=_QUEUES))
        number = links.by_name(route, _DEVICES[0]).ifindex
        yield " ".join(kind for kind in candidates if _has(route, number, kind))
        hook = QdiscMessage(number, INGRESS_HANDLE, INGRESS, "ingress")
        route.batch([qdisc.add(hook)])
        filters_ = [kind for kind in FILTERS if _has_filter(route, number, kind)]
        yield " ".join(filters_)
        yield " ".join(kind for kind in ACTIONS if _has_action(route, number, kind, filters_))
        made = route.batch([links.create_ifb("tcc-try2")])[0]
        yield "veth ifb" if made.ok else "veth"
    yield "yes" if _has_nft() else "no"


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


def _has_filter(route: RouteSocket, number: int, kind: str) -> bool:
    """Whether the kernel knows a kind of filter; likewise (tc_new_tfilter())."""
    return _try_filter(route, number, kind, None) != errno.ENOENT


def _has_action(route: RouteSocket, number: int, kind: str, known: Sequence[str]) -> bool:
    """Whether the kernel knows an action (tcf_action_init_1(): ENOENT), by the first that does."""
    for filter_kind in ("matchall", "u32"):
        if filter_kind in known:
            tried = everything(filter_kind, [actions.action(kind, _TRIED[kind])])
            return _try_filter(route, number, filter_kind, tried) != errno.ENOENT
    return False


_NEXT: Final = {"action": actions.TC_ACT_PIPE}
_TRIED: Final[Mapping[str, list[Pair]]] = {
    "ctinfo": [("ACT", _NEXT), ("PARMS_DSCP_MASK", 63), ("PARMS_DSCP_STATEMASK", 128)],
    "gact": [("PARMS", _NEXT)],
    "mirred": [
        ("PARMS", {"action": actions.TC_ACT_STOLEN, "eaction": actions.EGRESS_REDIRECT,
                   "ifindex": 1})
    ],
    "skbedit": [("PARMS", _NEXT), ("PRIORITY", 0)],
}  # fmt: skip


def _try_filter(route: RouteSocket, number: int, kind: str, options: bytes | None) -> int:
    message = FilterMessage(number, CLSACT_INGRESS, _PREF, kind=kind, options=options)
    ack = route.batch([filters.add(message)])[0]
    if ack.ok:
        route.request(filters.delete(FilterMessage(number, CLSACT_INGRESS, _PREF)))
    return ack.errno


def _has_nft() -> bool:
    """Whether nft(8) can make a table here."""
    try:
        done = subprocess.run(
            ["nft", "add", "table", "inet", "tcc-try"],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            check=False,
        )
    except OSError:
        return False
    return done.returncode == 0
