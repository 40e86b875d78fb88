"""Socket back-pressure over sfq and bfifo gives the published rates, drops and unfairness."""

import sys

from _experiment import held

sys.exit(held("udp-backpressure"))
