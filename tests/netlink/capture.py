"""What tc really sends: run it with a shim before libc's `send`, and read what it wrote.

Run as a program (root), it makes tests/data/tc-bytes/captured.txt anew: one `tc ...` line,
then the hexadecimal message that this tc sent for it, sequence number zeroed.
"""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).parent
CAPTURED = HERE.parent / "data" / "tc-bytes" / "captured.txt"
RTM_GETLINK = 18

MIRRED = "action mirred egress redirect dev ifb0"
CAKE_WORDS = (
    "", "bandwidth 100mbit", "bandwidth 100.5mbit", "bandwidth 1tbit", "bandwidth 10Mibit",
    "bandwidth 10mbps", "unlimited", "autorate-ingress", "flowblind", "triple-isolate",
    "dual-dsthost nat", "nonat", "diffserv4", "besteffort", "lan", "rtt 20ms",
    "interplanetary", "overhead 44", "overhead -4", "overhead 44 mpu 64 noatm", "pppoe-ptm",
    "raw", "ack-filter", "ack-filter-aggressive", "no-ack-filter", "no-split-gso", "ingress",
    "wash", "fwmark 0xff", "memlimit 32mb",
)  # fmt: skip
TBF_WORDS = (
    "rate 50mbit burst 16k latency 50ms",
    "rate 1gbit burst 5000 latency 50ms",
    "rate 10gbit burst 1600 latency 50ms",
    "rate 40gbit burst 64k latency 5ms",
    "rate 50mbit burst 16k latency 50ms peakrate 100mbit mtu 1540",
    "rate 50mbit burst 16k latency 50ms overhead 18 mpu 64",
    "rate 50mbit burst 16k latency 50ms linklayer atm",
    "rate 50mbit burst 16k limit 100000",
    "rate 1.5mbit burst 16k latency 50ms",
    "rate 8kbit burst 1600 latency 500ms",
)
QDISC = "tc qdisc replace dev v0 root handle 1:"
FILTER = "tc filter add dev v0 parent ffff:"
COMMANDS = (
    *(f"{QDISC} cake {words}".rstrip() for words in CAKE_WORDS),
    *(f"{QDISC} tbf {words}" for words in TBF_WORDS),
    f"{QDISC} sfq perturb 10 limit 500 depth 64 headdrop divisor 2048 quantum 3000",
    f"{QDISC} fq_codel limit 1000 flows 512 target 6ms interval 90ms quantum 3000 ecn"
    " memory_limit 4mb drop_batch 32 ce_threshold 1ms",
    f"{QDISC} bfifo limit 100000",
    f"{QDISC} pfifo limit 100",
    f"{QDISC} htb default 10 r2q 20 direct_qlen 500",
    "tc class add dev v0 parent 1: classid 1:10 htb rate 50mbit ceil 80gbit burst 16k",
    "tc qdisc add dev v0 parent 1:10 handle 10: pfifo limit 10",
    "tc qdisc change dev v0 parent 1:10 handle 10: pfifo limit 20",
    "tc qdisc del dev v0 root",
    f"{QDISC} mq",
    "tc qdisc add dev v0 ingress",
    "tc qdisc del dev v0 ingress",
    "tc qdisc add dev v0 clsact",
    f"{FILTER} protocol all prio 10 u32 match u32 0 0 {MIRRED}",
    f"{FILTER} protocol all prio 10 matchall {MIRRED}",
    f"{FILTER} protocol all prio 10 matchall classid 1:10",
    f"{FILTER} protocol all prio 10 matchall skip_hw classid 1:10",
    "tc filter add dev v0 parent 1: protocol all prio 10 handle 1/0xff fw classid 1:10",
    f"{FILTER} protocol ip prio 10 flower ip_proto udp dst_port 53 classid 1:10",
    f"{FILTER} protocol ip prio 10 u32 match u32 0 0 action skbedit priority 1:1",
    f"{FILTER} protocol all prio 10 u32 match u32 0 0"
    " action ctinfo dscp 0xfc000000 0x01000000",
    f"{FILTER} protocol ip prio 10 u32 match ip protocol 17 0xff match ip dport 53 0xffff"
    " classid 1:10",
    f"{FILTER} protocol ip prio 10 chain 5 u32 match u32 0 0 classid 1:10",
    f"{FILTER} protocol all prio 10 u32 match u32 0 0 action ok",
    f"{FILTER} protocol all prio 10 bpf bytecode '1,6 0 0 4294967295' classid 1:10",
)  # fmt: skip


def build(folder: Path) -> Path:
    """Compile the shim into `folder`."""
    shim = folder / "capture.so"
    command = ["cc", "-shared", "-fPIC", "-O1", "-o", str(shim), str(HERE / "capture.c"), "-ldl"]
    subprocess.run(command, check=True)
    return shim


def words(command: str) -> list[str]:
    """Return a command's words; one may stand in single quotes."""
    outside, *rest = command.split("'")
    return outside.split() + ([rest[0], *rest[1].split()] if rest else [])


def sent(shim: Path, command: list[str]) -> list[bytes]:
    """Run `command`; return the requests it sent, but those that look a device up."""
    with tempfile.NamedTemporaryFile() as log:
        environment = os.environ | {"LD_PRELOAD": str(shim), "NETLINK_CAPTURE": log.name}
        subprocess.run(command, env=environment, capture_output=True, check=False)
        found = [bytes.fromhex(line) for line in Path(log.name).read_text().split()]
    return [
        message[:8] + bytes(4) + message[12:]
        for message in found
        if int.from_bytes(message[4:6], sys.byteorder) != RTM_GETLINK
    ]


def devices(run: list[str]) -> None:
    """Make v0 (number 3) and ifb0 (number 4) where `run` runs commands."""
    for line in (
        "ip link add v0 numtxqueues 4 type veth peer name v1 numtxqueues 4",
        "ip link add ifb0 type ifb",
    ):
        subprocess.run([*run, *line.split()], check=True)


def read(path: Path = CAPTURED) -> dict[str, bytes]:
    """Return the stored messages, by command."""
    lines = path.read_text().splitlines()
    return {
        command: bytes.fromhex(message)
        for command, message in zip(lines[::2], lines[1::2], strict=True)
    }


def main() -> None:
    name = f"capture{os.getpid()}"
    run = ["ip", "netns", "exec", name]
    subprocess.run(["ip", "netns", "add", name], check=True)
    try:
        devices(run)
        with tempfile.TemporaryDirectory() as folder:
            shim = build(Path(folder))
            lines = []
            for command in COMMANDS:
                messages = sent(shim, [*run, *words(command)])
                if len(messages) != 1:
                    raise SystemExit(f"{command}: {len(messages)} messages")
                lines += [command, messages[0].hex()]
    finally:
        subprocess.run(["ip", "netns", "del", name], check=True)
    CAPTURED.write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
