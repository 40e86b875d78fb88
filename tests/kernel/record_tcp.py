"""Record a rrul through a shaper of the test kernel, with the moments at which it began.

    python tests/kernel/record_tcp.py QDISC MBIT MS [--seconds N] [--sleep S] [--seed N]

QDISC, MBIT and MS are those of `tcp/run.sh`, which is run once; its row is printed, with `starts`.
The tracepoints are on from boot and read the clock where that costs nothing, so the guest does not
see them.  Its environment has nothing but the settings.
"""

import argparse
import json
import re
import sys
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from testkernel import machine
from testkernel.guest import Job

SCRIPT = Path(__file__).resolve().parent / "tcp" / "run.sh"
TRACE = "/sys/kernel/tracing/trace"
WORDS = (
    "trace_event=net:net_dev_queue,sched:sched_switch",
    "trace_clock=mono",
    "trace_options=nooverwrite",
    "trace_buf_size=8M",
)
HEAD = r"\s*(.+)-(\d+) +\[000\] (\S+) +(\d+)\.(\d{6}): "
SENT = re.compile(HEAD + r"net_dev_queue: dev=(\S+) .* len=(\d+)")
TURN = re.compile(HEAD + r"sched_switch: .* next_pid=(\d+)")
SYN, COOKIE, WORD, PING, DATA = 74, 103, 67, 98, 1500  # bytes; data has more
MARKS = (0, 8, 40, 46)
SECOND = 1_000_000  # us
STREAMS = [(direction, dscp) for dscp in MARKS for direction in ("up", "down")]  # as started


@dataclass(frozen=True)
class Sent:
    """A packet that a process hands to a device: us, process, device, bytes."""

    time: int
    name: str
    process: int
    device: str
    size: int


def packets(trace: str) -> list[Sent]:
    """Return what processes sent, not what came about in interrupts."""
    made = []
    for line in trace.splitlines():
        if found := SENT.match(line):
            name, process, flags, seconds, parts, device, size = found.groups()
            if "s" not in flags and "h" not in flags:
                time = int(seconds) * 1_000_000 + int(parts)
                made.append(Sent(time, name, int(process), device, int(size)))
    return made


def turns(trace: str) -> list[tuple[int, int]]:
    """Return when (us) which process was given the processor."""
    found = (TURN.match(line) for line in trace.splitlines())
    return [
        (int(one[4]) * 1_000_000 + int(one[5]), int(one[6])) for one in found if one is not None
    ]


def starts(trace: str) -> dict[str, Any]:
    """Return a row's `starts`, as tcc.experiments.kernel_tcp_moments describes it."""
    sent, given = packets(trace), turns(trace)
    connects = [one for one in sent if (one.name, one.device, one.size) == ("iperf3", "c0", SYN)]
    clients = sorted(one.process for one in connects[: len(STREAMS)])
    servers = sorted({o.process for o in sent if o.device == "s0" and o.size == WORD})
    pings = [o for o in sent if o.device == "c0" and o.size == PING and o.name == "python3"]
    zero = connects[0].time // 1000 * 1000
    pings = [one for one in pings if one.time >= zero]
    made = []
    for one in connects[len(STREAMS) : 2 * len(STREAMS)]:
        number = clients.index(one.process)
        made.append(stream(sent, one, servers[number], *STREAMS[number]))
    first, last = (pick(each["begins_us"] for each in made) for pick in (min, max))
    of_ping = []
    for process in sorted({one.process for one in pings}):
        times = [one.time for one in pings if one.process == process]
        of_ping.append([time - zero for time in times if time <= last + SECOND])
    for each in made:
        reader = each.pop("reader")
        times = sorted({time for time, process in given if process == reader})
        each["turns_us"] = [time - zero for time in times if first <= time < last] + [last - zero]
        each["words_us"] = [time - zero for time in each["words_us"]]
        for name in ("connects_us", "cookie_us", "begins_us"):
            each[name] -= zero
    return {"pings_us": of_ping, "streams": made}


def stream(sent: list[Sent], syn: Sent, server: int, direction: str, dscp: int) -> dict[str, Any]:
    """Return one stream's moments (us)."""
    later = sent[sent.index(syn) + 1 :]
    cookie = next(o for o in later if o.process == syn.process and o.size == COOKIE)
    spoken = later[later.index(cookie) + 1 :]
    words = [one.time for one in spoken if one.process == server and one.size == WORD]
    sender, reader = (syn.process, server) if direction == "up" else (server, syn.process)
    return {
        "direction": direction,
        "dscp": dscp,
        "connects_us": syn.time,
        "cookie_us": cookie.time,
        "words_us": words[:2],
        "begins_us": next(o.time for o in later if o.process == sender and o.size > DATA),
        "reader": reader,
    }


def record(qdisc: str, rate: str, rtt: str, seconds: int, sleep: str, seed: int) -> dict[str, Any]:
    """Run the script in a guest; return its row with `starts`."""
    settings = {
        "QD": qdisc, "RATE": rate, "RTT": rtt, "FLOWS": "8", "CC": "cubic", "ECN": "2",
        "KIND": "rrul", "T": str(seconds),
    }  # fmt: skip
    script = f"sleep {sleep}; bash {SCRIPT}; cat {TRACE}"
    guest = replace(machine.uml_machine(), seed=seed, words=WORDS)
    done = machine.run(Job(["bash", "-c", script], env=settings, seconds=1800), guest)
    lines = [line for line in done.stdout.splitlines() if line.startswith("RESULT ")]
    if not lines:
        raise SystemExit(done.stderr)
    row: dict[str, Any] = json.loads(lines[0].removeprefix("RESULT "))
    return row | {"starts": starts(done.stdout)}


def main() -> int:
    """Run the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    for name in ("qdisc", "rate", "rtt"):
        parser.add_argument(name)
    parser.add_argument("--seconds", type=int, default=20)
    parser.add_argument("--sleep", default="0", help="seconds slept first")
    parser.add_argument("--seed", type=int, default=1)
    print(json.dumps(record(**vars(parser.parse_args())), separators=(",", ":")))
    return 0


if __name__ == "__main__":
    sys.exit(main())
