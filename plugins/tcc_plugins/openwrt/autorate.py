"""cake-autorate beside sqm, where a policy gives a rate with bounds.

Source: `defaults.sh` and `config.primary.sh` of cake-autorate, whose variables these are.
"""

from collections.abc import Iterator, Sequence

from tcc.diagnostics import Diagnostic, note
from tcc.express import Loss
from tcc.ir import Bandwidth
from tcc.lower import LoweredQdisc
from tcc.plan.state import FileItem
from tcc.tcwords.sqm import KBIT, ifb_of
from tcc_plugins.openwrt.links import Shaped
from tcc_plugins.openwrt.uci import quoted

FOLDER = "root/cake-autorate"
SIDES = {"dl": "ingress", "ul": "egress"}


def autorate_files(made: Sequence[Shaped], head: str) -> dict[str, FileItem]:
    """Return a configuration of cake-autorate for each device whose rate moves."""
    return {
        f"{FOLDER}/config.{one.section.name}.sh": FileItem(head + "".join(_lines(one)))
        for one in made
        if any(_moves(end) for end in one.ends.values())
    }


def autorate_losses(made: Sequence[Shaped]) -> Iterator[Loss]:
    """Yield a loss where the daemon cannot do it: it always watches both directions."""
    for one in made:
        if len(one.ends) == 1:
            for end in one.ends.values():
                if _moves(end):
                    yield Loss(
                        end.wish, "bandwidth",
                        "cake-autorate takes a download and an upload that are both shaped",
                        ("shape the other direction too, or give one rate",), code="sqm-cannot",
                    )  # fmt: skip


def autorate_notes(made: Sequence[Shaped]) -> Iterator[Diagnostic]:
    """Yield `sqm-daemon-rate` for each rate that another daemon has to move."""
    for one in made:
        for end in one.ends.values():
            if _moves(end):
                yield note(
                    "sqm-daemon-rate",
                    end.wish.at("bandwidth"),
                    "sqm keeps the rate that it starts with: cake-autorate moves it",
                    f"its configuration is among the files: {FOLDER}/config.{one.section.name}.sh",
                )


def _moves(end: LoweredQdisc) -> bool:
    bandwidth = end.wish.shaping.bandwidth
    return bandwidth is not None and bandwidth.minimum is not None


def _lines(one: Shaped) -> Iterator[str]:
    yield "# For cake-autorate, beside sqm: it moves the rates that sqm starts with.\n"
    yield f"dl_if={quoted(ifb_of(one.device))}\nul_if={quoted(one.device)}\n"
    for side, direction in SIDES.items():
        end = one.ends.get(direction)
        bandwidth = end.wish.shaping.bandwidth if end else None
        if bandwidth is not None and isinstance(bandwidth.rate, int):
            yield from _rates(side, bandwidth, bandwidth.rate)
    lowest = min(
        bandwidth.minimum
        for end in one.ends.values()
        if (bandwidth := end.wish.shaping.bandwidth) and bandwidth.minimum is not None
    )
    # Its own default of 2000 would be above a floor that is lower.
    yield f"connection_active_thr_kbps={min(2000, lowest // KBIT)}\n"


def _rates(side: str, bandwidth: Bandwidth, rate: int) -> Iterator[str]:
    moves = bandwidth.minimum is not None
    low, high = bandwidth.minimum or rate, bandwidth.maximum or rate
    yield f"adjust_{side}_shaper_rate={int(moves)}\n"
    for name, value in (("min", low), ("base", rate), ("max", high)):
        yield f"{name}_{side}_shaper_rate_kbps={value // KBIT}\n"
