"""Golden files for all back ends and all sample policies, and the matrix of each; all as kept."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from tcc.plugin import BACKENDS, names  # noqa: E402

GOLDEN = ROOT / "tests" / "golden"
systems = [name for name in names(BACKENDS) if name not in ("netlink", "table")]
cases = sorted(case.name for case in GOLDEN.iterdir())
samples = sorted(path.stem for path in (ROOT / "docs" / "examples").glob("*.tcc"))
missing = [
    f"{case}/{file}"
    for case in cases
    for file in (*(f"{name}.out" for name in systems), "matrix.txt")
    if not (GOLDEN / case / file).exists()
]
missing += [f"{sample}/" for sample in samples if sample not in cases]
print(f"{len(cases)} policies x {len(systems)} back ends: {', '.join(systems)}")
print(f"missing: {', '.join(missing) or 'none'}; `make golden` rewrites them")
command = [sys.executable, "-m", "pytest", "-q", "tests/test_golden.py"]
sys.exit(subprocess.run(command, cwd=ROOT, check=False).returncode or bool(missing))
