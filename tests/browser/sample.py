"""Results made up by arithmetic: pictures of them change when the page does, and only then."""

from typing import Any

from tcc.diagnostics import note
from tcc.plugin import Expressed, Verdict
from tcc.report.page.page import Context
from tcc.source import Source, Span

COUNT, STEP = 50, 200_000_000
TEXT = """# A made-up line.
link wan {
    device  "eth0"
    framing ethernet
    egress { bandwidth 20mbit; tiers diffserv3 }
}
"""


def saw(low: int, high: int, period: int, shift: int = 0) -> list[int]:
    """Return a line that climbs and falls back, as a window does."""
    return [low + (high - low) * ((at + shift) % period) // period for at in range(COUNT)]


def delays(low: int, high: int, period: int) -> dict[str, Any]:
    mean = saw(low, high, period)
    quantiles = [low + (high - low) * share * share // 102**2 for share in range(103)]
    return {
        "samples": [4] * COUNT,
        "mean": [None if at in (20, 21) else one for at, one in enumerate(mean)],
        "max": [None if at in (20, 21) else one + high // 5 for at, one in enumerate(mean)],
        "quantiles": quantiles,
    }


def summary(low: int, high: int) -> dict[str, int]:
    half = (low + high) // 2
    return {"samples": 200, "mean": half, "median": half, "p95": high, "p99": high, "p999": high,
            "max": high}  # fmt: skip


def requirement(index: int, **values: Any) -> dict[str, Any]:
    return {
        "index": index, "subject": None, "statistic": None, "direction": "egress",
        "interval": [], "noisy": False, "holds": True, "unit": "ratio", **values,
    }  # fmt: skip


FLOWS = [
    {"part": "crowd", "workload": "crowd", "kind": "tcp", "direction": "egress", "dscp": dscp,
     "tier": None, "host": host}
    for dscp, host in ((0, 0), (0, 1), (8, 1))
] + [
    {"part": "ping", "workload": "crowd", "kind": "ping", "direction": None, "dscp": 46,
     "tier": "voice", "host": 0}
]  # fmt: skip


def results(factor: int = 10) -> dict[str, Any]:
    """Return a document; factors (in tenths) make it another one."""
    payloads = [saw(120_000 * factor // 10, 300_000 * factor // 10, 17 + 4 * one, one)
                for one in range(3)]  # fmt: skip
    whole = [sum(row) * 11 // 10 for row in zip(*payloads, strict=True)]
    ping = delays(20_000_000, 32_000_000 * factor // 10, 13)
    queue = delays(200_000, 9_000_000 * factor // 10, 9)
    zero = [0] * COUNT
    tin = {"octets": whole, "drops": zero, "ack_drops": zero, "marks": zero, "backlog": zero}
    rate = [sum(one) * 8 // 10 for one in payloads]
    flow = {"offered": 0, "lost": 0, "drops": 0, "mos": None, "series": [1] * 10}
    run = {
        "verifier": "reference", "model": "made up", "seed": 1, "duration": COUNT * STEP,
        "interrupted": False, "host": [], "elsewhere": {}, "basis": "emergent", "verdicts": [],
        "flows": [
            *({**flow, "payload": sum(one), "goodput": each, "round_trip": summary(0, 0)}
              for one, each in zip(payloads, rate, strict=True)),
            {**flow, "payload": 0, "goodput": 0, "round_trip": summary(20_000_000, 32_000_000)},
        ],
        "directions": {
            "egress": {
                "packets": 1, "octets": sum(whole), "framed": sum(whole), "drops": 40,
                "reasons": {"congested": 40}, "marks": 7, "sojourn": summary(200_000, 9_000_000),
                "parts": {}, "tins": {}, "queues": [],
            },
        },
        "series": {
            "interval": STEP,
            "flows": [
                *({"payload": one, "drops": zero, "round_trip": None} for one in payloads),
                {"payload": zero, "drops": zero, "round_trip": ping},
            ],
            "directions": {
                "egress": {
                    "packets": zero, "octets": whole, "framed": whole, "marks": saw(0, 4, 11),
                    "backlog": zero, "reasons": {"congested": saw(0, 6, 7)}, "sojourn": queue,
                    "parts": {"crowd/crowd//tcp": queue, "crowd/ping/voice/ping": ping},
                    "tins": {"Best Effort": tin},
                },
            },
        },
    }  # fmt: skip
    return {
        "version": 1,
        "policy": "made-up.tcc",
        "target": None,
        "objectives": [
            {
                "text": "a made-up line is shared", "link": "wan", "verifier": "reference",
                "holds": False, "interrupted": False, "rtt": 20_000_000, "warmup": 2_000_000_000,
                "load": ["crowd"], "testbed": None,
                "requirements": [
                    requirement(0, text="utilisation >= 95%", metric="utilisation",
                                bound="19/20", measured=["97/100"]),
                    requirement(1, text="ping induced-latency p99 <= 10ms", subject="ping",
                                metric="induced-latency", statistic="p99", unit="duration",
                                direction=None, bound=10_000_000,
                                measured=[12_000_000 * factor // 10], holds=factor < 8),
                ],
                "advice": [
                    {"requirement": 1, "direction": None, "tried": 3,
                     "where": ["of 11ms added to a round trip on average: all in the queue"],
                     "mends": [{"change": "egress `rtt 50ms`", "misses": [0], "verdicts": [
                         {"requirement": 1, "direction": None, "measured": 9_000_000,
                          "holds": True}]}]},
                ],
                "flows": FLOWS,
                "runs": [run],
            },
        ],
    }  # fmt: skip


def context() -> Context:
    """Return a policy with a finding, and two systems."""
    source = Source("made-up.tcc", TEXT)
    at = TEXT.index("egress")
    found = note("missing-clause", Span(source.path, at, at + 6), "say what role it has", "<hint>")
    rows = (
        Expressed("wan egress", "bandwidth 20mbit", Verdict.EXACT, "bandwidth 20000000bit"),
        Expressed("wan egress", "tiers diffserv3", Verdict.REFUSED, "", "it has no tins"),
    )
    lowered = {"netlink": rows[:1], "other": rows}
    return Context("0.0", {source.path: source}, (found,), lowered)
