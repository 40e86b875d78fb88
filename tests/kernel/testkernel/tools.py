"""A `tc` that knows the newest qdiscs, as a directory to lay over the guest's root."""

import os
import shutil
import tempfile
from pathlib import Path

from testkernel.debian import Mirror
from testkernel.host import UnavailableError, cache, put_in_place, succeeds

LIBC = "usr/lib/x86_64-linux-gnu"

WRAPPER = """\
#!/bin/sh
export TC_LIB_DIR=${{TC_LIB_DIR:-/{home}/{libc}/tc}}
exec {command} "$@"
"""


def overlay() -> Path | None:
    """Return the directory that holds a newer iproute2; None if this machine's own is new enough.

    It is fetched once, by package name.  More packages: `TCC_KERNEL_TOOLS="iproute2 netperf"`.
    """
    wanted = os.environ.get("TCC_KERNEL_TOOLS", "iproute2").split()
    # Asking for help parses the qdisc's options and never reaches the kernel.
    if wanted == ["iproute2"] and knows_cake_mq("tc"):
        return None
    final = cache() / ("tools-" + "-".join(wanted))
    if not final.exists():
        made = Path(tempfile.mkdtemp(dir=cache(), prefix="new-"))
        try:
            _fetch(made, wanted)
            put_in_place(made, final)
        finally:
            shutil.rmtree(made, ignore_errors=True)
    return final


def knows_cake_mq(*tc: str) -> bool:
    """Return whether this `tc` can speak of the newest qdisc the tests use."""
    return succeeds("bash", "-c", '"$@" qdisc add dev lo root cake_mq help 2>&1 | grep -q Usage',
                    "bash", *tc)  # fmt: skip


def _fetch(made: Path, wanted: list[str]) -> None:
    mirror = Mirror()
    home = "usr/lib/tcc-tools"  # the same path in the guest
    (made / home).mkdir(parents=True)
    for name in wanted:
        mirror.unpack(name, made / home)
    loader = []
    if not succeeds(str(made / home / "usr/sbin/tc"), "-V"):
        loader = _newer_libc(mirror, made / home / "libc", f"/{home}/libc/{LIBC}")
    for program in sorted([*(made / home).glob("usr/*bin/*"), *(made / home).glob("bin/*")]):
        if program.is_symlink() or not program.is_file():
            continue
        command = " ".join([*loader, "/" + str(program.relative_to(made))])
        for folder in (made / "usr/bin", made / "usr/sbin"):  # packages differ on where it is
            folder.mkdir(parents=True, exist_ok=True)
            wrapper = folder / program.name
            wrapper.write_text(WRAPPER.format(home=home, libc=LIBC, command=command))
            wrapper.chmod(0o755)


def _newer_libc(mirror: Mirror, into: Path, seen_as: str) -> list[str]:
    """Lay a newer C library beside the programs that need one; return how to start them."""
    try:
        mirror.unpack(f"libc6/{mirror.suites[0]}", into)
    except UnavailableError:
        mirror.unpack("libc6", into)
    return [f"{seen_as}/ld-linux-x86-64.so.2", "--library-path", seen_as]
