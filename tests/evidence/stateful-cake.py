"""Random histories of one host with CAKE, on the 7.3 kernel: never a third state.

python tests/evidence/stateful-cake.py [HISTORIES]
"""

import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2] / "tests/kernel"))
sys.path.insert(0, str(Path(__file__).parents[2]))

from testkernel.guest import Job
from testkernel.machine import run
from tests.apply.test_stateful_cake import GUEST

HISTORIES = sys.argv[1] if len(sys.argv) > 1 else "30"
STEPS = "20"


def main() -> int:
    command = [sys.executable, str(GUEST), HISTORIES, STEPS]
    done = run(Job(command, cwd=GUEST.parents[2], seconds=3600))
    if done.status:
        print(done.stdout, done.stderr)
        return 1
    for what, count in sorted(json.loads(done.stdout).items()):
        print(f"{count:6}  {what}")
    print(
        f"{HISTORIES} histories of {STEPS} steps: never a third state, rollback exact to the byte"
    )
    return 0


sys.exit(main())
