"""In the guest: a watch, and a device whose number of queues changes, also while it lives."""

import fcntl
import json
import os
import socket
import struct
import subprocess
import sys
import tempfile
import time
from array import array
from pathlib import Path

ROOT = Path(__file__).parents[2]
POLICY = """
link wan {
    device "v0"
    egress { bandwidth 2gbit; tiers diffserv4 }
    ingress { bandwidth 2gbit; qdisc cake_mq }
}
"""
SIOCETHTOOL = 0x8946
GET_CHANNELS, SET_CHANNELS = 0x3C, 0x3D
RX_COUNT, TX_COUNT = 5, 6
LATEST = 2.0


def run(words, check=True):
    done = subprocess.run(words.split(), capture_output=True, text=True, check=False)
    if check and done.returncode:
        raise SystemExit(f"{words}: {done.stderr}")
    return done.stdout


def make(queues):
    """Make the device, as one that is plugged in again with another number of queues."""
    run("ip link delete v0", check=False)
    run(
        f"ip link add v0 numtxqueues {queues} numrxqueues {queues} "
        f"type veth peer name v1 numtxqueues {queues} numrxqueues {queues} netns far"
    )
    run("ip address add 10.9.0.1/24 dev v0")
    run("ip -n far address add 10.9.0.2/24 dev v1")
    run("ip -n far link set v1 up")
    run("ip link set v0 up")


def channels(count):
    """Let that many of its queues work, as `ethtool -L v0 tx N rx N` does."""
    asked = array("I", [GET_CHANNELS, *bytes(8)])  # struct ethtool_channels
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as control:
        for command in (GET_CHANNELS, SET_CHANNELS):
            asked[0] = command
            if command == SET_CHANNELS:
                asked[RX_COUNT] = asked[TX_COUNT] = count
            request = struct.pack("16sP16x", b"v0", asked.buffer_info()[0])  # struct ifreq
            fcntl.ioctl(control, SIOCETHTOOL, request)


def shown():
    found = {}
    for device in ("v0", "ifb-v0"):
        told = json.loads(run(f"tc -j qdisc show dev {device}"))
        found[device] = [one["kind"] for one in told if one["kind"].startswith("cake")]
    return found


def working():
    return len(list(Path("/sys/class/net/v0/queues").glob("tx-*")))


def reached():
    done = subprocess.run(["ping", "-qc1", "-W2", "10.9.0.2"], capture_output=True, check=False)
    return done.returncode == 0


def settled(process, log):
    """Wait until the watch has been still for a while; return what is there then."""
    time.sleep(LATEST)
    return {
        "kinds": shown(),
        "working": working(),
        "reached": reached(),
        "repairs": log.read_text().count("made it so"),
        "alive": process.poll() is None,
    }


def main():
    run("ip netns add far")
    run("ip link set lo up")
    make(1)
    with tempfile.TemporaryDirectory() as folder:
        policy, log = Path(folder, "wan.tcc"), Path(folder, "log")
        policy.write_text(POLICY)
        with log.open("w") as file:
            process = subprocess.Popen(
                [sys.executable, "-P", "-m", "tcc", "watch", str(policy)],
                cwd=ROOT, stdout=file, stderr=file, env={**os.environ, "TCC_STATE_DIR": folder},
            )  # fmt: skip
        while "keeping " not in log.read_text():
            time.sleep(0.1)
        steps = {"one queue": settled(process, log)}
        make(4)
        steps["made anew with four"] = settled(process, log)
        channels(2)
        steps["two of four work"] = settled(process, log)
        channels(4)
        steps["all four work again"] = settled(process, log)
        make(2)
        steps["made anew with two"] = settled(process, log)
        process.terminate()
        print(json.dumps({"steps": steps, "status": process.wait(), "log": log.read_text()}))


main()
