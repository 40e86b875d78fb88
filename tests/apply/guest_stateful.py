"""In the guest: random histories of a host that has CAKE: [HISTORIES STEPS]."""

import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))
sys.path.insert(0, str(Path(__file__).parents[1] / "kernel"))

from hypothesis import settings
from hypothesis.stateful import run_state_machine_as_test

from tests.apply.stateful_cake import CakeHosts
from tests.apply.test_stateful import SHORT

histories, steps = map(int, sys.argv[1:] or ("7", "8"))
chosen = settings(SHORT, max_examples=histories, stateful_step_count=steps)
run_state_machine_as_test(CakeHosts, settings=chosen)
print(json.dumps(CakeHosts.ended))
