"""A guest for the measurements: User-Mode Linux in simulated time.

The guest's clock stands still while anything computes and jumps to the next timer when all is
idle (`time-travel=inf-cpu`, Documentation/virt/uml), so pacing is exact however busy this machine
is. The guest sees this machine's files; what it writes to them vanishes.
"""

import lzma
import os
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from hashlib import sha256
from pathlib import Path

from tcc_plugins.kernel.child import end, start

KERNEL = "TCC_UML_KERNEL"
MEMORY = "512M"
BOOTED_AT = 1_767_225_600 * 10**9
PATIENCE = 1800
"""Seconds of real time after which a guest is given up."""
GRACE = 2
"""Seconds that a guest has to end when it is told to."""

INIT = """#!/bin/sh
export PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
mount -t tmpfs -o mode=755 tcc /mnt
mkdir /mnt/up /mnt/work /mnt/root
mount -t overlay -o lowerdir=/,upperdir=/mnt/up,workdir=/mnt/work tcc /mnt/root
cd /mnt/root
mount -t proc proc proc
mount -t sysfs sysfs sys
mount -t devtmpfs dev dev
mount -t tmpfs -o mode=755 tmpfs run
mkdir -p run/netns run/tcc old
mount -t hostfs -o {control} tcc run/tcc
pivot_root . old
exec chroot . /bin/sh /run/tcc/run
"""
RUN = """cd /
umount -l /old
ip link set lo up
sleep 1
{command} </dev/null >/run/tcc/out 2>/run/tcc/err
S=$?
sync
echo $S > /run/tcc/status
echo o > /proc/sysrq-trigger
sleep 60
"""


class GuestError(Exception):
    """The guest did not do its job; the message says what it said."""


def kernel() -> Path | None:
    """Return the kernel that `$TCC_UML_KERNEL` names, unpacked; None where it names none."""
    named = os.environ.get(KERNEL)
    if not named:
        return None
    path = Path(named)
    if not path.is_file():
        raise GuestError(f"{KERNEL}={named}: no such file")
    return _unpacked(path) if path.suffix == ".xz" else path


def _unpacked(packed: Path) -> Path:
    data = packed.read_bytes()
    cache = Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache").expanduser() / "tcpolicy"
    cache.mkdir(parents=True, exist_ok=True, mode=0o700)
    final = cache / f"uml-{sha256(data).hexdigest()[:16]}"
    if not final.exists():
        new = final.with_suffix(f".{os.getpid()}")
        new.write_bytes(lzma.decompress(data))
        new.chmod(0o755)
        new.replace(final)
    return final


def run(kernel: Path, program: Path, job: str, seed: int) -> str:
    """Run a program, a package, with a job in a guest; return what it prints.

    Raises:
        GuestError: it failed, or the guest did.
    """
    control = Path(tempfile.mkdtemp(prefix="tcc-guest-"))
    try:
        (control / "job").write_text(job)
        shutil.copytree(program, control / program.name, ignore=shutil.ignore_patterns("*.pyc"))
        words = shlex.join([sys.executable, "-BP", "-m", program.name, "/run/tcc/job"])
        (control / "run").write_text(RUN.format(command=f"PYTHONPATH=/run/tcc {words}"))
        (control / "init").write_text(INIT.format(control=shlex.quote(str(control))))
        (control / "init").chmod(0o755)
        return _follow(kernel, control, seed)
    finally:
        shutil.rmtree(control, ignore_errors=True)


def _follow(kernel: Path, control: Path, seed: int) -> str:
    machine = _start(kernel, control, seed)
    give_up = time.monotonic() + PATIENCE
    try:
        while machine.poll() is None and not (control / "status").exists():
            if time.monotonic() > give_up:
                raise GuestError(f"no answer within {PATIENCE} s")
            time.sleep(0.05)
        time.sleep(0.05)  # the guest makes the file, then writes to it
        status = control / "status"
        if not status.exists():
            console = (control / "console").read_text(errors="replace")[-500:]
            raise GuestError(f"the guest ended early: {console.strip()}")
        if status.read_text().strip() != "0":
            said = (control / "err").read_text(errors="replace").strip()
            raise GuestError(said.splitlines()[-1] if said else "the guest's program failed")
        return (control / "out").read_text()
    finally:
        end(machine, GRACE)


def _start(kernel: Path, control: Path, seed: int) -> subprocess.Popen[bytes]:
    words = [
        "linux", f"mem={MEMORY}", "root=/dev/root", "rootfstype=hostfs", "rootflags=/", "ro",
        "init=/proc/self/cwd/init", "uml_dir=./", "umid=uml", "seccomp=auto", "con=null",
        "ssl=null", "con0=null,fd:1", "quiet", "loglevel=3", "norandmaps", "panic=-1",
        "time-travel=inf-cpu", f"time-travel-start={BOOTED_AT}", f"random-seed={seed}",
    ]  # fmt: skip
    shared = "/dev/shm" if os.access("/dev/shm", os.W_OK) else "/tmp"
    with (control / "console").open("wb") as log:
        return start(
            words,
            signal.SIGKILL,
            executable=kernel,
            cwd=control,
            env={"PATH": os.environ.get("PATH", ""), "TMPDIR": shared},
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
        )
