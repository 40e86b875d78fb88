"""`tcc` that dies, as by `kill -9`, before its K-th request to the kernel: K, then tcc's words."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from tcc.cli.main import run
from tests.apply.faults import Dying, transport

Dying.at = int(sys.argv[1])
del sys.argv[1]
with transport(Dying):
    sys.exit(run(sys.argv[1:], "tcc"))
