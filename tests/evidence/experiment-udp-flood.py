"""CAKE under a flood declines to the published rates by kernel, and collapses beyond."""

import sys

from _experiment import held

sys.exit(held("udp-flood"))
