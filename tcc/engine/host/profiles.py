"""What hosts and kernels cost, by name: the constants that were fitted to published experiments.

They are data (`tcc/data/cost-profiles.json`), not code, and whatever is computed from them is
"calibrated" and not "emergent".
"""

from __future__ import annotations

import json
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

KERNEL_GROUPS = ("kernel_profiles", "cake_mq_kernels")


@cache
def load() -> dict[str, Any]:
    """Return every profile."""
    text = files("tcc").joinpath("data/cost-profiles.json").read_text("utf-8")
    profiles: dict[str, Any] = json.loads(text)
    return profiles


def host(name: str) -> dict[str, Any]:
    """Return the profile of a host.

    Raises:
        KeyError: there is none of that name.
    """
    found: dict[str, Any] = load()["hosts"][name]
    return found


def kernel(name: str) -> dict[str, Any]:
    """Return what a kernel does about a contended root lock, or about cake_mq's shared rate.

    Raises:
        KeyError: there is none of that name.
    """
    for group in KERNEL_GROUPS:
        if name in load()[group]:
            found: dict[str, Any] = load()[group][name]
            return found
    raise KeyError(name)


def constants(profile: dict[str, Any], prefix: str = "") -> dict[str, int | float]:
    """Return the numbers of a profile by their path, such as `ns.enqueue`."""
    found: dict[str, int | float] = {}
    for name, value in profile.items():
        if isinstance(value, dict):
            found |= constants(value, f"{prefix}{name}.")
        elif isinstance(value, int | float) and not isinstance(value, bool):
            found[prefix + name] = value
        elif isinstance(value, list) and all(isinstance(one, int | float) for one in value):
            found |= {f"{prefix}{name}.{place}": one for place, one in enumerate(value)}
    return found


def used(profile: Mapping[str, Any], names: Sequence[str]) -> dict[str, int | float]:
    """Return the constants of these names."""
    known = constants(dict(profile))
    return {name: known[name] for name in names}


def moved(profile: dict[str, Any], path: str, factor: float) -> dict[str, Any]:
    """Return a copy of a profile with one constant multiplied.

    Raises:
        KeyError: the profile has no such constant.
    """
    changed: dict[str, Any] = json.loads(json.dumps(profile))
    *way, last = path.split(".")
    place: Any = changed
    for step in way:
        place = place[int(step)] if isinstance(place, list) else place[step]
    key: Any = int(last) if isinstance(place, list) else last
    value = place[key]
    place[key] = round(value * factor) if isinstance(value, int) else value * factor
    return changed
