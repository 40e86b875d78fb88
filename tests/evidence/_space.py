"""Run a guest script of tests/plugins and print how many cases agree: a part of other scripts."""

import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "kernel"))

from testkernel.guest import Job
from testkernel.machine import run

ROOT = Path(__file__).resolve().parents[2]


def show(script: str, count: int) -> int:
    """Print, for each space, how many cases there are and how many differ; 0 if none does."""
    job = Job(
        [sys.executable, str(ROOT / "tests/plugins" / script), str(count)], cwd=ROOT, seconds=1500
    )
    finished = run(job)
    if finished.status:
        print(finished.stderr[-2000:])
        return 1
    report = json.loads(finished.stdout)
    wrong = 0
    for space, cases in report["cases"].items():
        differ = report["differ"][space]
        wrong += len(differ)
        print(f"{space}: {cases} cases, {len(differ)} differ")
        for line in differ[:5]:
            print(f"    {line}")
    caught = len(report["control"])
    print(f"control (settings and words that do not agree): {caught} differences seen")
    return int(wrong > 0 or caught == 0)
