"""What /sys/class/net tells of a device."""

from pathlib import Path
from typing import Final

from tcc.netlink.links import Link

_BITS_PER_MEGABIT: Final = 10**6


def is_here(link: Link, root: Path) -> bool:
    """Whether /sys speaks of this device: same name, same number."""
    try:
        text = (root / "sys/class/net" / link.name / "ifindex").read_text("ascii")
    except OSError:
        return False
    return text.strip() == str(link.ifindex)


def speed(name: str, root: Path) -> int | None:
    """Return bit/s; None where the driver does not know (it says -1, or refuses)."""
    try:
        megabits = int((root / "sys/class/net" / name / "speed").read_text("ascii"))
    except (OSError, ValueError):
        return None
    return megabits * _BITS_PER_MEGABIT if megabits > 0 else None


def steered(name: str, root: Path) -> bool | None:
    """Whether some queue's packets are spread over CPUs (rps_cpus); None where none tells."""
    masks = []
    for path in (root / "sys/class/net" / name / "queues").glob("rx-*/rps_cpus"):
        try:
            masks.append(path.read_text("ascii").strip().replace(",", ""))
        except OSError:
            continue
    return any(set(mask) - {"0"} for mask in masks) if masks else None
