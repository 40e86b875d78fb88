"""The document of `tcc status --json`: its fields, their units, their JSON Schema.

Counters count since the qdisc was made. What ends in `_s` is over `interval_ns`, null where
there was only one look, or where the counters were not those of the same qdisc. Rates are
bit/s, sizes bytes. Fields may be added within a version; none changes its meaning or goes.
"""

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, Final, Literal

if TYPE_CHECKING:
    from pydantic import TypeAdapter

VERSION: Final = 1


@dataclass(frozen=True, slots=True)
class Tin:
    """One tin of a CAKE.

    `arrived_*` count packets that came to the tin, whether they were dropped later or not;
    `dropped_packets` leaves out the ACKs that the filter took. Delays are as CAKE averages
    them, in us; of the queues of a cake_mq together they are the worst of any, and the
    base the least.
    """

    index: int
    name: str
    rate_bit_s: int | None
    """What arrived in the interval."""
    drops_s: int | None
    marks_s: int | None
    arrived_bytes: int
    arrived_packets: int
    dropped_packets: int
    marked_packets: int
    acks_dropped: int
    backlog_bytes: int
    peak_delay_us: int
    average_delay_us: int
    base_delay_us: int
    sparse_flows: int
    bulk_flows: int
    unresponsive_flows: int
    threshold_bit_s: int
    """The share of the rate up to which the tin has its priority; 0 without a rate."""
    target_us: int
    interval_us: int
    quantum_bytes: int
    longest_packet_bytes: int
    way_indirect_hits: int
    way_misses: int
    way_collisions: int


@dataclass(frozen=True, slots=True)
class Memory:
    """What packets take; `used_bytes` is the most that it ever was where `peak` is true."""

    used_bytes: int
    limit_bytes: int | None
    peak: bool


@dataclass(frozen=True, slots=True)
class Qdisc:
    """One qdisc; `at` is `root`, or the class of the root that it hangs on."""

    at: str
    kind: str
    handle: str
    bandwidth_bit_s: int | None
    """What it is set to; null where it is unlimited, or of a kind that has no rate."""
    rate_bit_s: int | None
    """What left in the interval."""
    packets_s: int | None
    drops_s: int | None
    sent_bytes: int
    sent_packets: int
    dropped_packets: int
    overlimits: int
    requeues: int
    backlog_bytes: int
    backlog_packets: int
    marked_packets: int | None
    """Null for kinds that do not count marks."""
    memory: Memory | None
    capacity_bit_s: int | None
    """CAKE's estimate of the line, where autorate-ingress makes one."""
    active_queues: int | None
    """Of a queue of a cake_mq: how many queues it saw busy when it last looked."""
    tins: tuple[Tin, ...]


@dataclass(frozen=True, slots=True)
class Redirect:
    """How packets come to the device on which ingress is shaped.

    `state`: `ok`; `dead` when it leads to a device that is gone, so that every packet is lost;
    `elsewhere` when it leads to another device; `missing` when there is none, so that nothing
    is shaped; `lossy` when in the interval packets were redirected and none arrived.
    """

    state: Literal["ok", "dead", "elsewhere", "missing", "lossy"]
    to: str
    packets: int | None
    """How many it has redirected; null where the kernel does not count."""


@dataclass(frozen=True, slots=True)
class Shaper:
    """One direction of one device.

    `device` is whose packets they are, `on` where the qdisc is: an ifb for ingress. `link` is
    that of the policy which was applied, null for what is not ours. `parts` are the queues of
    a cake_mq, of which `root` is the sum, or what hangs inside the root.
    """

    link: str | None
    direction: Literal["egress", "ingress"]
    device: str
    on: str
    root: Qdisc
    parts: tuple[Qdisc, ...]
    redirect: Redirect | None


@dataclass(frozen=True, slots=True)
class Change:
    """One thing that is not as it was applied."""

    device: str
    at: str
    what: str
    wanted: str
    found: str


@dataclass(frozen=True, slots=True)
class LiveSetting:
    """What `tcc set` has altered since the policy was applied; that is no drift."""

    link: str
    direction: Literal["egress", "ingress"]
    clause: str
    value: str
    when: str


@dataclass(frozen=True, slots=True)
class Drift:
    """Whether what runs is what was applied.

    `state`: `none`; `drifted`; `nothing-applied` where nothing of ours should be here;
    `unknown` where what was applied cannot be read, which `why` then explains.
    """

    state: Literal["none", "drifted", "nothing-applied", "unknown"]
    why: str
    applied: str
    """When the newest policy was applied, local time with its offset; empty if none was."""
    changes: tuple[Change, ...]
    settings: tuple[LiveSetting, ...]


@dataclass(frozen=True, slots=True)
class Status:
    """Everything; `time_ns` is since 1970."""

    version: Literal[1]
    time_ns: int
    interval_ns: int | None
    shapers: tuple[Shaper, ...]
    drift: Drift


@cache
def adapter() -> "TypeAdapter[Status]":
    """Return what turns a `Status` into JSON and back."""
    from pydantic import TypeAdapter  # noqa: PLC0415  (only JSON needs it)

    return TypeAdapter(Status)


def as_json(status: Status, indent: int | None = 2) -> str:
    """Return the document as JSON."""
    return adapter().dump_json(status, indent=indent).decode()


def json_schema() -> dict[str, Any]:
    """Return the JSON Schema (draft 2020-12) of the document."""
    made = adapter().json_schema(mode="serialization")
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": f"urn:tcc:status:{VERSION}",
        **made,
    }
