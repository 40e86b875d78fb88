"""udp-flood: what its two choices do: 40 s instead of 120 s simulated, flows in turn or drawn."""

import sys
from dataclasses import replace

from tcc.engine.host import profiles
from tcc.experiments import tasks
from tcc.experiments.udp_flood import DURATION, HOST, SIMULATED, Case, Run, lasting, simulate

RATE = 746_000
SAME = 1  # per cent that the shorter simulation may differ
DRAWN = 5  # per cent that the other order may differ


def packets(run: Run) -> tuple[float, float]:
    """Return the packets sent and dropped in 120 s, in millions."""
    return lasting(run.sent, DURATION) / 1e6, lasting(run.dropped, DURATION) / 1e6


def main() -> int:
    """Run the row that changes longest, net-next."""
    host = profiles.host(HOST)
    short = Case("llist", RATE, SIMULATED["llist"])
    cases = {
        f"in turn, {DURATION} s": replace(short, seconds=DURATION),
        f"in turn, {short.seconds} s": short,
        f"drawn, {short.seconds} s": replace(short, drawn=True),
    }
    runs = tasks.run(simulate, [(host, case, 1) for case in cases.values()])
    found = dict(zip(cases, map(packets, runs), strict=True))
    for name, (sent, dropped) in found.items():
        print(f"net-next, flows {name}: {sent:.2f} M sent, {dropped:.2f} M dropped")
    whole, part, drawn = (sent for sent, _ in found.values())
    moves = {
        f"{short.seconds} s instead of {DURATION} s": (100 * (part - whole) / whole, SAME),
        "drawn instead of in turn": (100 * (drawn - part) / part, DRAWN),
    }
    for name, (move, most) in moves.items():
        print(f"{name}: {move:+.2f} % of what is sent, at most {most} %")
    return int(any(abs(move) > most for move, most in moves.values()))


if __name__ == "__main__":
    sys.exit(main())
