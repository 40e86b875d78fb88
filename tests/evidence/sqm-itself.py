"""sqm-scripts itself, run on our UCI by busybox ash, makes the netlink back end's qdiscs.

With TCC_SQM_SCRIPTS=PATH (a work tree or git directory) it is run again, with TCC_NEW_TC=PATH (a
tc of iproute2 7.0 or newer) 1.7's `use_mq` too; else the recordings are compared.
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
    words = [sys.executable, str(script), "--checkout", checkout]
    if os.environ.get("TCC_NEW_TC"):
        words += ["--tc", os.environ["TCC_NEW_TC"]]
    done = subprocess.run(words, check=False)
    sys.exit(done.returncode)
tests = [str(ROOT / "tests/backends/test_sqm_itself.py")]
done = subprocess.run([sys.executable, "-m", "pytest", "-q", *tests], cwd=ROOT, check=False)
print("recorded with sqm-scripts", ", ".join(sorted(path.stem for path in DATA.glob("*.json"))))
for name, why in EXPLAINED.items():
    print(f"may differ: {name}: {why}")
sys.exit(done.returncode)
