"""The same seed gives the same bytes: twice, serial and parallel, compiled and interpreted."""

import sys
import tempfile
from hashlib import sha256
from pathlib import Path

from _verify import EXAMPLES, verify

SHORT = """
link wan {
    device "eth0"
    framing ethernet
    egress { bandwidth 2mbit; tiers diffserv4 }
    ingress { bandwidth 4mbit; tiers diffserv4 }
}
objective "short enough to interpret" {
    under rrul for 2s rtt 20ms
    require egress utilisation >= 80%
}
objective "missed, so that changes are tried" {
    under tcp_nup 2 flows for 1s rtt 20ms
    require ping induced-latency p99 <= 7ms
}
"""


def main() -> int:
    with tempfile.TemporaryDirectory() as folder:
        short = Path(folder) / "short.tcc"
        short.write_text(SHORT)
        home = str(EXAMPLES / "home.tcc")
        runs = {
            "home, serial": verify(home, "--json", "--jobs", "1"),
            "home, serial again": verify(home, "--json", "--jobs", "1"),
            "home, parallel": verify(home, "--json", "--jobs", "2"),
            "short, compiled": verify(str(short), "--json"),
            "short, interpreted": verify(str(short), "--json", TCC_ENGINE="interpreted"),
        }
    sums = {name: sha256(done.stdout.encode()).hexdigest()[:16] for name, done in runs.items()}
    for name, digest in sums.items():
        print(f"{name}: {len(runs[name].stdout)} bytes, {digest}")
    same = all(
        len({digest for name, digest in sums.items() if name.startswith(policy)}) == 1
        for policy in ("home", "short")
    )
    return 0 if same and all(done.stdout for done in runs.values()) else 1


sys.exit(main())
