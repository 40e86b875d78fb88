"""What is said of a packet: where it waited and how long, who marked it or dropped it."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from tcc.engine.constants import CE, REASON_NAMES
from tcc.verify.scenario import Scenario

if TYPE_CHECKING:
    from tcc.engine.queue_disc import QueueDisc
    from tcc.engine.tap import Queue

DROPPED = {
    "overlimit": "by overflow of the queue",
    "flow_limit": "by overflow of its flow's queue",
    "band_limit": "by overflow of its band's queue",
    "horizon_limit": "by the horizon: it was to leave too late",
    "congested": "by {aqm}",
    "flood_protection": "by CAKE's BLUE: its flow does not slow down",
    "ack_filter": "by the ACK filter: a later acknowledgement says as much",
    "queue_purge": "with its queue",
    "too_long": "by the bucket, which is too small for it",
    "unclassified": "by the filters: none chose a flow for it",
    "qdisc_drop": "by the qdisc",
}
"""By the kernel's name of the reason, which is said, too."""


def aqm_of(scenario: Scenario, direction: str) -> str:
    """Say whose AQM is at work in a direction."""
    shaped = scenario.shaped(direction)
    if shaped is None:
        return "nobody"
    kind = shaped.children[0].kind if shaped.children else shaped.kind
    return "CAKE's AQM" if kind.startswith("cake") else f"{kind}'s AQM"


def crossed(row: Mapping[str, int], now: int, queue: str, aqm: str) -> str:
    """Return what is said of a packet that crossed.

    Args:
        row: the packet; no sender here sets CE, so one that has it was marked in this qdisc.
        now: ns.
        queue: of a CAKE, where it waited.
        aqm: whose AQM is at work.
    """
    said = f"{queue}{_duration(now - row['enqueue_time'])} in the queue"
    if row["tos"] & CE == CE:
        said += f"; ECN CE set by {aqm}"
    if row["gso_segs"] > 1:
        said += (
            f"; a super-packet of {row['gso_segs']} segments, {row['length']} bytes on their own"
        )
    return said


def dropped(row: Mapping[str, int], now: int, aqm: str) -> str:
    """Return what is said of a packet that was dropped."""
    reason = REASON_NAMES[row["reason"]]
    waited = now - row["enqueue_time"]
    when = f"after {_duration(waited)} in the queue" if waited else "as it came"
    return f"dropped {DROPPED[reason].format(aqm=aqm)}; {reason}, {when}"


def _duration(duration: int) -> str:
    """Return ns as ms, cut to whole us."""
    whole, rest = divmod(duration // 1000, 1000)
    return f"{whole}.{rest:03}ms"


class Queues:
    """Says which queue of a CAKE a packet was in.

    Args:
        qdisc: any; of one that is no CAKE nothing is said.
    """

    def __init__(self, qdisc: "QueueDisc") -> None:
        from tcc.engine.cake.qdisc import Cake  # noqa: PLC0415
        from tcc.engine.cake.statistics import tin_names  # noqa: PLC0415

        self._tins: dict[int, str] = {}
        self._sources = self._destinations = False
        if isinstance(qdisc, Cake):
            names, mode = tin_names(qdisc), qdisc.config.flow_mode
            self._tins = {qdisc.tin_of_position(at): name for at, name in enumerate(names)}
            self._sources, self._destinations = mode & 5 == 5, mode & 6 == 6

    def name(self, queue: "Queue | None") -> str:
        """Return `tin Voice, flow 17, ` and the hosts if they count; nothing of other qdiscs."""
        if queue is None:
            return ""
        tin, slot, source, destination = queue
        said = f"tin {self._tins[tin]}, flow {slot}, "
        if self._sources:
            said += f"source host {source}, "
        if self._destinations:
            said += f"destination host {destination}, "
        return said
