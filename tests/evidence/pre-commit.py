"""Pre-commit hooks: a bad policy is stopped, a good one passes, in under a second of tool time."""

import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from tests.precommit.consumer import Consumer, durations
from tests.precommit.test_hooks import BAD, GOOD

RUNS = 5
MOST = 1.0
"""Seconds of CPU time that a hook may take."""


def cpu(command: list[str], folder: Path) -> float:
    """Return the least CPU time of several runs of a command, in seconds."""
    took = []
    for _ in range(RUNS):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run(command, cwd=folder, check=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        took.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return min(took)


def main() -> int:
    """Commit a good policy and a bad one through pre-commit; print what it says and how long."""
    with tempfile.TemporaryDirectory() as folder:
        consumer = Consumer(Path(folder))
        start = time.monotonic()
        consumer.install()
        print(f"environment made by pre-commit, once: {time.monotonic() - start:.0f} s")
        good = consumer.commit("home.tcc", GOOD)
        bad = consumer.commit("branch.tcc", BAD)
        said = {hook: f"{took} s" for hook, took in durations(good.stderr).items()}
        print(f"good policy: exit {good.returncode}; wall time by pre-commit: {said}")
        print(f"bad policy: exit {bad.returncode}; the commit is stopped with\n\n{bad.stderr}")
        took = {
            words: cpu([str(consumer.tool()), *words.split(), "home.tcc"], consumer.folder)
            for words in ("lint", "fmt --check")
        }
    print(", ".join(f"tcc {words}: {seconds:.3f} s of CPU" for words, seconds in took.items()))
    stopped = bad.returncode != 0 and "branch.tcc:5:25" in bad.stderr
    return 0 if good.returncode == 0 and stopped and max(took.values()) < MOST else 1


if __name__ == "__main__":
    sys.exit(main())
