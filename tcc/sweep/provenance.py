"""What a result depends on besides its policy and seed: the program that made it, as a digest.

A version number does not change with every edit of a checkout, and two machines of a cluster can
have different ones under one version. So the sources themselves are counted: those of the
packages between a policy's text and a verdict, and of every registered qdisc and verifier.
Compiled or interpreted does not count: both give the same results.
"""

from collections.abc import Iterator
from functools import cache
from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path

from tcc import plugin

PACKAGES = (
    "checks", "data", "engine", "facts", "grammar", "ir", "lower", "passes", "syntax", "verify",
)  # fmt: skip
MODULES = (
    "dscp.py", "language.py", "plugin.py", "units.py", "sweep/figures.py", "sweep/work.py",
)  # fmt: skip
SUFFIXES = (".json", ".lark", ".py")


@cache
def program() -> str:
    """Return the digest of this program, as hexadecimal digits."""
    whole = sha256()
    for name, path in sorted(_files()):
        whole.update(name.encode() + b"\0" + sha256(path.read_bytes()).digest())
    return whole.hexdigest()[:32]


def _files() -> Iterator[tuple[str, Path]]:
    """Yield every file that counts, with a name that is the same on every machine."""
    root = Path(__file__).parents[1]
    for name in PACKAGES:
        folder = root / name
        if name == "grammar" and not folder.is_dir():
            folder = root.parent / name  # of a checkout
        yield from _below(name, folder)
    for name in MODULES:
        yield name, root / name
    for group in (plugin.QDISCS, plugin.VERIFIERS):
        for points in plugin.registered(group).values():
            for point in points:
                yield from _of_module(point.module)


def _of_module(name: str) -> Iterator[tuple[str, Path]]:
    spec = find_spec(name)
    if spec is None or spec.origin is None:
        return
    path = Path(spec.origin)
    if path.name == "__init__.py":
        yield from _below(name, path.parent)
    else:
        yield name, path


def _below(name: str, folder: Path) -> Iterator[tuple[str, Path]]:
    for path in folder.rglob("*"):
        if path.suffix in SUFFIXES and "__pycache__" not in path.parts:
            yield f"{name}/{path.relative_to(folder).as_posix()}", path
