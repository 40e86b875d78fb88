"""Since which version of systemd networkd has each setting of its [CAKE] section, as data.

Source: the `versionadded` notes of systemd.network(5).
"""

from typing import Final

KNOWN: Final = range(246, 259)
NEWEST: Final = KNOWN[-1]
SINCE: Final = {
    "rate": 246, "overhead": 246,
    "autorate": 250, "mpu": 250, "cells": 250, "raw": 250, "flow": 250, "nat": 250, "mode": 250,
    "fwmark": 250, "wash": 250, "split": 250,
    "rtt": 253, "ack": 253,
}  # fmt: skip
"""By setting of CAKE. Those that are not here, networkd has no word for."""
