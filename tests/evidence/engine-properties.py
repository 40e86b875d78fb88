"""CAKE's properties, and the statements of its specification, compiled and interpreted."""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TESTS = ["test_base.py", "test_cake.py", "test_cake_config.py", "test_cake_properties.py"]

worst = 0
for engine in ("", "interpreted"):
    print(engine or "as installed", flush=True)
    result = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "--no-header",
         *(f"tests/engine/{name}" for name in TESTS)],
        cwd=ROOT, env=os.environ | {"TCC_ENGINE": engine}, check=False,
    )  # fmt: skip
    worst = max(worst, result.returncode)
sys.exit(worst)
