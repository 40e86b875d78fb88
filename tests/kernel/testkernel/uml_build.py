"""Build the User-Mode Linux kernel from Debian's kernel source: 7 to 13 minutes on two cores.

Nothing below net/ is changed.  Two things elsewhere are: the timer frequency is 1000 Hz, and
`random-seed=N` on the command line makes all randomness repeatable.
"""

import os
import re
import shutil
import sys
import tempfile
from pathlib import Path

from testkernel.debian import Mirror
from testkernel.host import (
    UnavailableError,
    cache,
    cache_lock,
    newest,
    output,
    put_in_place,
    require,
    say,
)

CONFIG = Path(__file__).resolve().parents[1] / "uml-7.3.4.config"
PROGRAMS = {
    "gcc": "gcc",
    "make": "make",
    "flex": "flex",
    "bison": "bison",
    "bc": "bc",
    "xz": "xz-utils",
    "/usr/lib/x86_64-linux-gnu/libc.a": "libc6-dev",
}

SEEDED_RANDOM = """\
/* random-seed=N: repeatable random numbers (splitmix64), for simulated time */
static unsigned long long random_seed;
static int random_seeded;

static int __init random_seed_setup(char *line, int *add)
{
	*add = 0;
	random_seed = strtoull(line, NULL, 0);
	random_seeded = 1;
	return 0;
}

__uml_setup("random-seed=", random_seed_setup,
"random-seed=<number>\\n"
"    Take all randomness from this seed rather than from the host.\\n\\n"
);

static void seeded_random(unsigned char *p, size_t len)
{
	size_t i;

	for (i = 0; i < len; i++) {
		unsigned long long z = (random_seed += 0x9e3779b97f4a7c15ULL);

		z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
		z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
		p[i] = z ^ (z >> 31);
	}
}

"""
USE_SEED = """\
	if (random_seeded) {
		seeded_random(buf, len);
		return len;
	}
"""


def build() -> Path:
    """Build the kernel into the cache and return its binary."""
    require(PROGRAMS)
    made = Path(tempfile.mkdtemp(dir=cache(), prefix="new-"))
    try:
        tree = _fetch_source(made)
        _patch(tree)
        version = _compile(tree, made)
        final = cache() / f"uml-{version}"
        put_in_place(made, final)
    finally:
        shutil.rmtree(made, ignore_errors=True)
    return final / "linux"


def _fetch_source(made: Path) -> Path:
    wanted = os.environ.get("TCC_KERNEL_VERSION", "7.3")
    with cache_lock():  # for the package lists, and not while the kernel is being built
        mirror = Mirror()
        found = [name.group(1) for name in mirror.names(r"linux-source-(\d+\.\d+)")]
        found = [version for version in found if (wanted + ".").startswith(version + ".")]
        if not found:
            raise UnavailableError(f"no package linux-source-{wanted} in {mirror.suites}")
        mirror.unpack(f"linux-source-{newest(found)}", made)
    [packed] = made.glob("usr/src/linux-source-*.tar.xz")
    output("tar", "-C", str(made), "-xf", str(packed))
    shutil.rmtree(made / "usr")
    [tree] = made.glob("linux-source-*")
    return tree


def _patch(tree: Path) -> None:
    _edit(tree / "arch/um/Kconfig", r"(config HZ\n\s+int\n\s+default) 100\n", r"\1 1000\n")
    random = r"(ssize_t os_getrandom\([^)]*\)\n\{\n)"
    with_seed = SEEDED_RANDOM.replace("\\", r"\\") + r"\1" + USE_SEED
    _edit(tree / "arch/um/os-Linux/util.c", random, with_seed)


def _edit(path: Path, pattern: str, new: str) -> None:
    text, times = re.subn(pattern, new, path.read_text())
    if times != 1:
        raise UnavailableError(
            f"{path}: the place to change is not there; this kernel needs other edits"
        )
    path.write_text(text)


def _compile(tree: Path, made: Path) -> str:
    """Build `made/linux`, leave nothing else but its configuration, and return the version."""
    objects = made / "objects"
    objects.mkdir()
    shutil.copy(CONFIG, objects / ".config")
    make = ["make", "-C", str(tree), "ARCH=um", f"O={objects}", f"-j{os.cpu_count()}"]
    output(*make, "olddefconfig")
    result = (objects / ".config").read_text().splitlines()
    asked = [line for line in CONFIG.read_text().splitlines() if line.startswith("CONFIG_NET")]
    if lost := [line for line in asked if line not in result]:
        say(f"not in this kernel: {' '.join(lost)}")
    say("building the kernel (several minutes)")
    output(*make, "linux")
    output("strip", "-o", str(made / "linux"), str(objects / "linux"))
    shutil.copy(objects / ".config", made / "config")
    shutil.rmtree(objects)
    shutil.rmtree(tree)
    return output(str(made / "linux"), "--version").strip()


if __name__ == "__main__":
    try:
        print(build())
    except UnavailableError as problem:
        say(str(problem))
        sys.exit(1)
