"""`cake`: shaper, tins, flow and host fairness, and an AQM in one qdisc."""

from tcc_plugins.cake.options import RTT_PRESETS, WORDS, CakeOptions
from tcc_plugins.cake.plugin import Cake, check_shaper, config_of
from tcc_plugins.cake.settings import CakeSettings

__all__ = [
    "RTT_PRESETS",
    "WORDS",
    "Cake",
    "CakeOptions",
    "CakeSettings",
    "check_shaper",
    "config_of",
]
