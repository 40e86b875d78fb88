"""The hand-off to cake-autorate: who moves a rate that a policy gives with bounds.

The daemon runs `tc qdisc change root dev IF cake bandwidth ...` on two devices: the one that
sends, and the ifb that what comes in passes. So both must be shaped, by a qdisc of the kind
cake (a change to another kind is refused, or makes a new one), and the kernel's own estimator
must not move the same line.

Source: `defaults.sh`, `config.primary.sh` and `cake-autorate.sh` of cake-autorate 3.
"""

import shlex
from collections.abc import Iterable, Iterator, Mapping

from tcc.express.losses import Loss
from tcc.ir import Bandwidth
from tcc.lower import LoweredQdisc
from tcc.lower.ifb import digest, ifb_name, is_plain

KBIT = 1000
ACTIVE = 2000
"""kbit/s: the daemon's own threshold for a line in use."""
SIDES: Mapping[str, str] = {"dl": "ingress", "ul": "egress"}
KIND = "cake"
Ends = Mapping[str, LoweredQdisc]
"""The qdiscs of one device by direction."""


def moves(one: LoweredQdisc) -> bool:
    """Whether a daemon is to move the rate."""
    bandwidth = one.wish.shaping.bandwidth
    return bandwidth is not None and bandwidth.minimum is not None


def configurations(devices: Mapping[str, Ends], head: str) -> dict[str, str]:
    """Return a configuration, by file name, for each device on which a rate moves."""
    return {
        f"config.{device if is_plain(device) else digest(device)[:12]}.sh": head
        + configuration(ifb_name(device), device, ends)
        for device, ends in devices.items()
        if works(ends)
    }


def losses(devices: Iterable[Ends], code: str = "") -> Iterator[Loss]:
    """Yield what keeps the daemon from doing it; `code` is that of the findings."""
    for ends in devices:
        moving = [one for one in ends.values() if moves(one)]
        for one in moving:
            if len(ends) == 1:
                yield Loss(
                    one.wish, "bandwidth",
                    "cake-autorate takes a download and an upload that are both shaped",
                    ("shape the other direction too, or give one rate",), code=code,
                )  # fmt: skip
            for other in ends.values():
                if getattr(other.settings, "autorate", False):
                    yield Loss(
                        one.wish, "bandwidth",
                        "autorate-ingress of the other direction moves the rate of the same line",
                        ("the daemon takes the load from the rates that it has set itself",
                         "take autorate-ingress out: the daemon moves both"), code=code,
                    )  # fmt: skip
                if other.kind != KIND:
                    yield Loss(
                        one.wish, "bandwidth",
                        f"cake-autorate changes a cake, and {other.wish.direction} is {other.kind}",
                        ("use `qdisc cake` in both directions, or give one rate",), code=code,
                    )  # fmt: skip


def works(ends: Ends) -> bool:
    """Whether a rate of a device moves, and both directions are shaped."""
    return any(moves(one) for one in ends.values()) and set(ends) == set(SIDES.values())


def configuration(download: str, upload: str, ends: Ends) -> str:
    """Return the daemon's configuration of the two devices whose rates it is to move."""
    return "".join(_lines(download, upload, ends))


def _lines(download: str, upload: str, ends: Ends) -> Iterator[str]:
    yield "# For cake-autorate. What it moves is no drift to tcc while it stays in the bounds.\n"
    yield f"dl_if={shlex.quote(download)}\nul_if={shlex.quote(upload)}\n"
    lowest = ACTIVE * KBIT
    for side, direction in SIDES.items():
        bandwidth = ends[direction].wish.shaping.bandwidth
        if bandwidth is None or not isinstance(bandwidth.rate, int):
            yield f"adjust_{side}_shaper_rate=0\n"
            continue
        yield from _rates(side, bandwidth, bandwidth.rate)
        lowest = min(lowest, bandwidth.minimum or lowest)
    # Its own default would be above a floor that is lower.
    yield f"connection_active_thr_kbps={lowest // KBIT}\n"


def _rates(side: str, bandwidth: Bandwidth, rate: int) -> Iterator[str]:
    yield f"adjust_{side}_shaper_rate={int(bandwidth.minimum is not None)}\n"
    low, high = bandwidth.minimum or rate, bandwidth.maximum or rate
    for name, value in (("min", -(-low // KBIT)), ("base", rate // KBIT), ("max", high // KBIT)):
        yield f"{name}_{side}_shaper_rate_kbps={value}\n"
