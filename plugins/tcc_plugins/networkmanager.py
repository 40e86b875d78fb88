"""The `networkmanager` back end: a token bucket in a keyfile, all else by a dispatcher script.

NetworkManager knows the options of tbf (rate, burst, latency), fq_codel and sfq, and no others:
an option of cake is an error there. A dispatcher script runs tc's own commands when a
device comes up. A profile without a [tc] section leaves qdiscs alone, so nothing undoes it.

Source: nm-utils.c and nm-setting-tc-config.c of libnm, NetworkManager-dispatcher(8).
"""

from functools import partial
from typing import Any

from tcc.express import (
    FileBackend,
    Loss,
    Request,
    Written,
    header,
    quoted,
)
from tcc.express.commands import script
from tcc.lower import LoweredQdisc
from tcc.lower.ifb import ifb_name
from tcc.plan.state import FileItem, is_tree
from tcc.plugin import Verdict

HOOKS = "etc/NetworkManager/dispatcher.d"
EXECUTABLE = 0o755
US_PER_S = 1_000_000
WHEN = """\
[ "$1" = {device} ] || exit 0
case "$2" in up | vpn-up | reapply) ;; *) exit 0 ;; esac
"""


def _write(request: Request) -> Written:
    files: dict[str, FileItem] = {}
    losses: list[Loss] = []
    for device, ends in request.by_device().items():
        places = {device, ifb_name(device)}
        state = {
            place: item for place, item in request.wanted.state.items() if place.device in places
        }
        egress = ends.get("egress")
        if egress is not None and _has_words(egress):
            files[f"tcc-{_plain(device)}.keyfile"] = FileItem(header(request) + _keyfile(egress))
            losses += _rounded(egress)
            state = {
                place: item
                for place, item in state.items()
                if place.device != device or not is_tree(place)
            }
        if state:
            head = header(request) + WHEN.format(device=quoted(device))
            files[f"{HOOKS}/50-tcc-{_plain(device)}"] = FileItem(
                script(state, list(ends.values()), head), EXECUTABLE
            )
    return Written(files, losses)


def _plain(device: str) -> str:
    return "".join(letter if letter.isalnum() or letter in "._-" else "_" for letter in device)


def _has_words(one: LoweredQdisc) -> bool:
    """Whether the keyfile can say a bucket: no peak, no framing, and a FIFO inside."""
    bucket: Any = one.settings
    if one.kind != "tbf" or bucket.peak or bucket.overhead or bucket.mpu or bucket.linklayer != 1:
        return False
    return all(child.kind == "bfifo" for child in one.children)


def _latency(one: LoweredQdisc) -> int:
    """Return the us in which what waits leaves, beyond the bucket."""
    bucket: Any = one.settings
    return int(max(0, bucket.limit - bucket.burst) * US_PER_S // bucket.rate)


def _keyfile(one: LoweredQdisc) -> str:
    """Return the [tc] section; rates are in bytes per second, times in us."""
    bucket: Any = one.settings
    words = f"tbf rate {bucket.rate} burst {bucket.burst} latency {_latency(one)}"
    return (
        "# Add this to the profile of the device, or say the same by\n"
        f"# nmcli connection modify PROFILE tc.qdiscs {quoted('root handle 1: ' + words)}\n"
        f"[tc]\nqdisc.root=handle 1: {words}\n"
    )


def _rounded(one: LoweredQdisc) -> list[Loss]:
    """Return a loss where a limit in bytes is no whole number of us."""
    bucket: Any = one.settings
    limit = bucket.rate * _latency(one) // US_PER_S + bucket.burst
    if limit == bucket.limit:
        return []
    return [
        Loss(
            one.wish, "latency" if _says_latency(one) else "limit",
            f"NetworkManager counts whole us: a limit of {limit}B in place of {bucket.limit}B",
            verdict=Verdict.APPROXIMATED, span=one.wish.at("qdisc"), within="qdisc",
        )
    ]  # fmt: skip


def _says_latency(one: LoweredQdisc) -> bool:
    return any(said.clause.startswith("latency") for said in one.explained)


NetworkManager = partial(FileBackend, "networkmanager", _write)
"""What NetworkManager should be told."""
