"""A real Dask scheduler and real workers on this machine: the same bytes, and nothing lost."""

import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from .test_ends import FILE, MANY, PATIENCE, RUNS, finish, start, stored, until, whole

__all__ = ["whole"]

ROOT = Path(__file__).parents[2]


@contextmanager
def dask(folder: Path, *arguments: str, **environment: str) -> Iterator[subprocess.Popen[bytes]]:
    """Run `dask ...`; what it logs goes to a file."""
    log = folder / f"{len(list(folder.glob('*.log')))}.log"
    with log.open("wb") as file:
        process = subprocess.Popen(
            [sys.executable, "-m", "dask", *arguments],
            stdout=file,
            stderr=file,
            cwd=folder,
            env={**os.environ, **environment},
        )
    try:
        process.log = log  # type: ignore[attr-defined]
        yield process
    finally:
        process.kill()
        process.wait()


class Cluster:
    """A scheduler on a port of its own, and workers."""

    def __init__(self, folder: Path, stack: ExitStack) -> None:
        self.folder, self.stack = folder, stack
        scheduler = stack.enter_context(
            dask(folder, "scheduler", "--host", "127.0.0.1", "--port", "0", "--no-dashboard",
                 "--no-show")
        )  # fmt: skip
        until(lambda: self.find(scheduler, r"Scheduler at: +(tcp://\S+)") is not None)
        self.address = str(self.find(scheduler, r"Scheduler at: +(tcp://\S+)"))

    @staticmethod
    def find(process: subprocess.Popen[bytes], pattern: str) -> str | None:
        found = re.search(pattern, process.log.read_text())  # type: ignore[attr-defined]
        return found[1] if found else None

    def worker(self, threads: int = 1, **environment: str) -> subprocess.Popen[bytes]:
        """Start a worker: one process, whose end is the worker's."""
        process = self.stack.enter_context(
            dask(self.folder, "worker", self.address, "--no-nanny", "--nthreads", str(threads),
                 "--host", "127.0.0.1", "--no-dashboard", **environment)
        )  # fmt: skip
        until(lambda: self.find(process, r"(Registered to)") is not None)
        return process


@pytest.fixture
def scheduler(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    with ExitStack() as stack:
        yield Cluster(tmp_path_factory.mktemp("dask"), stack)


@pytest.mark.slow
def test_a_worker_killed_half_way_loses_nothing_and_the_bytes_are_the_same(scheduler, here, whole):
    first, _ = scheduler.worker(), scheduler.worker()
    sweep = start(
        "sweep", "tiny.tcc", *MANY, "--json", "--cluster", scheduler.address, "--out", FILE,
        cwd=here,
    )  # fmt: skip
    until(lambda: stored(here) >= RUNS // 4)
    first.send_signal(signal.SIGKILL)
    assert stored(here) < RUNS
    out, err = sweep.communicate(timeout=PATIENCE * 5)
    assert (sweep.returncode, out) == (0, whole), err
    assert stored(here) == RUNS


@pytest.mark.slow
def test_ctrl_c_on_a_cluster_leaves_a_file_to_go_on_from_without_one(scheduler, here, whole):
    scheduler.worker()
    sweep = start(
        "sweep", "tiny.tcc", *MANY, "--cluster", scheduler.address, "--out", FILE, cwd=here
    )
    until(lambda: stored(here) > 0)
    sweep.send_signal(signal.SIGINT)
    _, err = sweep.communicate(timeout=PATIENCE)
    assert sweep.returncode == 130
    assert "interrupted" in err
    assert 0 < stored(here) < RUNS
    finish(here, whole)


@pytest.mark.slow
def test_a_worker_with_another_tcc_is_refused(scheduler, here):
    other = here / "other"
    shutil.copytree(ROOT / "tcc", other / "tcc", ignore=shutil.ignore_patterns("*.so", "*.c"))
    shutil.copytree(ROOT / "grammar", other / "grammar")
    module = other / "tcc" / "verify" / "judge.py"
    module.write_text(module.read_text() + "\n# another program\n")
    scheduler.worker(PYTHONPATH=str(other))
    assert "error[cluster-version]" in refused(here, scheduler.address)


@pytest.mark.slow
def test_a_worker_without_tcc_is_refused(scheduler, here):
    (here / "none").mkdir()
    (here / "none" / "tcc.py").write_text("raise ImportError('no tcc here')\n")
    scheduler.worker(PYTHONPATH=str(here / "none"))
    assert "error[cluster-version]" in refused(here, scheduler.address)


def refused(here: Path, address: str) -> str:
    """Return what is said where a sweep is refused before it begins.

    In a process of its own: in one that has had several clients Dask may wait for itself.
    """
    sweep = start("sweep", "tiny.tcc", *MANY, "--cluster", address, "--out", FILE, cwd=here)
    out, err = sweep.communicate(timeout=PATIENCE)
    assert (sweep.returncode, out) == (2, "")
    assert stored(here) == 0
    assert "Traceback" not in err
    return err


@pytest.mark.slow
def test_a_scheduler_without_workers_is_refused(scheduler, here):
    said = refused(here, scheduler.address)
    assert "error[cluster-unreachable]" in said
    assert "has no workers" in said


@pytest.mark.slow
def test_a_worker_with_threads_is_told_of(scheduler, here):
    scheduler.worker(threads=2)
    sweep = start("sweep", "tiny.tcc", "--seeds", "2", "--cluster", scheduler.address, cwd=here)
    _, err = sweep.communicate(timeout=PATIENCE)
    assert sweep.returncode == 0
    assert "note[cluster-threads]" in err


@pytest.mark.slow
@pytest.mark.parametrize("address", ["tcp://127.0.0.1:1", "nonsense", "gopher://127.0.0.1:70"])
def test_where_nothing_answers_it_is_refused(here, address):
    assert "error[cluster-unreachable]" in refused(here, address)


def test_without_dask_it_says_what_to_install(tcc, here, monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    done = tcc("sweep", "tiny.tcc", "--seeds", "2", "--cluster", "tcp://127.0.0.1:1")
    assert (done.code, done.out) == (2, "")
    assert "error[cluster-extra]" in done.err
    assert "tcpolicy[cluster]" in done.err
