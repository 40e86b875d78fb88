"""36 configurations, as people have and report them, are imported with the right findings."""

import json
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from tcc.importing import guess, policy_of, read  # noqa: E402
from tcc.importing.kinds import device_of  # noqa: E402

DATA = ROOT / "tests" / "data" / "import"
wrong = 0
findings = json.loads((DATA / "findings.json").read_text())
for name, expected in findings.items():
    text = (DATA / name).read_text()
    kind = guess(text)
    found = sorted({one.what for one in policy_of(read(kind, text, device_of(name)), kind).remarks})
    right = found == sorted(expected)
    wrong += not right
    print(f"{'ok   ' if right else 'WRONG'} {name:28} {kind:15} {', '.join(found) or '-'}")
print(f"{len(findings)} sources, {wrong} wrong")
sys.exit(wrong > 0 or len(findings) < 20)
