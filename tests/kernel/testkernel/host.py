"""This machine: its programs, its packages, and where the test kernels are kept."""

import fcntl
import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path


class UnavailableError(Exception):
    """Something the test kernels need is not there; the message says what, and the cure."""


def say(text: str) -> None:
    """Print progress where it does not mix with a command's output."""
    print(f"test kernel: {text}", file=sys.stderr, flush=True)


def output(*argv: str, cwd: Path | None = None) -> str:
    """Run a program and return what it prints.

    Raises:
        UnavailableError: the program is not there, or failed; with the end of its standard error.
    """
    try:
        done = subprocess.run(
            argv, stdin=subprocess.DEVNULL, capture_output=True, cwd=cwd, check=False
        )
    except FileNotFoundError as problem:
        raise UnavailableError(f"{argv[0]} is not installed") from problem
    if done.returncode:
        words = done.stderr.decode(errors="replace").strip()[-2000:]
        raise UnavailableError(f"{shlex.join(argv)} failed ({done.returncode}):\n{words}")
    return done.stdout.decode(errors="replace")


def succeeds(*argv: str) -> bool:
    """Return whether a program is there and exits with 0."""
    try:
        return not subprocess.run(argv, capture_output=True, check=False).returncode
    except FileNotFoundError:
        return False


def require(programs: Mapping[str, str]) -> None:
    """Check that programs are installed, given as program (or file) and Debian package.

    Raises:
        UnavailableError: naming all packages to install.
    """
    path = os.environ.get("PATH", "") + ":/usr/sbin:/sbin"
    absent = [
        package
        for program, package in programs.items()
        if not (os.path.exists(program) if "/" in program else shutil.which(program, path=path))
    ]
    if absent:
        raise UnavailableError(f"not installed: try apt-get install {' '.join(absent)}")


def require_root() -> None:
    """Check that this process may boot a guest with the whole file system in view."""
    if os.geteuid() != 0:
        raise UnavailableError("the test kernels need root: they show the guest this whole machine")


def cache() -> Path:
    """Return the directory of fetched and built kernels, made if need be."""
    path = Path(os.environ.get("TCC_KERNEL_CACHE") or "~/.cache/tcc-kernel").expanduser()
    path.mkdir(parents=True, exist_ok=True)
    return path.resolve()


@contextmanager
def cache_lock() -> Iterator[Path]:
    """Hold the cache against other runs that fetch into it."""
    where = cache()
    with (where / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield where


def put_in_place(made: Path, final: Path) -> None:
    """Give a finished directory its name."""
    made.chmod(0o755)
    shutil.rmtree(final, ignore_errors=True)
    made.replace(final)


def newest(versions: Sequence[str]) -> str:
    """Return the newest of Debian versions."""
    best = versions[0]
    for version in versions[1:]:
        if succeeds("dpkg", "--compare-versions", version, "gt", best):
            best = version
    return best
