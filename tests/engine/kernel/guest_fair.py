"""Send the trains for FIFOs, sfq, fq_codel, pfifo_fast and fq through the kernel's."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[3]))

from tests.engine.kernel.guest import take_all
from tests.engine.kernel.trains import FAIR

take_all(FAIR)
