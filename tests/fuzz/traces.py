"""Traces: what is replayed on the engine, which alone is imported here."""

import gzip
import json
from collections.abc import Iterator

from tcc.engine import replay
from tests.fuzz.target import ROOT, Target

TRACES = ROOT / "tests/data/cake-vectors.json.gz"
MOST_STEPS = 2000  # of one scenario: a long one is slow, not wrong


def trace(data: bytes) -> None:
    """Replay a trace on the engine."""
    try:
        scenario = json.loads(data)
    except (ValueError, RecursionError):
        return
    if isinstance(scenario, dict) and isinstance(scenario.get("steps"), list):
        scenario["steps"] = scenario["steps"][:MOST_STEPS]
    try:
        replay.replay(scenario)
    except replay.UnreadableError:
        return


def _traces() -> Iterator[bytes]:
    document = json.loads(gzip.decompress(TRACES.read_bytes()))
    for scenario in document["scenarios"]:
        data = json.dumps(scenario, separators=(",", ":")).encode()
        if len(data) < 1 << 15:
            yield data


TARGETS = {"trace": Target(trace, _traces)}
