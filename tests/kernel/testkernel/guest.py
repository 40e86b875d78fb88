"""What happens inside the guest, whichever machine it is: two scripts and a control directory.

`init` is the guest's first process.  It lays a RAM disk over this machine's root file system, so
that writes vanish, and changes into it; `run` then runs the command and writes down how it ended.
"""

import os
import re
import shlex
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO

from testkernel.host import UnavailableError

TIMED_OUT = 124  # as timeout(1) says it

ENVIRONMENT = {
    "HOME": "/root",
    "LANG": "C.UTF-8",
    "PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
    "PYTHONDONTWRITEBYTECODE": "1",
    "PYTHONHASHSEED": "0",
    "TERM": "dumb",
}

INIT = r"""#!/bin/bash
export PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
%(prologue)s
mount -t tmpfs -o mode=755 tcc /mnt
mkdir /mnt/up /mnt/work /mnt/root /mnt/cache
%(cache)s
mount -t overlay -o lowerdir=%(lower)s,upperdir=/mnt/up,workdir=/mnt/work tcc /mnt/root
cd /mnt/root
mount -t proc proc proc
mount -t sysfs sysfs sys
mount -t devtmpfs dev dev
mkdir -p dev/pts dev/shm old
mount -t devpts -o mode=600,ptmxmode=666 devpts dev/pts
mount -t tmpfs tmpfs dev/shm
mount -t tmpfs -o mode=755 tmpfs run
ln -sfn /proc/self/fd dev/fd
for n in 0 1 2; do set -- stdin stdout stderr; shift $n; ln -sfn /proc/self/fd/$n dev/$1; done
mkdir -p run/netns run/lock run/tcc.ctl
%(shares)s
pivot_root . old
exec chroot . /bin/bash /run/tcc.ctl/run
"""

# The second before the command lets the boot's leftovers finish, so that the run does not depend
# on them; and ping (iputils) ignores its interval while the uptime is below a second.
RUN = r"""cd /
umount -l /old; rmdir /old
mount -t debugfs debugfs /sys/kernel/debug
mount -t tracefs tracefs /sys/kernel/tracing
hostname tcc
mount --make-rshared /
ip link set lo up
[ -e /sbin/modprobe ] && echo /sbin/modprobe > /proc/sys/kernel/modprobe
echo "3 4 1 3" > /proc/sys/kernel/printk
mkfifo /run/tcc.out /run/tcc.err
cat /run/tcc.out >> /run/tcc.ctl/out & O=$!
cat /run/tcc.err >> /run/tcc.ctl/err & E=$!
(
  exec </run/tcc.ctl/in >/run/tcc.out 2>/run/tcc.err
  . /run/tcc.ctl/env
  cd %(cwd)s
  sleep 1
  exec %(command)s
)
S=$?
for p in /proc/[0-9]*; do
  p=${p#/proc/}
  [ $p = $$ -o $p = $O -o $p = $E ] || kill -9 $p
done 2>/dev/null
wait $O $E
sync
echo $S > /run/tcc.ctl/status
echo o > /proc/sysrq-trigger
sleep 60
"""


@dataclass(frozen=True)
class Job:
    """A command to run as root in a guest."""

    command: Sequence[str]
    env: Mapping[str, str] = field(default_factory=dict)  # on top of ENVIRONMENT
    cwd: Path = field(default_factory=Path.cwd)  # read-write in the guest
    writable: Sequence[Path] = ()  # more such directories
    stdin: bytes = b""
    memory: str = "512M"
    seconds: float = 600  # of real time; then the guest is ended

    def shared(self) -> list[Path]:
        """Return the directories that the guest may write to, none within another."""
        wanted = sorted({path.resolve() for path in (self.cwd, *self.writable)})
        kept: list[Path] = []
        for path in wanted:
            if path != Path("/") and not any(path.is_relative_to(other) for other in kept):
                kept.append(path)
        return kept


@dataclass(frozen=True)
class Mounts:
    """How one kind of machine shows the guest directories of this one: lines of shell."""

    shares: Sequence[str]  # mount the job's directories and the control directory below `.`
    lower: str  # the layers below the root, topmost first
    cache: str = ""  # mount what `lower` needs on /mnt/cache
    prologue: str = ""


class Control:
    """The directory through which a guest is told what to do and says how it went."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def prepare(self, job: Job, mounts: Mounts, kind: str) -> None:
        """Write down the job."""
        init = INIT % {
            "prologue": mounts.prologue,
            "cache": mounts.cache,
            "lower": mounts.lower,
            "shares": "\n".join(mounts.shares),
        }
        command = shlex.join(str(word) for word in job.command)
        run = RUN % {"cwd": shlex.quote(str(job.cwd.resolve())), "command": command}
        env = {**ENVIRONMENT, **job.env, "TCC_IN_VM": kind}
        exports = [
            f"export {name}={shlex.quote(value)}\n"
            for name, value in sorted(env.items())
            if re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", name)
        ]
        for name, text in (("init", init), ("run", run), ("env", "".join(exports))):
            (self.path / name).write_text(text)
        (self.path / "init").chmod(0o755)
        (self.path / "in").write_bytes(job.stdin)
        for name in ("out", "err", "console"):
            (self.path / name).touch()

    def follow(
        self, machine: subprocess.Popen[bytes], seconds: float, out: BinaryIO, err: BinaryIO
    ) -> int:
        """Pass the guest's output on until its command has ended; return the exit status.

        Raises:
            UnavailableError: the guest ended without a status; with the end of its console.
        """
        give_up = time.monotonic() + seconds
        with (
            (self.path / "out").open("rb", 0) as guest_out,
            (self.path / "err").open("rb", 0) as guest_err,
        ):
            pairs = [(guest_out, out), (guest_err, err)]
            pause = 0.002
            while machine.poll() is None and not (self.path / "status").exists():
                if time.monotonic() > give_up:
                    return TIMED_OUT
                moved = [_pass_on(*pair) for pair in pairs]
                pause = 0.002 if any(moved) else min(pause * 1.3, 0.05)
                time.sleep(pause)
            for pair in pairs:
                _pass_on(*pair)
        return self._status()

    def _status(self) -> int:
        status = self.path / "status"
        for _ in range(100):  # the guest creates the file, then writes to it
            if status.exists() and (text := status.read_text()).endswith("\n"):
                return int(text)
            time.sleep(0.01)
        console = (self.path / "console").read_text(errors="replace")[-3000:]
        raise UnavailableError(f"the guest ended early; the end of its console:\n{console}")


@contextmanager
def control(keep: bool = False) -> Iterator[Control]:
    """Make a control directory, and remove it afterwards."""
    path = Path(tempfile.mkdtemp(prefix="tcc-guest-"))
    try:
        yield Control(path)
    finally:
        if not keep:
            shutil.rmtree(path, ignore_errors=True)


def end(machine: subprocess.Popen[bytes], wait: float = 2) -> None:
    """End a machine started as its own session, and everything it started."""
    for number in (signal.SIGTERM, signal.SIGKILL):
        with suppress(ProcessLookupError, subprocess.TimeoutExpired):
            if machine.poll() is None:
                os.killpg(machine.pid, number)
                machine.wait(wait)
    with suppress(ProcessLookupError):
        os.killpg(machine.pid, signal.SIGKILL)  # the guest's programs, which outlive its kernel


def _pass_on(source: BinaryIO, sink: BinaryIO) -> bool:
    moved = False
    while data := source.read(1 << 16):
        sink.write(data)
        sink.flush()
        moved = True
    return moved
