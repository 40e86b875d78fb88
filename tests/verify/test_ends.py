"""However `tcc verify` ends, nothing of it goes on: no guest, no worker, no namespace."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from testkernel.uml_kernel import find

pytestmark = pytest.mark.slow

TCC = [sys.executable, "-c", "from tcc.cli.main import main; main()"]
POLICY = """\
link wan {
    device "eth0"
    framing raw
    egress { bandwidth 5mbit; qdisc tbf { burst 16KiB; latency 50ms; inner bfifo } }
}
objective "endless" {
    under tcp_nup 1 flow for 1000000s rtt 20ms
    require egress utilisation >= 80%
}
objective "endless, too" {
    under tcp_nup 2 flows for 1000000s rtt 20ms
    require egress utilisation >= 80%
}
"""
PATIENCE = 60


def start(here: Path, *arguments: str, **environment: str) -> subprocess.Popen[str]:
    (here / "p.tcc").write_text(POLICY)
    return subprocess.Popen(
        [*TCC, "verify", "p.tcc", *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=here,
        env={**os.environ, **environment},
    )


def until(true: Callable[[], bool]) -> bool:
    """Wait for something; return whether it came."""
    give_up = time.monotonic() + PATIENCE
    while not true():
        if time.monotonic() > give_up:
            return False
        time.sleep(0.1)
    return True


def parents() -> Iterator[tuple[int, int]]:
    """Yield every process and its parent."""
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            fields = (folder / "stat").read_text().rpartition(")")[2].split()
        except (FileNotFoundError, ProcessLookupError):
            continue
        if fields[0] != "Z":
            yield int(folder.name), int(fields[1])


def below(process: int) -> set[int]:
    """Return a process's children, their children, and so on."""
    found: set[int] = set()
    size = -1
    while size != len(found):
        size = len(found)
        found |= {child for child, parent in parents() if parent in {process, *found}}
    return found


def alive(processes: set[int]) -> set[int]:
    return processes & {process for process, _ in parents()}


def namespaces() -> list[str]:
    done = subprocess.run(["ip", "netns"], capture_output=True, text=True, check=True)
    return done.stdout.split()


def is_measuring(process: subprocess.Popen[str], programs: int) -> bool:
    return process.poll() is not None or len(below(process.pid)) >= programs


def goes(process: subprocess.Popen[str], number: signal.Signals, programs: int) -> str:
    """Let it run until so many programs are below it; end it; return what it printed."""
    assert until(lambda: is_measuring(process, programs))
    time.sleep(2)
    children = below(process.pid)
    assert len(children) >= programs, process.communicate()
    process.send_signal(number)
    out, _ = process.communicate(timeout=PATIENCE)
    assert until(lambda: not alive(children)), alive(children)
    return out


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_workers(number: signal.Signals, tmp_path: Path):
    process = start(tmp_path, "--jobs", "2")
    out = goes(process, number, 2)
    if number == signal.SIGTERM:
        assert process.returncode == 130
        assert "(interrupted) after" in out


@pytest.mark.uml
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_a_guest(number: signal.Signals, tmp_path: Path):
    kernel = find()
    assert kernel is not None, "no User-Mode Linux: name one in TCC_UML_KERNEL (docs/verify.md)"
    process = start(
        tmp_path, "--verifier", "kernel", TCC_UML_KERNEL=str(kernel), TMPDIR=str(tmp_path)
    )
    goes(process, number, 3)
    if number != signal.SIGKILL:
        assert process.returncode == 130
        assert [path.name for path in tmp_path.iterdir()] == ["p.tcc"]


@pytest.mark.kernel
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_namespaces_of_this_host(number: signal.Signals, tmp_path: Path):
    before = namespaces()
    process = start(tmp_path, "--verifier", "kernel", TCC_UML_KERNEL="")
    goes(process, number, 4)
    assert until(lambda: namespaces() == before), namespaces()
    if number != signal.SIGKILL:
        assert process.returncode == 130
