"""`tcc.toml`, or `[tool.tcc]` of a `pyproject.toml`: what lint is told of a tree of policies.

    vars      = ["defaults.yaml"]      # values of parameters, relative to this file
    set       = { up = "18mbit" }      # more of them; these come first
    facts     = "router.json"          # the host that the policies are for
    target    = "openwrt"              # the back end
    select    = ["cake-*"]             # show only these findings
    ignore    = ["unused-name"]        # do not show these
    fragments = ["common/*.tcc"]       # files that are only ever included

    [[policy]]                         # for some files: the same keys but fragments
    files = ["sites/north/*.tcc"]
    vars  = ["north.csv"]

In patterns `*` stands for any characters, `/` among them. The nearest file wins, upward from the
policy; a `pyproject.toml` without `[tool.tcc]` is passed over.
"""

import os
import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from tcc.linting.nearby import NAME, PYPROJECT, TABLE, ConfigError
from tcc.linting.nearby import forget as forget_where
from tcc.syntax.suggestions import did_you_mean

PARTS = ("vars", "set", "facts", "target", "select", "ignore")


@dataclass(frozen=True)
class Part:
    """What holds for some files.

    Attributes:
        files: patterns of their names, relative to the configuration; those of the whole: `*`.
        vars: files of values, as paths that can be opened.
        set: values as written, by name.
        facts: a file of facts; empty when none is named.
        target: a back end; empty when none is named.
        select: codes or patterns of findings to show; empty: all.
        ignore: codes or patterns of findings not to show.
    """

    files: tuple[str, ...]
    vars: tuple[str, ...] = ()
    set: tuple[tuple[str, str], ...] = ()
    facts: str = ""
    target: str = ""
    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()


@dataclass(frozen=True)
class Config:
    """One configuration file: where it is, and its parts, the whole first."""

    path: str
    parts: tuple[Part, ...]
    fragments: tuple[str, ...] = ()

    @property
    def directory(self) -> str:
        """The directory of the file, from which its paths and patterns start."""
        return os.path.dirname(self.path) or "."


def config_for(path: str) -> Config | None:
    """Return the configuration that a policy lies under, if there is one.

    Raises:
        ConfigError: there is one that cannot be used.
    """
    return _above(os.path.abspath(os.path.dirname(path)))


def forget() -> None:
    """Read configurations anew from now on."""
    forget_where()
    _above.cache_clear()


@cache
def _above(directory: str) -> Config | None:
    for name, table in ((NAME, ""), (PYPROJECT, TABLE)):
        path = os.path.join(directory, name)
        if os.path.isfile(path):
            found = _read(os.path.relpath(path), table)
            if found is not None:
                return found
    parent = os.path.dirname(directory)
    return None if parent == directory else _above(parent)


def _read(path: str, table: str) -> Config | None:
    try:
        with open(path, encoding="utf-8") as file:
            text = file.read()
    except (OSError, UnicodeDecodeError) as problem:
        raise ConfigError(f"{path}: cannot read it: {problem}") from problem
    if table and table not in text:
        return None  # tomllib need not look
    try:
        document: Any = tomllib.loads(text)
    except tomllib.TOMLDecodeError as problem:
        raise ConfigError(path + _with_place(str(problem))) from problem
    except (RecursionError, ValueError) as problem:  # tomllib lets those of Python through
        words = "tables within tables without end, or a number of thousands of digits"
        raise ConfigError(f"{path}: {words}") from problem
    if table:
        document = document.get("tool", {}).get("tcc")
        if document is None:
            return None
    return _Reader(path, text, table).config(document)


def _with_place(message: str) -> str:
    """Put the place of TOML's messages in front, as all others have it."""
    found = re.fullmatch(r"(.*) \(at line (\d+), column (\d+)\)", message)
    return f":{found[2]}:{found[3]}: {found[1]}" if found else f": {message}"


def _single(value: object) -> bool:
    return isinstance(value, str | int) and not isinstance(value, bool)


class _Reader:
    """Checks what TOML holds, and says at which line it is wrong."""

    def __init__(self, path: str, text: str, table: str) -> None:
        self.path = path
        self.text = text
        self.table = table

    def config(self, document: object) -> Config:
        if not isinstance(document, dict):
            raise self.error(self.table.rpartition(".")[2], "this is no table")
        self.known(document, ("fragments", "policy", *PARTS))
        whole = self.part(document, ("*",))
        policies = document.get("policy", [])
        if not isinstance(policies, list):
            raise self.error("policy", "write [[policy]], once for each group of files")
        parts = [self.policy(one) for one in policies]
        return Config(self.path, (whole, *parts), self.texts(document, "fragments"))

    def policy(self, one: object) -> Part:
        if not isinstance(one, dict):
            raise self.error("policy", "write [[policy]], once for each group of files")
        self.known(one, ("files", *PARTS))
        files = self.texts(one, "files")
        if not files:
            raise self.error("policy", '[[policy]] says which files it is for: files = ["a*.tcc"]')
        return self.part(one, files)

    def part(self, table: Mapping[str, object], files: tuple[str, ...]) -> Part:
        return Part(
            files,
            tuple(self.beside(name) for name in self.texts(table, "vars")),
            self.values(table),
            self.beside(self.text_of(table, "facts")),
            self.text_of(table, "target"),
            self.texts(table, "select"),
            self.texts(table, "ignore"),
        )

    def known(self, table: Mapping[str, object], keys: Sequence[str]) -> None:
        for key in table:
            if key not in keys:
                near = did_you_mean(key, keys)
                cure = f"did you mean `{near}`?" if near else f"there are {', '.join(keys)}"
                raise self.error(key, f"there is no setting `{key}`: {cure}")

    def texts(self, table: Mapping[str, object], key: str) -> tuple[str, ...]:
        found = table.get(key, [])
        if not isinstance(found, list) or not all(isinstance(one, str) for one in found):
            raise self.error(key, f'`{key}` is a list of texts: {key} = ["..."]')
        return tuple(found)

    def text_of(self, table: Mapping[str, object], key: str) -> str:
        found = table.get(key, "")
        if not isinstance(found, str):
            raise self.error(key, f'`{key}` is a text: {key} = "..."')
        return found

    def values(self, table: Mapping[str, object]) -> tuple[tuple[str, str], ...]:
        found = table.get("set", {})
        if not isinstance(found, dict) or not all(map(_single, found.values())):
            raise self.error("set", '`set` has names and texts: set = { up = "18mbit" }')
        return tuple((name, str(value)) for name, value in found.items())

    def beside(self, name: str) -> str:
        return os.path.normpath(os.path.join(os.path.dirname(self.path), name)) if name else ""

    def error(self, key: str, message: str) -> ConfigError:
        """Return an error at the line that says `key`."""
        word = re.escape(key)
        found = re.search(rf'^[ \t]*(?:"?{word}"?[ \t]*=|\[+[\w. ]*\b{word}\])', self.text, re.M)
        if found is None:
            return ConfigError(f"{self.path}: {message}")
        place = found.end() - len(found[0].lstrip())
        line = self.text.count("\n", 0, place) + 1
        column = place - (self.text.rfind("\n", 0, place) + 1) + 1
        return ConfigError(f"{self.path}:{line}:{column}: {message}")
