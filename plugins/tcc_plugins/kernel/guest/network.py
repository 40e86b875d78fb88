"""The network: four namespaces in a row, the qdiscs that are measured, and the delay."""

from itertools import pairwise

from .programs import CommandError, Job, command
from .qdiscs import Qdiscs

ROW = "crns"
"""Clients, the router that shapes, the network between, servers."""
SERVER = "10.0.3.254"
SHAPED = (("egress", "r1"), ("ingress", "r0"))
"""What is measured, and the device of r that sends it."""
DELAYED = (("n1", "up"), ("n0", "down"))
"""The devices of n behind which packets are delayed, and their way."""


def build(job: Job, prefix: str) -> tuple[str, Qdiscs]:
    """Make the namespaces, the links between them, the delay and the qdiscs.

    Returns:
        Who has to delay: `netem` for the kernel, `process` where this kernel has no netem, or
        nothing for a path without any delay. Then the qdiscs of the router.

    Raises:
        CommandError: a qdisc is not there, or something else was refused.
    """
    names = {role: f"{prefix}{role}" for role in ROW}
    for name in names.values():
        command("ip", "netns", "add", name)
        command("ip", "-n", name, "link", "set", "lo", "up")
    for net, (left, right) in enumerate(pairwise(ROW), start=1):
        _join(names, (left, right), net, job["queues"])
    _address(job, names)
    _set(job, names)
    made = Qdiscs(names["r"])
    for way, device in SHAPED:
        for wanted in job[way]:
            made.add(device, wanted)
    return _delay(job, names["n"]), made


def remove(prefix: str) -> None:
    """Remove the namespaces, as far as they are there."""
    for role in ROW:
        try:
            command("ip", "netns", "del", f"{prefix}{role}")
        except CommandError:
            continue


def _join(names: dict[str, str], ends: tuple[str, str], net: int, queues: int) -> None:
    """Join two neighbours: device 1 of the left (0 of the first) with device 0 of the right.

    The router alone has several queues. A packet keeps the number of the queue by which it left
    over a veth, and to who forwards it that looks like the one by which it came in, plus one: so
    a neighbour's queues 0 and 1 would both go to the router's 0, and none to its last.
    """
    left, right = ends
    near, far = f"{left}{0 if left == 'c' else 1}", f"{right}0"
    command(
        "ip", "link", "add", near, "netns", names[left], *_queues(left, queues), "type", "veth",
        "peer", "name", far, "netns", names[right], *_queues(right, queues),
    )  # fmt: skip
    for role, device in ((left, near), (right, far)):
        last = {"c": 1, "r": 254 if net == 1 else 1, "n": 254 if net == 2 else 1, "s": 254}[role]
        command("ip", "-n", names[role], "addr", "add", f"10.0.{net}.{last}/24", "dev", device)
        command("ip", "-n", names[role], "link", "set", device, "up")


def _queues(role: str, count: int) -> tuple[str, ...]:
    many = str(count if role == "r" else 1)
    return ("numtxqueues", many, "numrxqueues", many)


def _address(job: Job, names: dict[str, str]) -> None:
    """Give each host its address, where the senders are, and say where the others are."""
    role, device, net = ("r", "r1", 2) if job["local"] else ("c", "c0", 1)
    for host in range(job["hosts"]):
        command("ip", "-n", names[role], "addr", "add", f"10.0.{net}.{2 + host}/24", "dev", device)
    for role, to, via in (
        ("c", "default", "10.0.1.254"), ("r", "default", "10.0.2.254"),
        ("n", "10.0.1.0/24", "10.0.2.1"), ("s", "default", "10.0.3.1"),
    ):  # fmt: skip
        command("ip", "-n", names[role], "route", "add", to, "via", via)


def _set(job: Job, names: dict[str, str]) -> None:
    settings = (
        "net.ipv4.ip_forward=1", "net.ipv4.conf.all.rp_filter=0", "net.ipv4.tcp_no_metrics_save=1",
        f"net.ipv4.tcp_ecn={job['ecn']}",
    )  # fmt: skip
    for name in names.values():
        command("ip", "netns", "exec", name, "sysctl", "-qw", *settings)


def _delay(job: Job, name: str) -> str:
    """Let the kernel delay, half of the round trip each way, if it can."""
    if not (job["rtt"] or job["jitter"] or job["loss"]):
        return ""
    if not job.get("netem", True):  # a job can do without it
        return "process"
    try:
        for device, way in DELAYED:
            words = ("root", "netem", "limit", "1000000", *_netem(job, way))
            command("tc", "-n", name, "qdisc", "add", "dev", device, *words)
    except CommandError as problem:
        if "unknown" not in str(problem):
            raise
        return "process"
    return "netem"


def halves(rtt: int) -> dict[str, int]:
    """Return how long packets are under way in each direction (ns)."""
    return {"up": rtt // 2, "down": rtt - rtt // 2}


def _netem(job: Job, way: str) -> list[str]:
    """Return netem's words. With a rate, however high, jitter does not change the order."""
    half = job["jitter"] // 2
    words = ["delay", f"{(halves(job['rtt'])[way] + half) // 1000}us"]
    if half:
        words += [f"{half // 1000}us", "rate", "100gbit"]
    return [*words, "loss", f"{job['loss'] * 100 / 2**32:.6f}%"] if job["loss"] else words


def counted(made: Qdiscs) -> dict[str, list[str]]:
    """Return what the kernel shows of the router's qdiscs, undecoded."""
    return {way: made.shown(device) for way, device in SHAPED}
