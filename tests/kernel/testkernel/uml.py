"""User-Mode Linux: a kernel as an ordinary program, in simulated time.

The guest's clock stands still while anything computes and jumps to the next timer when all is
idle (`time-travel=inf-cpu`, Documentation/virt/uml).  So pacing is exact however busy this machine
is, and a run with the same kernel, command, environment and seed repeats the last one byte for
byte.  Reading the clock costs 256 ns; a loop that polls the clock creeps, and one that waits
without sleeping never ends: take the clock `real` for such.
"""

import os
import shlex
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Literal

from testkernel.guest import Control, Job, Mounts, control, end

Clock = Literal["sim", "cpu", "real"]
TRAVEL = {"sim": "time-travel=inf-cpu", "cpu": "time-travel"}
BOOTED_AT = 1_767_225_600 * 10**9  # ns since 1970: the start of 2026


@dataclass(frozen=True)
class Uml:
    """A User-Mode Linux to run jobs in."""

    kernel: Path
    overlay: Path | None
    clock: Clock = "sim"
    seed: int | None = 1  # None: randomness from this machine
    keep: bool = False
    words: tuple[str, ...] = ()  # more of the kernel's command line

    name = "uml"

    def run(self, job: Job, out: BinaryIO, err: BinaryIO) -> int:
        """Boot, run the job, and return its exit status."""
        with control(self.keep) as guest:
            guest.prepare(job, self._mounts(job, guest), self.name)
            machine = self._start(job, guest)
            try:
                return guest.follow(machine, job.seconds, out, err)
            finally:
                end(machine)

    def _mounts(self, job: Job, guest: Control) -> Mounts:
        def share(path: Path, target: str) -> str:
            quoted = shlex.quote(target)
            return f"mkdir -p {quoted}; mount -t hostfs -o {shlex.quote(str(path))} tcc {quoted}"

        shares = [share(path, f".{path}") for path in job.shared()]
        shares.append(share(guest.path, "run/tcc.ctl"))
        if not self.overlay:
            return Mounts(shares, "/")
        mount = f"mount -t hostfs -o {shlex.quote(str(self.overlay))},ro tcc /mnt/cache"
        return Mounts(shares, "/mnt/cache:/", mount)

    def _start(self, job: Job, guest: Control) -> subprocess.Popen[bytes]:
        words = [
            # the same words every time, for they go into the random numbers
            *("linux", f"mem={job.memory}", "root=/dev/root", "rootfstype=hostfs", "rootflags=/"),
            *("ro", "init=/proc/self/cwd/init", "uml_dir=./", "umid=uml", "seccomp=auto"),
            *("con=null", "ssl=null", "con0=null,fd:1", "quiet", "loglevel=3", "norandmaps"),
            "panic=-1",
        ]
        if self.clock in TRAVEL:
            words += [TRAVEL[self.clock], f"time-travel-start={BOOTED_AT}"]
        if self.seed is not None:
            words.append(f"random-seed={self.seed}")
        words += self.words
        env = {"PATH": os.environ.get("PATH", ""), "TMPDIR": _memory_folder(job.memory)}
        with (guest.path / "console").open("wb") as log, _one_cpu():
            return subprocess.Popen(
                words,
                executable=self.kernel,
                cwd=guest.path,
                env=env,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )


@contextmanager
def _one_cpu() -> Iterator[None]:
    """Start programs on one CPU: the guest's kernel and programs are processes that take turns.

    Handing over on one CPU is several times faster than waking another, idle one.
    """
    allowed = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {sorted(allowed)[os.getpid() % len(allowed)]})
    try:
        yield
    finally:
        os.sched_setaffinity(0, allowed)


def _memory_folder(memory: str) -> str:
    """Return where the file that is the guest's memory goes: a RAM disk if it is large enough."""
    size = int(memory[:-1]) << {"K": 10, "M": 20, "G": 30}[memory[-1].upper()]
    try:
        disk = os.statvfs("/dev/shm")
    except OSError:
        return "/tmp"
    return "/dev/shm" if disk.f_bavail * disk.f_frsize > size else "/tmp"
