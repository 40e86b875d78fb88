"""Which policies include a file, directly or through others."""

import os
import re
from collections import defaultdict
from collections.abc import Iterator

from tcc.diagnostics import Diagnostic
from tcc.linting.config import Config
from tcc.syntax.read import read_source

SUFFIX = ".tcc"
_INCLUDE = re.compile(r'^[^#\n]*?\binclude[ \t]+"([^"\n]+)"', re.MULTILINE)


def policies_below(directory: str) -> Iterator[str]:
    """Yield the policies in a directory and those below it, hidden ones left out."""
    for folder, folders, files in os.walk(directory):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(files):
            if name.endswith(SUFFIX):
                yield os.path.normpath(os.path.join(folder, name))


class Includers:
    """The includes of all policies below a configuration."""

    def __init__(self, config: Config) -> None:
        self._by: dict[str, list[str]] = defaultdict(list)
        for path in policies_below(config.directory):
            source = read_source(path)
            if isinstance(source, Diagnostic) or "include" not in source.text:
                continue
            folder = os.path.dirname(path)
            for name in _INCLUDE.findall(source.text):
                self._by[os.path.realpath(os.path.join(folder, name))].append(path)

    def tops(self, path: str) -> list[str]:
        """Return the policies that include a file and are included by none themselves."""
        found: list[str] = []
        waiting, seen = [os.path.realpath(path)], set[str]()
        while waiting:
            name = waiting.pop()
            for includer in self._by.get(name, ()):
                real = os.path.realpath(includer)
                if real in seen:
                    continue
                seen.add(real)
                if real in self._by:
                    waiting.append(real)
                else:
                    found.append(includer)
        return sorted(found)
