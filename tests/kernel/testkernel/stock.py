"""Fetch a stock Debian kernel, to boot it under QEMU."""

import contextlib
import os
import re
import shutil
import subprocess
import tempfile
from pathlib import Path

from testkernel.debian import Mirror
from testkernel.host import UnavailableError, cache, newest, output, put_in_place

# magic number of a compressed file, program that unpacks it
COMPRESSIONS = ((b"\x28\xb5\x2f\xfd", "zstd"), (b"\xfd7zXZ\0", "xz"), (b"\x1f\x8b\x08", "gzip"))


def kernel() -> Path:
    """Return the newest kernel's directory in the cache: `release`, `vmlinuz`, `over/`.

    It is fetched on first use.  `TCC_KERNEL_VERSION=6.12` asks for another; 6.1 is in the suite
    bookworm (`TCC_KERNEL_SUITES=bookworm`), under a name like 6.1.0-50.
    """
    wanted = os.environ.get("TCC_KERNEL_VERSION", "")
    have = {path.name.removeprefix("stock-"): path for path in cache().glob("stock-*")}
    fitting = [version for version in have if (version + ".").startswith(wanted and wanted + ".")]
    return have[newest(fitting)] if fitting else _fetch(wanted)


def _fetch(wanted: str) -> Path:
    mirror = Mirror()
    found = {
        match.group(1): match.group(0)
        for match in mirror.names(r"linux-image-(\d[0-9.]*(?:-\d+)?)(?:\+deb\d+)?-cloud-amd64")
        if (match.group(1) + ".").startswith(wanted and wanted + ".")
    }
    if not found:
        suites = " ".join(mirror.suites)
        raise UnavailableError(f"no package linux-image-{wanted or '*'}-cloud-amd64 in {suites}")
    version = newest(list(found))
    made = Path(tempfile.mkdtemp(dir=cache(), prefix="new-"))
    try:
        for package in _parts(mirror, found[version], version):
            mirror.unpack(package, made / "over")
        _lay_out(made)
        put_in_place(made, cache() / f"stock-{version}")
    finally:
        shutil.rmtree(made, ignore_errors=True)
    return cache() / f"stock-{version}"


def _parts(mirror: Mirror, image: str, version: str) -> list[str]:
    """Return the image's package and those of its own version that it needs (its modules)."""
    todo, parts = [image], set[str]()
    while todo:
        name = todo.pop()
        if name not in parts:
            parts.add(name)
            depends = mirror.depends(name)
            todo += [other for other in depends if other.startswith("linux-") and version in other]
    return sorted(parts)


def _lay_out(made: Path) -> None:
    over = made / "over"
    [modules] = [*over.glob("usr/lib/modules/*"), *over.glob("lib/modules/*")]
    release = modules.name
    if not modules.is_relative_to(over / "usr"):  # always below usr: /lib is a link there
        (over / "usr/lib").mkdir(parents=True, exist_ok=True)
        (over / "lib/modules").rename(over / "usr/lib/modules")
        modules = over / "usr/lib/modules" / release
    [image, *_] = [*modules.glob("vmlinuz"), *(over / "boot").glob("vmlinuz-*")]
    image.rename(made / "vmlinuz")
    for junk in ("usr/share", "boot", "lib"):
        shutil.rmtree(over / junk, ignore_errors=True)
    _unpack_modules(modules)
    (over / "lib").symlink_to("usr/lib")  # where depmod looks
    output("/sbin/depmod", "-b", str(over), release)
    (over / "lib").unlink()
    _unpack_image(made / "vmlinuz", made / "vmlinux")
    (made / "release").write_text(release + "\n")


def _unpack_modules(modules: Path) -> None:
    """Unpack compressed modules: plain ones load faster."""
    for suffix, tool in ((".xz", ["xz", "-d", "-q"]), (".zst", ["zstd", "-d", "-q", "--rm"])):
        files = [str(path) for path in modules.rglob(f"*.ko{suffix}")]
        for start in range(0, len(files), 200):
            output(*tool, *files[start : start + 200])


def _unpack_image(packed: Path, image: Path) -> None:
    """Write the kernel unpacked, if it can be: that starts faster on a software CPU."""
    data = packed.read_bytes()
    for magic, tool in COMPRESSIONS:
        for place in re.finditer(re.escape(magic), data):
            with contextlib.suppress(FileNotFoundError):
                done = subprocess.run(
                    [tool, "-dc"], input=data[place.start() :], capture_output=True, check=False
                )
                if done.stdout.startswith(b"\x7fELF"):
                    image.write_bytes(done.stdout)
                    return
