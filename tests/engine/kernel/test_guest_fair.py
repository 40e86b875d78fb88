"""FIFOs, sfq, fq_codel, pfifo_fast and fq: the kernel itself, now."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.engine.kernel.agree import compare, same_as_recorded
from tests.engine.kernel.trains import FAIR, TRAINS, recording

GUEST = Path(__file__).with_name("guest_fair.py")


@pytest.mark.parametrize("name", [train.name for train in FAIR])
def test_engine_and_recording_agree_with_the_kernel(guest_report, name):
    taken = guest_report["trains"][name]
    assert compare(TRAINS[name], taken, guest_report["truesizes"]).found == []
    assert same_as_recorded(taken, recording()["trains"][name])
