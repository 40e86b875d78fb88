"""tbf, cake, cake_mq and mq: the kernel itself, now."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.engine.kernel.agree import compare, same_as_recorded
from tests.engine.kernel.trains import SHAPED, TRAINS, recording

GUEST = Path(__file__).with_name("guest_shaped.py")


@pytest.mark.parametrize("name", [train.name for train in SHAPED])
def test_engine_and_recording_agree_with_the_kernel(guest_report, name):
    taken = guest_report["trains"][name]
    assert compare(TRAINS[name], taken, guest_report["truesizes"]).found == []
    assert same_as_recorded(taken, recording()["trains"][name])
