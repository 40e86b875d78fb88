"""Run the reference dumbbell in tcc, plain C, ns-3 and ns.py, each in a process of its own."""

import subprocess
import sys
import venv
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import dumbbell
from _process import run_apart
from lint import CACHE, installed

HERE = Path(__file__).resolve().parent
RTT = 20_000_000
PER_HOST = 8
NS3_PARTS = (
    "applications", "core", "internet", "internet-apps", "network", "point-to-point",
    "traffic-control",
)  # fmt: skip
OURS = """\
import sys
sys.path[:0] = sys.argv[1:3]
import dumbbell
spent, packets, events, goodput, _ = dumbbell.run(*map(int, sys.argv[3:]))
print(packets, events, spent, goodput)
"""


class Case(NamedTuple):
    """A dumbbell: flows, bit/s and simulated seconds."""

    flows: int
    rate: int
    seconds: int


class Speed(NamedTuple):
    """What a run came to; `events` is 0 where they are not counted, `goodput` in Mbit/s."""

    packets: int
    events: int
    cpu: float
    goodput: float
    memory: float
    """MiB resident at the most."""

    @property
    def per_second(self) -> float:
        """Data packets per CPU-second of the run phase."""
        return self.packets / self.cpu


def printed(command: Sequence[str], environment: Mapping[str, str]) -> tuple[list[str], float]:
    """Return the words that a program prints and its peak memory in MiB."""
    run = run_apart(command, environment=environment)
    if run.status:
        raise subprocess.CalledProcessError(run.status, command)
    return run.said.split(), run.peak


def _speed(command: Sequence[str], environment: Mapping[str, str] | None = None) -> Speed:
    (packets, events, cpu, goodput), memory = printed(command, environment or {})
    return Speed(int(packets), int(events), float(cpu), float(goodput), memory)


def ours(case: Case, interpreted: bool = False) -> Speed:
    """Run this project's engine."""
    command = [sys.executable, "-c", OURS, str(HERE), str(HERE.parent), *map(str, case)]
    return _speed(command, {"TCC_ENGINE": "interpreted"} if interpreted else {})


def plain_c(binary: Path, case: Case) -> Speed:
    """Run what `dumbbell.yardstick` built; it counts neither goodput nor memory."""
    cpu, packets, events = dumbbell.plain_c(binary, case.flows, case.rate, case.seconds)
    return Speed(packets, events, cpu, 0, 0)


def ns3(binary: Path, case: Case) -> Speed:
    """Run what `build_ns3` built."""
    words = (case.flows, PER_HOST, case.rate, RTT, case.seconds)
    return _speed([str(binary), *map(str, words)])


def nspy(python: Path, case: Case) -> Speed:
    """Run ns.py's; it counts no events."""
    words = (case.flows, case.rate, RTT / 1e9, case.seconds)
    script = str(HERE / "_dumbbell_nspy.py")
    (packets, cpu, goodput), memory = printed([str(python), script, *map(str, words)], {})
    return Speed(int(packets), 0, float(cpu), float(goodput), memory)


def python_of(name: str) -> Path | None:
    """Return the Python of a peer's environment, None without the peer."""
    python = CACHE / name / "bin/python"
    package = {"ns3": "ns3/include", "ns.py": "ns/scheduler", "sqlfluff": "sqlfluff"}[name]
    found = any((CACHE / name).glob(f"lib/python3*/site-packages/{package}"))
    return python if found else None


def install(name: str) -> None:
    """Install a peer into an environment of its own: ns3 and ns.py are both called `ns`.

    Of ns3 only its libraries and headers are used, so what its Python module needs is left out.
    """
    if name == "sqlfluff":
        installed(name, name)
        return
    venv.create(CACHE / name, with_pip=True)
    pip = [str(CACHE / name / "bin/pip"), "install", "-q"]
    subprocess.run([*pip, *(["--no-deps"] if name == "ns3" else []), name], check=True)


def build_ns3(folder: str) -> Path:
    """Compile the dumbbell against the libraries of the package; return where it is."""
    (home,) = (CACHE / "ns3").glob("lib/python3*/site-packages/ns3")
    libraries = home / "lib64"
    found = [path for part in NS3_PARTS for path in libraries.glob(f"libns3*-{part}.so")]
    binary = Path(folder) / "dumbbell_ns3"
    subprocess.run(
        ["c++", "-O2", "-std=c++20", f"-I{home / 'include'}", "-o", str(binary),
         str(HERE / "dumbbell_ns3.cc"), *map(str, found), f"-Wl,-rpath,{libraries}",
         "-Wl,--allow-shlib-undefined"],
        check=True,
    )  # fmt: skip
    return binary
