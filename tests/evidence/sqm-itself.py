"""sqm-scripts itself, run on our UCI by busybox ash, makes the netlink back end's qdiscs.

With TCC_SQM_SCRIPTS=PATH (a work tree or git directory) it is run again; else the recordings are
compared.
"""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from tests.backends.sqm_cases import DATA, EXPLAINED  # noqa: E402

checkout = os.environ.get("TCC_SQM_SCRIPTS")
if checkout:
    script = ROOT / "tests/backends/record_sqm.py"
    done = subprocess.run([sys.executable, str(script), "--checkout", checkout], check=False)
    sys.exit(done.returncode)
tests = [str(ROOT / "tests/backends/test_sqm_itself.py")]
done = subprocess.run([sys.executable, "-m", "pytest", "-q", *tests], cwd=ROOT, check=False)
print("recorded with sqm-scripts", ", ".join(sorted(path.stem for path in DATA.glob("*.json"))))
for name, why in EXPLAINED.items():
    print(f"may differ: {name}: {why}")
sys.exit(done.returncode)
