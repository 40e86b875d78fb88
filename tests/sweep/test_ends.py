"""However a sweep ends, what it had stored is whole, and the next one does the rest."""

import os
import signal
import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from .conftest import start

RUNS = 240
MANY = ("--vary", "up=1mbit..3mbit/24", "--seeds", "10")
PATIENCE = 60
FILE = "r.sqlite"


def stored(here: Path) -> int:
    """Return how many results are in the file, as another reader sees it."""
    if not (here / FILE).exists():
        return 0
    with closing(sqlite3.connect(here / FILE, timeout=PATIENCE)) as database:
        if not database.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]:
            return 0
        count, keys = database.execute("SELECT count(*), count(DISTINCT key) FROM run").fetchone()
    assert count == keys
    return int(count)


def until(true: Callable[[], bool]) -> None:
    """Wait for something that has to come."""
    give_up = time.monotonic() + PATIENCE
    while not true():
        assert time.monotonic() < give_up
        time.sleep(0.02)


def children(process: int) -> set[int]:
    """Return the children of a process."""
    return {
        int(word) for word in Path(f"/proc/{process}/task/{process}/children").read_text().split()
    }


def alive(processes: set[int]) -> Iterator[int]:
    """Yield those processes that have not ended."""
    for process in processes:
        try:
            state = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
        except (FileNotFoundError, ProcessLookupError):
            continue
        if state != "Z":
            yield process


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> str:
    """What a sweep prints that nothing interrupts."""
    from .conftest import TINY

    folder = tmp_path_factory.mktemp("whole")
    (folder / "tiny.tcc").write_text(TINY)
    done = start("sweep", "tiny.tcc", *MANY, "--json", "--jobs", "2", cwd=folder)
    out, err = done.communicate(timeout=PATIENCE * 5)
    assert (done.returncode, err) == (0, "")
    return out


def finish(here: Path, whole: str) -> None:
    """Run the rest, and see that nothing is lost and nothing was done twice."""
    before = stored(here)
    with closing(sqlite3.connect(here / FILE)) as database:
        database.execute("CREATE TABLE before AS SELECT key, rowid AS place, result FROM run")
        database.commit()
    done = start("sweep", "tiny.tcc", *MANY, "--json", "--jobs", "2", "--out", FILE, cwd=here)
    out, err = done.communicate(timeout=PATIENCE * 5)
    assert (done.returncode, err) == (0, "")
    assert out == whole
    assert stored(here) == RUNS
    with closing(sqlite3.connect(here / FILE)) as database:
        [[same]] = database.execute(
            "SELECT count(*) FROM run JOIN before USING (key, result) WHERE run.rowid = place"
        )
        assert database.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    assert same == before


@pytest.mark.slow
@pytest.mark.parametrize("jobs", ["1", "2"])
def test_after_kill_9_only_what_is_missing_is_run(here, whole, jobs):
    sweep = start("sweep", "tiny.tcc", *MANY, "--jobs", jobs, "--out", FILE, cwd=here)
    until(lambda: stored(here) > 0)
    workers = children(sweep.pid)
    sweep.kill()
    sweep.communicate()
    until(lambda: not list(alive(workers)))
    assert 0 < stored(here) < RUNS
    finish(here, whole)


@pytest.mark.slow
@pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("jobs", ["1", "2"])
def test_ctrl_c_leaves_a_file_to_go_on_from(here, whole, sent, jobs):
    sweep = start("sweep", "tiny.tcc", *MANY, "--jobs", jobs, "--out", FILE, cwd=here)
    until(lambda: stored(here) > 0)
    workers = children(sweep.pid)
    sweep.send_signal(sent)
    out, err = sweep.communicate(timeout=PATIENCE)
    assert sweep.returncode == 130
    assert f"interrupted: {stored(here)} of {RUNS} runs came to their end" in err
    assert f"goes on from {FILE}" in err
    assert "have not been run to their end" in out
    assert list(alive(workers)) == []
    assert 0 < stored(here) < RUNS
    finish(here, whole)


@pytest.mark.slow
def test_a_worker_that_is_killed_ends_the_sweep_and_loses_nothing_stored(here, whole):
    sweep = start("sweep", "tiny.tcc", *MANY, "--jobs", "2", "--out", FILE, cwd=here)
    until(lambda: stored(here) > 0)
    os.kill(min(children(sweep.pid)), signal.SIGKILL)
    _, err = sweep.communicate(timeout=PATIENCE)
    assert sweep.returncode == 2
    assert "error[workers-lost]" in err
    assert 0 < stored(here) < RUNS
    finish(here, whole)


@pytest.mark.slow
def test_two_sweeps_on_one_file_share_the_work(here, whole):
    both = [
        start("sweep", "tiny.tcc", *MANY, "--json", "--jobs", "1", "--out", FILE, cwd=here)
        for _ in range(2)
    ]
    for sweep in both:
        out, err = sweep.communicate(timeout=PATIENCE * 5)
        assert (sweep.returncode, err, out) == (0, "", whole)
    assert stored(here) == RUNS


@pytest.mark.slow
def test_the_bar_shows_how_far_it_is_and_what_is_left(here):
    """On a terminal: a pseudo-terminal stands for one."""
    main, end = os.openpty()
    command = start.__globals__["TCC"]
    process = os.posix_spawn(
        command[0],
        [*command, "sweep", "tiny.tcc", *MANY, "--jobs", "1"],
        os.environ,
        file_actions=[(os.POSIX_SPAWN_DUP2, end, 1), (os.POSIX_SPAWN_DUP2, end, 2)],
    )
    os.close(end)
    shown = b""
    try:
        while piece := os.read(main, 65536):
            shown += piece
    except OSError:  # the other end is closed
        pass
    os.waitpid(process, 0)
    os.close(main)
    text = shown.decode()
    assert f"of {RUNS} runs" in text
    assert "s left" in text
    assert "tiny  (24 points, 10 seeds)" in text.rpartition("\x1b[K")[2]
