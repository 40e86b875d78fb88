"""A first root file system for stock kernels that have virtiofs as a module: Linux 6.1.

It holds busybox, the libraries that it needs and the modules, in the archive format of the
kernel's Documentation/driver-api/early-userspace/buffer-format.rst (cpio, "newc").
"""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

from testkernel.host import output, require

NEEDED: Final = ("virtio_pci", "virtiofs", "overlay")
BUSYBOX: Final = Path("/bin/busybox")
INIT: Final = """\
#!/bin/busybox sh
/bin/busybox mount -t proc proc /proc
for module in {modules}; do /bin/busybox insmod $module; done
/bin/busybox mount -t virtiofs -o ro root /root
for word in $(/bin/busybox cat /proc/cmdline); do
  case $word in init=*) init=${{word#init=}} ;; esac
done
/bin/busybox umount /proc
exec /bin/busybox switch_root /root "$init"
"""
DIRECTORY, PROGRAM = 0o040755, 0o100755


def ensure(kernel: Path) -> Path | None:
    """Return the archive for a kernel's directory, made if need be; None if it needs none."""
    modules = next((kernel / "over/usr/lib/modules").iterdir())
    if "/virtiofs.ko" in (modules / "modules.builtin").read_text():
        return None
    made = kernel / "initramfs"
    if not made.exists():
        require({str(BUSYBOX): "busybox"})
        beside = made.with_suffix(".new")
        beside.write_bytes(_archive(_contents(modules)))
        beside.replace(made)
    return made


def _contents(modules: Path) -> dict[str, bytes]:
    """Return the files of the archive by path."""
    loaded = list(_in_order(modules))
    files = {f"modules/{Path(name).name}": (modules / name).read_bytes() for name in loaded}
    linked = re.findall(r"(/\S+) \(0x", output("ldd", str(BUSYBOX)))
    programs = [BUSYBOX, *map(Path, linked)]
    files |= {str(path).lstrip("/"): path.read_bytes() for path in programs}
    names = " ".join(f"/modules/{Path(name).name}" for name in loaded)
    return {**files, "init": INIT.format(modules=names).encode()}


def _in_order(modules: Path) -> Iterator[str]:
    """Yield the modules that are needed, each after those that it needs itself."""
    lines = (modules / "modules.dep").read_text().splitlines()
    needs = {name: rest.split() for name, _, rest in (line.partition(":") for line in lines)}
    done: set[str] = set()
    for wanted in NEEDED:
        for name, needed in needs.items():
            if Path(name).name == f"{wanted}.ko":  # modules.dep lists the nearest first
                for each in [*reversed(needed), name]:
                    if each not in done:
                        done.add(each)
                        yield each


def _archive(files: Mapping[str, bytes]) -> bytes:
    folders = {str(parent) for name in files for parent in Path(name).parents} - {"."}
    entries = [(name, DIRECTORY, b"") for name in sorted({*folders, "proc", "root", "dev"})]
    entries += [(name, PROGRAM, data) for name, data in files.items()]
    parts = [_entry(number, *entry) for number, entry in enumerate(entries, 1)]
    return b"".join([*parts, _entry(0, "TRAILER!!!", 0, b"")])


def _entry(number: int, name: str, mode: int, data: bytes) -> bytes:
    """Return one file: a header of 13 hexadecimal fields, its name, its bytes, each padded to 4."""
    fields = (number, mode, 0, 0, 1, 0, len(data), 0, 0, 0, 0, len(name) + 1, 0)
    head = b"070701" + b"".join(b"%08X" % field for field in fields) + name.encode() + b"\0"
    return head + bytes(-len(head) % 4) + data + bytes(-len(data) % 4)
