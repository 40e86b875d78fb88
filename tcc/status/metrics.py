"""The status as OpenMetrics text (the OpenMetrics specification, version 1.0).

It is also what node_exporter's textfile collector and Prometheus take for their older text
format: what is new here is a comment there.

A cake_mq is there as the sum of its queues (`at="root"`) and queue by queue, so choose one
`at` before adding up.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from tcc.status.model import Qdisc, Shaper, Status, Tin

CONTENT_TYPE: Final = "application/openmetrics-text; version=1.0.0; charset=utf-8"
OLDER_TYPE: Final = "text/plain; version=0.0.4; charset=utf-8"
US_PER_S: Final = 1_000_000
Labels = Mapping[str, str]


class Family(NamedTuple):
    """One metric of a qdisc or a tin; a counter's name has no `_total` here."""

    name: str
    kind: str
    about: str
    value: Callable[[Qdisc], int | None]


class TinFamily(NamedTuple):
    """One metric of a tin; `scale` is what its numbers are divided by."""

    name: str
    kind: str
    about: str
    field: str
    scale: int = 1


QDISC: Final = (
    Family("tcc_qdisc_sent_bytes", "counter", "Bytes that left the qdisc.",
           lambda one: one.sent_bytes),
    Family("tcc_qdisc_sent_packets", "counter", "Packets that left the qdisc.",
           lambda one: one.sent_packets),
    Family("tcc_qdisc_dropped_packets", "counter", "Packets that were dropped.",
           lambda one: one.dropped_packets),
    Family("tcc_qdisc_marked_packets", "counter", "Packets marked by ECN.",
           lambda one: one.marked_packets),
    Family("tcc_qdisc_overlimits", "counter", "Times that the rate held a packet back.",
           lambda one: one.overlimits),
    Family("tcc_qdisc_requeues", "counter", "Packets that the device gave back.",
           lambda one: one.requeues),
    Family("tcc_qdisc_backlog_bytes", "gauge", "Bytes that wait.", lambda one: one.backlog_bytes),
    Family("tcc_qdisc_backlog_packets", "gauge", "Packets that wait.",
           lambda one: one.backlog_packets),
    Family("tcc_qdisc_bandwidth_bits_per_second", "gauge", "The rate that is set.",
           lambda one: one.bandwidth_bit_s),
    Family("tcc_qdisc_capacity_bits_per_second", "gauge", "CAKE's estimate of the line.",
           lambda one: one.capacity_bit_s),
    Family("tcc_qdisc_memory_bytes", "gauge",
           "Memory of packets: of CAKE the most ever, of fq_codel now.",
           lambda one: one.memory.used_bytes if one.memory else None),
    Family("tcc_qdisc_memory_limit_bytes", "gauge", "The most memory that packets may take.",
           lambda one: one.memory.limit_bytes if one.memory else None),
    Family("tcc_qdisc_active_queues", "gauge", "Queues of a cake_mq that this one saw busy.",
           lambda one: one.active_queues),
)  # fmt: skip
TIN: Final = (
    TinFamily("tcc_tin_arrived_bytes", "counter", "Bytes that came to the tin.", "arrived_bytes"),
    TinFamily("tcc_tin_arrived_packets", "counter", "Packets that came to the tin, dropped or not.",
              "arrived_packets"),
    TinFamily("tcc_tin_dropped_packets", "counter", "Packets that were dropped.",
              "dropped_packets"),
    TinFamily("tcc_tin_marked_packets", "counter", "Packets marked by ECN.", "marked_packets"),
    TinFamily("tcc_tin_acks_dropped", "counter", "ACKs that the filter took.", "acks_dropped"),
    TinFamily("tcc_tin_backlog_bytes", "gauge", "Bytes that wait.", "backlog_bytes"),
    TinFamily("tcc_tin_peak_delay_seconds", "gauge", "Time in the queue: a slow-falling peak.",
              "peak_delay_us", US_PER_S),
    TinFamily("tcc_tin_average_delay_seconds", "gauge", "Time in the queue: a moving average.",
              "average_delay_us", US_PER_S),
    TinFamily("tcc_tin_base_delay_seconds", "gauge", "Time in the queue: a slow-rising least.",
              "base_delay_us", US_PER_S),
    TinFamily("tcc_tin_sparse_flows", "gauge", "Flows with little to send.", "sparse_flows"),
    TinFamily("tcc_tin_bulk_flows", "gauge", "Flows with a queue.", "bulk_flows"),
    TinFamily("tcc_tin_unresponsive_flows", "gauge", "Flows that do not slow down.",
              "unresponsive_flows"),
    TinFamily("tcc_tin_threshold_bits_per_second", "gauge",
              "The rate up to which the tin has its priority.", "threshold_bit_s"),
)  # fmt: skip
UNITS: Final = ("bytes", "seconds")


def as_openmetrics(status: Status) -> str:
    """Return the whole status, `# EOF` included."""
    lines: list[str] = []
    qdiscs = list(_qdiscs(status.shapers))
    for family in QDISC:
        rows = [
            (labels, str(value))
            for labels, one in qdiscs
            if (value := family.value(one)) is not None
        ]
        lines += _family(family.name, family.kind, family.about, rows)
    tins = list(_tins(qdiscs))
    for one in TIN:
        rows = [(labels, _scaled(getattr(tin, one.field), one.scale)) for labels, tin in tins]
        lines += _family(one.name, one.kind, one.about, rows)
    lines += _redirects(status.shapers)
    lines += _drift(status)
    return "\n".join([*lines, "# EOF"]) + "\n"


def _qdiscs(shapers: Sequence[Shaper]) -> Iterator[tuple[str, Qdisc]]:
    """Yield every qdisc with its labels."""
    for shaper in shapers:
        for one in (shaper.root, *shaper.parts):
            yield _labels({**_of(shaper), "kind": one.kind, "at": one.at}), one


def _tins(qdiscs: Sequence[tuple[str, Qdisc]]) -> Iterator[tuple[str, Tin]]:
    for labels, one in qdiscs:
        for tin in one.tins:
            yield f'{labels},tin="{tin.name}"', tin


def _of(shaper: Shaper) -> dict[str, str]:
    return {
        "link": shaper.link or "",
        "direction": shaper.direction,
        "device": shaper.device,
        "on": shaper.on,
    }


def _redirects(shapers: Sequence[Shaper]) -> Iterator[str]:
    fed = [(_labels(_of(one)), one.redirect) for one in shapers if one.redirect]
    working = [(labels, "1" if one.state == "ok" else "0") for labels, one in fed]
    about = "Whether what comes in is led to the device that shapes it."
    yield from _family("tcc_redirect_ok", "gauge", about, working)
    packets = [(labels, str(one.packets)) for labels, one in fed if one.packets is not None]
    yield from _family("tcc_redirect_packets", "counter", "Packets that were led there.", packets)


def _drift(status: Status) -> Iterator[str]:
    drifted = {"drifted": "1", "none": "0", "nothing-applied": "0"}.get(status.drift.state)
    rows = [] if drifted is None else [("", drifted)]
    about = "Whether something is not as it was applied; not there when it cannot be told."
    yield from _family("tcc_drifted", "gauge", about, rows)


def _family(name: str, kind: str, about: str, rows: Sequence[tuple[str, str]]) -> Iterator[str]:
    """Yield the lines of one metric; nothing where it has no value at all."""
    if not rows:
        return
    yield f"# TYPE {name} {kind}"
    unit = name.rpartition("_")[2]
    if unit in UNITS:
        yield f"# UNIT {name} {unit}"
    yield f"# HELP {name} {about}"
    suffix = "_total" if kind == "counter" else ""
    for labels, value in rows:
        yield f"{name}{suffix}{{{labels}}} {value}" if labels else f"{name}{suffix} {value}"


def _labels(values: Labels) -> str:
    return ",".join(f'{name}="{_escaped(value)}"' for name, value in values.items())


def _escaped(value: str) -> str:
    return value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")


def _scaled(value: int, scale: int) -> str:
    """Return an integer divided by a power of ten, exactly."""
    if scale == 1:
        return str(value)
    whole, rest = divmod(value, scale)
    digits = len(str(scale)) - 1
    return f"{whole}.{rest:0{digits}}".rstrip("0").rstrip(".") if rest else str(whole)
