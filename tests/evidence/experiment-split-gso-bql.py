"""Splitting super-packets, or not, gives the published byte queue limits and pings."""

import sys

from _experiment import held

sys.exit(held("split-gso-bql"))
