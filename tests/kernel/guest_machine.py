"""Look around in the guest: what Python runs, which qdiscs there are."""

import json
import platform
import subprocess
import sys

import pyroute2

QDISCS = {
    "cake": "cake bandwidth 100mbit diffserv4",
    "cake_mq": "cake_mq bandwidth 1gbit",
    "tbf": "tbf rate 10mbit burst 5kb latency 50ms",
    "fq_codel": "fq_codel",
    "sfq": "sfq",
    "netem": "netem delay 10ms",
}


def ip_tc(words: str) -> str:
    done = subprocess.run(words.split(), capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{words}: {done.stderr}")
    return done.stdout


def accepted_qdiscs() -> dict[str, str]:
    """Return, for each qdisc, the kind of the root that the kernel reports."""
    ip_tc("ip link add v0 numtxqueues 4 numrxqueues 4 type veth peer name v1 numtxqueues 4")
    kinds = {}
    for name, words in QDISCS.items():
        ip_tc(f"tc qdisc replace dev v0 root {words}")
        shown = json.loads(ip_tc("tc -j qdisc show dev v0"))
        [kinds[name]] = [qdisc["kind"] for qdisc in shown if qdisc.get("root")]
    return kinds


def kind_through_pyroute2() -> str:
    with pyroute2.IPRoute() as route:
        [device] = route.link_lookup(ifname="v0")
        roots = [q for q in route.get_qdiscs(device) if q["parent"] == 0xFFFFFFFF]
        return str(roots[0].get_attr("TCA_KIND"))


def main() -> None:
    report: dict[str, object] = {
        "kernel": platform.release(),
        "python": sys.executable,
        "qdiscs": accepted_qdiscs(),
        "pyroute2": kind_through_pyroute2(),
    }
    ip_tc("ip link add ifb9 type ifb")
    report["ifb"] = json.loads(ip_tc("ip -j -d link show ifb9"))[0]["linkinfo"]["info_kind"]
    ip_tc("nft add table inet t")
    ip_tc("nft add chain inet t c { type filter hook forward priority 0 ; }")
    ip_tc("nft add rule inet t c ip dscp set ef")
    report["nft"] = ip_tc("nft list table inet t")
    print(json.dumps(report))


if __name__ == "__main__":
    main()
