"""Random histories of applies, kills, refusals, meddling and rollbacks: never a third state.

python tests/evidence/stateful.py [EXAMPLES]
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))
sys.path.insert(0, str(Path(__file__).parents[1] / "kernel"))

from hypothesis import HealthCheck, Phase, settings
from hypothesis.stateful import run_state_machine_as_test

from tests.apply.stateful_world import Hosts

EXAMPLES = int(sys.argv[1]) if len(sys.argv) > 1 else 200


def main() -> int:
    chosen = settings(
        max_examples=EXAMPLES,
        stateful_step_count=25,
        deadline=None,
        database=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    run_state_machine_as_test(Hosts, settings=chosen)
    for what, count in sorted(Hosts.ended.items()):
        print(f"{count:6}  {what}")
    print(f"{EXAMPLES} histories: never a third state, and rollback exact to the byte")
    return 0


sys.exit(main())
