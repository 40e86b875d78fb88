"""Which daemon manages a device, from the files that the daemons leave for others.

- systemd-networkd: /run/systemd/netif/links/IFINDEX, `ADMIN_STATE=` other than `unmanaged`
  (sd-network(3));
- NetworkManager: /run/NetworkManager/devices/IFINDEX, `managed=true`;
- sqm-scripts: /var/run/sqm/IFNAME.state, there while its qdiscs are;
- qosmate: `WAN` of /etc/config/qosmate, where it is enabled.
"""

from pathlib import Path
from typing import Literal

from tcc.facts.openwrt import qosmate_device

Owner = Literal["networkmanager", "networkd", "sqm", "qosmate"]


def owner(ifindex: int, name: str, root: Path = Path("/")) -> Owner | None:
    """Return the daemon that manages the device; None when none is found.

    sqm-scripts and qosmate come first: they are about qdiscs, the others about addresses.
    """
    states = [root / run / "sqm" / f"{name}.state" for run in ("run", "var/run")]
    if any(state.is_file() for state in states):
        return "sqm"
    if qosmate_device(root) == name:
        return "qosmate"
    told = _words(root / "run/NetworkManager/devices" / str(ifindex))
    if told.get("managed") == "true":
        return "networkmanager"
    told = _words(root / "run/systemd/netif/links" / str(ifindex))
    if told.get("ADMIN_STATE", "unmanaged") != "unmanaged":
        return "networkd"
    return None


def _words(path: Path) -> dict[str, str]:
    """Return the `name=value` lines of a file; none where it cannot be read."""
    try:
        lines = path.read_text("utf-8", "replace").splitlines()
    except OSError:
        return {}
    pairs = (line.partition("=") for line in lines if "=" in line)
    return {name.strip(): value.strip() for name, _, value in pairs}
