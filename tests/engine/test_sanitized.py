"""CAKE under AddressSanitizer and UBSan; `make engine-asan` runs all of the engine so."""

import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[1] / "evidence/engine-asan.py"
NO_SANITIZER = 2


@pytest.mark.slow
def test_traces_whole_and_damaged_touch_no_memory_that_is_not_theirs():
    done = subprocess.run(
        [sys.executable, str(SCRIPT), "--short"], capture_output=True, text=True, check=False
    )
    if done.returncode == NO_SANITIZER:
        pytest.skip(done.stdout)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "0 differ (compiled)" in done.stdout
