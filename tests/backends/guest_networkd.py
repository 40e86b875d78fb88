"""Let systemd-networkd itself make the qdiscs of what is generated for it; print them as JSON.

Runs as root in a guest of the test kernel. There is no udev and no bus: networkd is told that it is
in a container and that the device is known, and works all the same.
"""

import json
import shutil
import subprocess
import time
from pathlib import Path

from tcc import api
from tcc.plan.state import FileItem
from tcc.source import Source

NETWORKD = "/lib/systemd/systemd-networkd"
DEVICE = "eth7"
FOLDER = Path("/etc/systemd/network")
POLICIES = {
    "home": "framing { overhead 44B; mpu 84B }; role router\n"
    "egress { bandwidth 10mbit; tiers diffserv4; fairness per-host; dscp wash }",
    "atm": "framing pppoe-llcsnap\negress { bandwidth 850kbit; tiers besteffort; gso keep }",
    "raw": "framing raw\negress { bandwidth 2.5gbit; tiers diffserv8; fairness none }",
    "mark": "framing pppoe-ptm\negress { bandwidth 38000008bit; mark mask 0xff }",
    "unlimited": "framing raw\negress { bandwidth unlimited; tiers precedence }",
    "bucket": "egress { bandwidth 10mbit\nqdisc tbf { burst 16KiB; latency 50ms; inner bfifo } }",
}


def run(*words: str, check: bool = True) -> str:
    return subprocess.run(words, check=check, capture_output=True, text=True).stdout


def prepare() -> None:
    Path("/run/systemd/container").parent.mkdir(parents=True, exist_ok=True)
    Path("/run/systemd/container").write_text("lxc\n")
    for name in ("links", "leases", "lldp"):
        Path("/run/systemd/netif", name).mkdir(parents=True, exist_ok=True)
    run("chown", "-R", "systemd-network", "/run/systemd/netif", check=False)
    Path("/run/udev/data").mkdir(parents=True, exist_ok=True)
    FOLDER.mkdir(parents=True, exist_ok=True)


def made(clauses: str, version: str) -> list[dict[str, object]]:
    """Return the qdiscs that networkd makes of a policy."""
    built = api.load(Source("p.tcc", f'link wan {{\ndevice "{DEVICE}"\n{clauses}\n}}'))
    state, found = api.lower(built, "networkd", None, {"version": version})
    for path in FOLDER.iterdir():
        path.unlink()
    for place, item in state.items():
        if isinstance(item, FileItem) and place.at.startswith("etc/systemd/network/"):
            (Path("/") / place.at).write_text(item.text)
    assert list(FOLDER.iterdir()), found
    run("ip", "link", "add", DEVICE, "type", "dummy")
    run("ip", "link", "set", DEVICE, "up")
    index = Path(f"/sys/class/net/{DEVICE}/ifindex").read_text().strip()
    Path(f"/run/udev/data/n{index}").write_text("I:1000000\nV:1\n")
    daemon = subprocess.Popen([NETWORKD], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    time.sleep(3)
    daemon.terminate()
    daemon.wait()
    shown = json.loads(run("tc", "-j", "qdisc", "show", "dev", DEVICE))
    run("ip", "link", "del", DEVICE)
    return [{name: one[name] for name in ("kind", "root", "parent", "handle", "options")
             if name in one} for one in shown]  # fmt: skip


def main() -> None:
    version = run(NETWORKD, "--version").split()[1]
    prepare()
    assert shutil.which("tc")
    answers = {name: made(clauses, version) for name, clauses in POLICIES.items()}
    print(json.dumps({"version": version, "policies": POLICIES, "made": answers}))


if __name__ == "__main__":
    main()
