"""Memory and time of lint, plan, apply and verify on 1, 100 and 10,000 links, and refusals.

    python benchmarks/scale.py [LINKS ...] [--objectives N]

Each run is a process of its own: wall and CPU seconds, its start included, and the peak memory of
its largest process. A link is shaped in both directions; the host of `plan` has every device and
nothing set; `verify` runs one objective of one simulated second for each link, of N at the most:
each takes as long as the first, and no more memory, so 1,000 tell what more would take.
Lint runs without its cache.

`apply` takes root: it sets a tbf on what leaves each device of a namespace made for it, and
then again, where there is nothing to do. Which kinds a kernel has decides what else could be set.

A limit that a page states must be refused by its name, within a CPU-second and 128 MiB: twice the
largest file that is read.
Exit status 1 if a run fails or a limit is not refused so.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).parents[1] / "tests/kernel"))

from _process import Took, run_apart

from testkernel.netns import namespaces

ROOT = Path(__file__).resolve().parents[1]
FACTS = ROOT / "docs/examples/home.facts.json"
SIZES = (1, 100, 10_000)
OBJECTIVES = 1000
"""Verified at the most, unless asked otherwise."""
REFUSED_SECONDS, REFUSED_MIB = 1.0, 128

LINK = """\
link site-{n} {{
    device  "d{n}"
    framing pppoe-ptm
    role    router
    egress  {{ bandwidth {rate}mbit; tiers diffserv4; fairness per-host }}
    ingress {{ bandwidth {rate}mbit; tiers diffserv4; fairness per-host }}
}}
"""
APPLIED = """\
link site-{n} {{ device "d{n}"; egress {{ bandwidth {rate}mbit; qdisc tbf {{ inner bfifo }} }} }}
"""
OBJECTIVE = """\
objective "site {n} is used" {{
    over    site-{n}
    under   rrul for 1s rtt 20ms
    require egress utilisation >= 1%
}}
"""


class Run(NamedTuple):
    """A command on so many links."""

    command: str
    links: int
    took: Took


class Refusal(NamedTuple):
    """What was asked beyond a limit, and what came of it."""

    asked: str
    code: str
    took: Took

    @property
    def graceful(self) -> bool:
        """Whether it was refused by its name, at once and in little memory."""
        took = self.took
        named = f"[{self.code}]" in took.said and "Traceback" not in took.said
        small = took.cpu <= REFUSED_SECONDS and took.peak <= REFUSED_MIB
        return bool(took.status) and named and small


def measured(words: Sequence[str], folder: Path) -> Took:
    """Run tcc in a folder, which keeps its state, too."""
    ours = f"{ROOT}{os.pathsep}{ROOT / 'plugins'}"
    environment = {"PYTHONPATH": ours, "NO_COLOR": "1", "TCC_STATE_DIR": str(folder / "state")}
    return run_apart([sys.executable, "-m", "tcc", *words], folder, environment, errors=True)


def write_policy(path: Path, links: int, objectives: int = 0, link: str = LINK) -> None:
    """Write a policy with objectives for the first links; no two neighbours have the same rate."""
    with path.open("w", encoding="utf-8") as out:
        for n in range(links):
            out.write(link.format(n=n, rate=10 + n % 90))
            if n < objectives:
                out.write(OBJECTIVE.format(n=n))


def write_facts(path: Path, links: int) -> None:
    """Write what a host with all the devices tells of itself."""
    facts = json.loads(FACTS.read_text(encoding="utf-8"))
    (device,) = facts["devices"]
    facts["devices"] = [device | {"name": f"d{n}", "index": n + 2} for n in range(links)]
    path.write_text(json.dumps(facts), encoding="utf-8")


def applied(links: int, folder: Path) -> Iterator[Run]:
    """Apply to a namespace with that many devices, then once more; nothing without root."""
    if os.geteuid():
        return
    write_policy(folder / "applied.tcc", links, link=APPLIED)
    with namespaces() as made:
        name, far = made.new().name, made.new().name
        batch = "".join(
            f"link add d{n} type veth peer name p{n} netns {far}\nlink set d{n} up\n"
            for n in range(links)
        )
        subprocess.run(["ip", "-n", name, "-batch", "-"], input=batch.encode(), check=True)
        words = ("apply", "applied.tcc", "--yes", "--netns", name)
        yield Run("apply", links, measured(words, folder))
        yield Run("apply, nothing to do", links, measured(words, folder))


def runs(sizes: Sequence[int], objectives: int = OBJECTIVES) -> Iterator[Run]:
    """Run each command on each number of links."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for links in sizes:
            write_policy(folder / "many.tcc", links)
            write_policy(folder / "tried.tcc", links, objectives)
            write_facts(folder / "facts.json", links)
            for words in (
                ("lint", "--no-cache", "many.tcc"),
                ("plan", "many.tcc", "--facts", "facts.json"),
                ("verify", "tried.tcc"),
            ):
                yield Run(words[0], links, measured(words, folder))
            yield from applied(links, folder)


def refusals() -> Iterator[Refusal]:
    """Ask for more than the pages allow."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        with (folder / "huge.tcc").open("wb") as out:
            out.truncate((64 << 20) + 1)
        took = measured(("lint", "--no-cache", "huge.tcc"), folder)
        yield Refusal("lint of a file above 64 MiB", "file-too-large", took)
        for n in range(1001):
            (folder / f"part{n}.tcc").write_text(f"let a{n} = 1mbit\n")
        includes = "".join(f'include "part{n}.tcc"\n' for n in range(1001))
        (folder / "parts.tcc").write_text(includes)
        took = measured(("lint", "--no-cache", "parts.tcc"), folder)
        yield Refusal("lint of 1,001 included files", "include-too-many", took)
        for n in range(40):
            (folder / f"deep{n}.tcc").write_text(f'include "deep{n + 1}.tcc"\n')
        took = measured(("lint", "--no-cache", "deep0.tcc"), folder)
        yield Refusal("lint of files that include one another 40 deep", "include-too-deep", took)
        (folder / "long.tcc").write_text(f"let long = {'9' * 31}\n")
        took = measured(("lint", "--no-cache", "long.tcc"), folder)
        yield Refusal("lint of a number of 31 digits", "number-too-long", took)
        (folder / "nested.tcc").write_text("link a { " * 10_000)
        took = measured(("lint", "--no-cache", "nested.tcc"), folder)
        yield Refusal("lint of 10,000 blocks within one another", "nesting-too-deep", took)
        terms = " + ".join(["1mbit"] * 10_000)
        (folder / "sum.tcc").write_text(f"let sum = {terms}\n")
        took = measured(("lint", "--no-cache", "sum.tcc"), folder)
        yield Refusal("lint of a sum of 10,000 terms", "expression-too-long", took)
        home = str(ROOT / "docs/examples/home.tcc")
        words = ("sweep", home, "--out", "swept.db", "--vary", "sync_up=1mbit..100mbit/100",
                 "--vary", "sync_down=1mbit..200mbit/200")  # fmt: skip
        yield Refusal("sweep over 40,000 runs", "sweep-too-many", measured(words, folder))


def main() -> int:
    """Print a line for each run and each refusal."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("links", type=int, nargs="*", help="how many, instead of 1, 100, 10000")
    parser.add_argument("--objectives", type=int, default=OBJECTIVES, help="verified at the most")
    asked = parser.parse_args()
    if os.geteuid():
        print("apply is not measured: it takes root, for a namespace of its own")
    right = True
    print(f"{'':<28} {'links':>7} {'wall s':>8} {'CPU s':>8} {'peak MiB':>9}")
    for command, links, took in runs(asked.links or SIZES, asked.objectives):
        right = right and took.status == 0
        wrong = f"  exit {took.status}: {took.said[:200]}" if took.status else ""
        row = f"{took.wall:>8.2f} {took.cpu:>8.2f} {took.peak:>9.0f}{wrong}"
        print(f"{command:<28} {links:>7,} {row}", flush=True)
    for refusal in refusals():
        took = refusal.took
        right = right and refusal.graceful
        outcome = refusal.code if refusal.graceful else f"NOT refused so: {took.said[:300]}"
        print(
            f"{refusal.asked:<36} {took.wall:>8.2f} {took.cpu:>8.2f} {took.peak:>9.0f}  {outcome}"
        )
    return 0 if right else 1


if __name__ == "__main__":
    sys.exit(main())
