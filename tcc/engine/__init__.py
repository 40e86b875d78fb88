"""The reference engine: discrete events in integer nanoseconds, and the kernel's qdiscs.

Its hot modules are Python that Cython can compile (pure-Python mode).  The package build
compiles them where a C compiler is there; without one the same files run as they are, slower and
with the same results.  `TCC_ENGINE=interpreted` in the environment runs them uncompiled even
where compiled ones are present.
"""

from __future__ import annotations

import os
import sys
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, SourceFileLoader
from importlib.util import spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence


class SourceFinder(MetaPathFinder):
    """Finds the engine's modules as .py files, never as compiled ones."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Return where the source of an engine module is; None for any other module."""
        del target
        if not fullname.startswith(f"{__name__}.") or path is None:
            return None
        for folder in path:
            place = Path(folder) / f"{fullname.rpartition('.')[2]}.py"
            if place.is_file():
                return spec_from_file_location(
                    fullname, place, loader=SourceFileLoader(fullname, str(place))
                )
        return None


def compiled() -> bool:
    """Say whether the engine that runs is the compiled one."""
    from tcc.engine import packet  # noqa: PLC0415  (the hook below must come first)

    return not str(packet.__file__).endswith(".py")


if os.environ.get("TCC_ENGINE") == "interpreted" and not any(
    isinstance(finder, SourceFinder) for finder in sys.meta_path
):
    sys.meta_path.insert(0, SourceFinder())
