"""What an OpenWrt router says of itself: its release, packages, and daemons' configuration.

Sources: /etc/openwrt_release; opkg's status file and apk's database; UCI files of qosmate.
"""

from pathlib import Path
from typing import Final

PACKAGES: Final = (
    "cake-autorate", "firewall4", "kmod-ifb", "kmod-sched-cake", "kmod-sched-ctinfo", "nftables",
    "qosify", "qosmate", "sqm-scripts", "tc-full", "tc-tiny",
)  # fmt: skip
ACCELERATORS: Final = (
    "ecm", "fast_classifier", "qca_nss_drv", "qca_nss_ecm", "shortcut_fe", "shortcut_fe_cm",
)  # fmt: skip
"""Modules of vendors that forward flows past netfilter and qdiscs."""


def release(root: Path) -> str | None:
    """Return DISTRIB_RELEASE of /etc/openwrt_release; None where it is no OpenWrt."""
    for line in _lines(root / "etc/openwrt_release"):
        name, _, value = line.partition("=")
        if name == "DISTRIB_RELEASE":
            return value.strip("'\"")
    return None


def packages(root: Path) -> dict[str, str]:
    """Return the versions of installed packages that shaping depends on."""
    found: dict[str, str] = {}
    name = ""
    for line in _lines(root / "usr/lib/opkg/status"):
        key, _, value = line.partition(": ")
        if key == "Package":
            name = value
        elif key == "Version" and name in PACKAGES:
            found[name] = value
    for line in _lines(root / "lib/apk/db/installed"):
        key, _, value = line.partition(":")
        if key == "P":
            name = value
        elif key == "V" and name in PACKAGES:
            found[name] = value
    return found


def accelerators(root: Path) -> tuple[str, ...]:
    """Return the loaded modules that forward past the kernel's queues."""
    return tuple(name for name in ACCELERATORS if (root / "sys/module" / name).is_dir())


def qosmate_device(root: Path) -> str | None:
    """Return the device that an enabled qosmate shapes."""
    options: dict[str, str] = {}
    for line in _lines(root / "etc/config/qosmate"):
        words = line.split(None, 2)
        if len(words) == 3 and words[0] == "option":
            options.setdefault(words[1], words[2].strip().strip("'\""))
    return options.get("WAN") if options.get("enabled", "1") == "1" else None


def _lines(path: Path) -> list[str]:
    try:
        return path.read_text("utf-8", "replace").splitlines()
    except OSError:
        return []
