"""Every train, and what a kernel was recorded to do to it."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

from tests.engine.kernel import (
    trains_acks,
    trains_cake,
    trains_fifo,
    trains_fq,
    trains_mq,
    trains_tbf,
)

RECORDING = Path(__file__).parents[2] / "data" / "kernel-trains.json.gz"
FAIR = [*trains_fifo.TRAINS, *trains_fq.TRAINS]
SHAPED = [*trains_tbf.TRAINS, *trains_cake.TRAINS, *trains_acks.TRAINS, *trains_mq.TRAINS]
TRAINS = {train.name: train for train in [*FAIR, *SHAPED]}


def recording() -> dict[str, Any]:
    """Return what was recorded: `trains` by name, `truesizes`, and which `kernel` it was."""
    found: dict[str, Any] = json.loads(gzip.decompress(RECORDING.read_bytes()))
    return found
