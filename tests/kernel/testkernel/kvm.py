"""A stock Debian kernel in a virtual machine: QEMU, with this CPU's virtualisation or without.

The machine's memory is shared with virtiofsd, which shows the guest this machine's directories.
Without KVM the guest's clock counts executed instructions and skips idle time, so that packets are
paced exactly however slow this machine is; two such runs are nearly, not wholly, identical.
"""

import os
import re
import shlex
import subprocess
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from testkernel import initramfs
from testkernel.guest import Control, Job, Mounts, control, end
from testkernel.host import UnavailableError

PROGRAMS = {
    "qemu-system-x86_64": "qemu-system-x86",
    "depmod": "kmod",
    "xz": "xz-utils",
    "zstd": "zstd",
}
SERVERS = ("/usr/lib/qemu/virtiofsd", "/usr/libexec/virtiofsd")  # Debian 12; Debian 13
QUIET = (
    "console=ttyS0 quiet loglevel=3 panic=-1 mitigations=off nokaslr apparmor=0 audit=0 "
    "random.trust_cpu=1 tsc=reliable no_timer_check rcupdate.rcu_expedited=1 "
    "cryptomgr.notests net.ifnames=0"
)


@dataclass(frozen=True)
class Kvm:
    """A virtual machine to run jobs in."""

    kernel: Path  # the directory made by `stock.kernel`
    overlay: Path | None
    cpus: int = 1
    simulated_time: bool = True
    keep: bool = False

    name = "kvm"

    def run(self, job: Job, out: BinaryIO, err: BinaryIO) -> int:
        """Boot, run the job, and return its exit status."""
        with control(self.keep) as guest, ExitStack() as children:
            guest.prepare(job, self._mounts(job), self.name)
            devices: list[str] = []
            for tag, folder in self._shared(job, guest).items():
                socket = guest.path / f"{tag}.sock"
                children.enter_context(_file_server(folder, socket, guest))
                devices += [
                    *("-chardev", f"socket,id={tag},path={socket}"),
                    *("-device", f"vhost-user-fs-pci,chardev={tag},tag={tag},queue-size=1024"),
                ]
            machine = self._start(job, guest, devices)
            try:
                return guest.follow(machine, job.seconds, out, err)
            finally:
                end(machine)

    def _layers(self) -> dict[str, Path]:
        layers = {"tools": self.overlay} if self.overlay else {}
        return {**layers, "modules": self.kernel / "over"}

    def _shared(self, job: Job, guest: Control) -> dict[str, Path]:
        folders = {f"work{i}": path for i, path in enumerate(job.shared())}
        return {"root": Path("/"), "ctl": guest.path, **self._layers(), **folders}

    def _mounts(self, job: Job) -> Mounts:
        layers = self._layers()
        cache = [
            f"mkdir /mnt/cache/{tag}; mount -t virtiofs -o ro {tag} /mnt/cache/{tag}"
            for tag in layers
        ]
        shares = ["mount -t virtiofs ctl run/tcc.ctl"]
        for i, path in enumerate(job.shared()):
            target = shlex.quote(f".{path}")
            shares.append(f"mkdir -p {target}; mount -t virtiofs work{i} {target}")
        release = (self.kernel / "release").read_text().strip()
        overlayfs = f"/usr/lib/modules/{release}/kernel/fs/overlayfs/overlay.ko"
        prologue = (
            "mount -t proc proc /proc; mount -t tmpfs tcc /mnt; mkdir /mnt/m\n"
            f"mount -t virtiofs -o ro modules /mnt/m; insmod /mnt/m{overlayfs}\n"
            "umount /mnt/m /mnt"
        )
        lower = ":".join([*(f"/mnt/cache/{tag}" for tag in layers), "/"])
        return Mounts(shares, lower, "\n".join(cache), prologue)

    def _start(self, job: Job, guest: Control, devices: list[str]) -> subprocess.Popen[bytes]:
        memory = f"memory-backend-memfd,id=mem,size={job.memory},share=on"
        image = self.kernel / "vmlinux"
        kvm = hardware_kvm()
        if kvm or not image.exists():
            image = self.kernel / "vmlinuz"
        words = f"root=root rootfstype=virtiofs ro init={guest.path}/init {QUIET}"
        command = [
            *("qemu-system-x86_64", "-nodefaults", "-no-user-config", "-display", "none"),
            *("-no-reboot", "-M", "q35", "-smp", str(self.cpus), "-m", job.memory),
            *("-object", memory, "-numa", "node,memdev=mem"),
            *("-kernel", str(image), "-append", words),
            *(("-initrd", str(first)) if (first := initramfs.ensure(self.kernel)) else ()),
            *("-serial", f"file:{guest.path}/console"),
            *self._processor(kvm),
            *devices,
        ]
        with (guest.path / "log").open("ab") as log:
            return subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True
            )

    def _processor(self, kvm: bool) -> list[str]:
        if self.simulated_time:
            clock = ["-rtc", "clock=vm", "-icount", "shift=1,sleep=off"]
            return ["-accel", "tcg,thread=single", "-cpu", "qemu64,+rdrand", *clock]
        if kvm:
            return ["-accel", "kvm", "-cpu", "host"]
        return ["-accel", "tcg,thread=multi", "-cpu", "qemu64,+rdrand"]


def hardware_kvm() -> bool:
    """Return whether KVM runs on this CPU's own virtualisation; on any other a guest crawls."""
    flags = re.search(r"^flags\s*:.*\b(vmx|svm)\b", Path("/proc/cpuinfo").read_text(), re.MULTILINE)
    usable = os.access("/dev/kvm", os.R_OK | os.W_OK)
    return bool(flags) and usable and not os.path.exists("/sys/module/kvm_pvm")


@contextmanager
def _file_server(folder: Path, socket: Path, guest: Control) -> Iterator[None]:
    program = next((path for path in SERVERS if os.path.exists(path)), None)
    if program is None:
        raise UnavailableError(
            "virtiofsd is not installed: try apt-get install qemu-system-common (or virtiofsd)"
        )
    if "qemu" in program:
        options = f"source={folder},cache=auto,sandbox=chroot,log_level=err"
        command = [program, "-f", f"--socket-path={socket}", "-o", options]
    else:
        command = [program, f"--socket-path={socket}", f"--shared-dir={folder}"]
        command += ["--cache=auto", "--sandbox=chroot", "--log-level=error"]
    with (guest.path / "log").open("ab") as log:
        server = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True
        )
    try:
        for _ in range(500):
            if socket.exists():
                break
            if server.poll() is not None:
                raise UnavailableError(f"{program} ended early ({server.returncode})")
            time.sleep(0.01)
        yield
    finally:
        end(server)
