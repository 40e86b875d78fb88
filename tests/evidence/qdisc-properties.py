"""Random traffic through 600 random qdiscs: identities, order, work conservation, both engines.

Every count of packets and bytes adds up after every call; no packet is lost or doubled; flows stay
in order; nothing that may leave is withheld; compiled and interpreted engine do the same.
"""

import os
import subprocess
import sys
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SEEDS = 600


def lines(mode: str) -> list[str]:
    """Return what the seeds come to in a process of its own; assertions end it."""
    env = {name: value for name, value in os.environ.items() if name != "TCC_ENGINE"}
    if mode == "interpreted":
        env["TCC_ENGINE"] = "interpreted"
    command = [sys.executable, "-m", "tests.engine.random_qdiscs", "0", str(SEEDS)]
    done = subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True, check=False)
    if done.returncode:
        print(done.stderr[-3000:])
        raise SystemExit(f"a property does not hold ({mode})")
    return done.stdout.splitlines()


def main() -> int:
    """Run both; 0 if nothing differs and both ran."""
    one, other = lines("compiled"), lines("interpreted")
    offered: Counter[str] = Counter()
    delivered: Counter[str] = Counter()
    for line in one:
        _, _, kind, came, left, _, _ = line.split()
        offered[kind] += int(came)
        delivered[kind] += int(left)
    for kind, count in sorted(offered.items()):
        print(f"{kind}: {count} packets offered, {delivered[kind]} delivered")
    differ = sum(a.split()[1:] != b.split()[1:] for a, b in zip(one, other, strict=True))
    modes = {line.split()[0] for line in one}, {line.split()[0] for line in other}
    print(f"{SEEDS} seeds; every identity held after every call")
    print(f"{'/'.join(*modes[:1])} and {'/'.join(*modes[1:])}: {differ} differ")
    return 1 if differ or len(one) != SEEDS else 0


if __name__ == "__main__":
    sys.exit(main())
