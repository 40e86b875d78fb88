"""CAKE's statistics as `tc -s -j qdisc show` and `tc -s class show` have them.

Source: cake_dump_stats() and cake_dump_class_stats() of net/sched/sch_cake.c, and the names in
the JSON of iproute2's tc/q_cake.c; CAKE specification sections 1.4 and 1.5.  Tins are in display
order, times in microseconds, cut.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tcc.engine.cake.config import signed
from tcc.engine.cake.rows import NONE, SLOTS
from tcc.engine.cake.tables import mode_of
from tcc.engine.constants import NIL

if TYPE_CHECKING:
    from tcc.engine.cake.qdisc import Cake

U32 = 0xFFFFFFFF


def tin_statistics(row: dict[str, int]) -> dict[str, int]:
    """Return what is shown of one tin."""
    return {
        "threshold_rate": row["rate"],
        "sent_bytes": row["bytes"],
        "backlog_bytes": row["backlog"],
        "target_us": row["target"] // 1000 & U32,
        "interval_us": row["interval"] // 1000 & U32,
        "peak_delay_us": row["peak_delay"] // 1000 & U32,
        "avg_delay_us": row["average_delay"] // 1000 & U32,
        "base_delay_us": row["base_delay"] // 1000 & U32,
        "sent_packets": row["packets"],
        "way_indirect_hits": row["way_hits"],
        "way_misses": row["way_misses"],
        "way_collisions": row["way_collisions"],
        "drops": row["dropped"],
        "ecn_mark": row["ecn_mark"],
        "ack_drops": row["ack_drops"],
        "sparse_flows": row["sparse"] + row["decaying"],
        "bulk_flows": row["bulk"],
        "unresponsive_flows": row["unresponsive"],
        "max_pkt_len": row["max_length"],
        "flow_quantum": row["flow_quantum"],
    }


def statistics(cake: Cake) -> dict[str, Any]:
    """Return every counter of a CAKE instance.

    `sent_packets` and `sent_bytes` of a tin count what arrives, the qdisc's `packets` and `bytes`
    what leaves; `drops` of a tin leaves out what the ACK filter dropped.
    """
    return {
        **cake.statistics(),
        "memory_used": cake.most_used,
        "memory_limit": cake.limit,
        "capacity_estimate": cake.peak_rate,
        "min_network_size": cake.min_netlen,
        "max_network_size": cake.max_netlen,
        "min_adj_size": cake.min_adjlen,
        "max_adj_size": cake.max_adjlen,
        "active_queues": cake.active_queues,
        "avg_hdr_offset": cake.average_offset + 0x8000 >> 16,
        "tins": [
            tin_statistics(cake.tin(cake.tin_of_position(position)))
            for position in range(cake.tin_count)
        ],
    }


def tin_names(cake: Cake) -> tuple[str, ...]:
    """Return the names of the tins, as `tc` heads its table with them."""
    return mode_of(cake.config.tins).names


def microseconds(span: int) -> int:
    """Return a span of ns in microseconds, cut towards zero as ktime_to_us() does, then to s32."""
    return signed(-(-span // 1000) if span < 0 else span // 1000, 32)


def queue_length(cake: Cake, flow: dict[str, int]) -> int:
    """Return how many packets a flow has."""
    count = 0
    packet = flow["head"] - 1
    while packet != NIL:
        count += 1
        packet = cake.pool.read(packet)["next"]
    return count


def classes(cake: Cake, now: int) -> list[dict[str, int]]:
    """Return what `tc -s class show` has at `now` (ns): every flow that is in a list.

    The minor number of a class is display position * 1024 + slot + 1.
    """
    found = []
    for position in range(cake.tin_count):
        index = cake.tin_of_position(position)
        for slot in range(SLOTS):
            row = cake.flow(index, slot)
            if row["state"] == NONE:
                continue
            entry = {
                "minor": position * SLOTS + slot + 1,
                "qlen": queue_length(cake, row),
                "backlog": row["backlog"],
                "drops": row["dropped"],
                "deficit": row["deficit"],
                "dropping": row["dropping"],
                "count": row["count"],
                "p_drop": row["p_drop"],
            }
            if row["p_drop"]:
                entry["blue_timer_us"] = microseconds(now - row["blue_timer"])
            if row["dropping"]:
                entry["drop_next_us"] = microseconds(now - row["drop_next"])
            found.append(entry)
    return found
