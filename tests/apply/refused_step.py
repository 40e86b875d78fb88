"""`tcc` of which the kernel refuses the K-th request: K, then tcc's words."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from tcc.cli.main import run
from tests.apply.faults import Refusing, transport

Refusing.at = int(sys.argv[1])
del sys.argv[1]
with transport(Refusing):
    sys.exit(run(sys.argv[1:], "tcc"))
