"""Recordings of three policies: what tshark counts in them is what their runs counted."""

import json
import sys
import tempfile
from collections import Counter
from pathlib import Path

from _verify import CASES, EXAMPLES, ROOT, verify

sys.path.insert(0, str(ROOT))
from tests.verify.packets import fields

ZERO = 946_684_800
POLICIES = (
    CASES / "recorded.tcc", CASES / "wrong" / "fifo-under-tbf.tcc", EXAMPLES / "home.tcc"
)  # fmt: skip


def counted(path: Path, link: str, direction: str, begin: float) -> tuple[dict, Counter]:
    """Return what left a qdisc in the measured time, and what it ever dropped, by reason."""
    crossed, dropped = Counter(), Counter()
    for time, interface, length, ecn, comment in fields(
        path, "frame.time_epoch", "frame.interface_name", "frame.len", "ip.dsfield.ecn",
        "frame.comment", where=f'frame.interface_name contains "{link} {direction}"',
    ):  # fmt: skip
        late = float(time) > begin
        if interface.endswith(" dropped"):
            reason = comment.split("; ")[1].split(",")[0]
            dropped[reason] += 1
            crossed["drops"] += late and reason != "ack_filter"
        elif late:
            crossed["packets"] += 1
            # A qdisc counts the segments of a super-packet with a header each.
            apart = comment.partition(" segments, ")[2]
            crossed["octets"] += int(apart.split()[0] if apart else length)
            crossed["marks"] += ecn == "3"
    return {**dict.fromkeys(("packets", "octets", "marks", "drops"), 0), **crossed}, dropped


def main() -> int:
    shown, good = 0, True
    with tempfile.TemporaryDirectory() as folder:
        for policy in POLICIES:
            out = Path(folder) / f"{policy.stem}.pcapng"
            done = verify(str(policy), "--no-mend", "--json", "--pcap", str(out))
            objectives = json.loads(done.stdout)["objectives"]
            for number, one in enumerate(objectives, 1):
                path = out if len(objectives) == 1 else out.with_stem(f"{out.stem}-{number}")
                for direction, ours in one["runs"][0]["directions"].items():
                    begin = ZERO + one["warmup"] / 1e9
                    crossed, dropped = counted(path, one["link"], direction, begin)
                    same = all(crossed[name] == ours[name] for name in crossed)
                    same = same and dropped == ours["reasons"]
                    told = ", ".join(f"{count} {name}" for name, count in crossed.items())
                    print(f"{one['text']}, {direction}: {told}: {'equal' if same else 'NOT EQUAL'}")
                    good = good and same
                    shown += 1
                print(f"  {path.name}: {path.stat().st_size:,} bytes")
                path.unlink()
    return 0 if good and shown else 1


sys.exit(main())
