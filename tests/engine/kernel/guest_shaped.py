"""Send the trains for tbf, cake, cake_mq and mq through the kernel's."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[3]))

from tests.engine.kernel.guest import take_all
from tests.engine.kernel.trains import SHAPED

take_all(SHAPED)
