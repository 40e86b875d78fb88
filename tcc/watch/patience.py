"""When to put a device right again, so that two who differ do not keep each other busy."""

from dataclasses import dataclass, field
from typing import Final

FREE: Final = 3
"""Repairs that are done at once before any pause."""
LONGEST: Final = 300.0
"""Seconds of the longest pause between two repairs."""
CALM: Final = 60.0
"""Seconds without a repair, at least, after which all is forgotten."""


@dataclass
class _Device:
    index: int
    repairs: int = 0
    last: float = 0.0

    @property
    def pause(self) -> float:
        return 0.0 if self.repairs < FREE else min(2.0 ** (self.repairs - FREE), LONGEST)


@dataclass
class Patience:
    """How often each device had to be repaired; times are of a clock that only goes forward."""

    _devices: dict[str, _Device] = field(default_factory=dict)

    def due(self, device: str, index: int, now: float) -> float:
        """Return when `device` may be repaired: `now`, or later.

        A device that was made anew has another index: nobody fights over that one yet.
        """
        known = self._devices.get(device)
        if known is None or known.index != index:
            return now
        if now - known.last >= max(CALM, 2 * known.pause):
            return now
        return max(now, known.last + known.pause)

    def repaired(self, device: str, index: int, now: float) -> float:
        """Note a repair; return the seconds of pause before the next one."""
        known = self._devices.get(device)
        calm = known is None or now - known.last >= max(CALM, 2 * known.pause)
        if known is None or known.index != index or calm:
            known = self._devices[device] = _Device(index)
        known.repairs += 1
        known.last = now
        return known.pause

    def forget_all_but(self, devices: set[str]) -> None:
        """Keep only what is known of `devices`."""
        self._devices = {name: one for name, one in self._devices.items() if name in devices}
