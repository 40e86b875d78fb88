"""The distribution is whole, from a checkout and from a wheel: names, plugins, data, engine."""

import re
import tomllib
from importlib import import_module, metadata, resources
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path

import pytest

import tcc

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
GROUPS = ("tcc.qdiscs", "tcc.backends", "tcc.verifiers")
DECLARED = [(group, name) for group in GROUPS for name in PROJECT["entry-points"][group]]


def ours(group: str) -> dict[str, metadata.EntryPoint]:
    points = metadata.entry_points(group=group)
    return {point.name: point for point in points if point.dist.name == "tcpolicy"}


def test_version_is_said_once():
    assert metadata.version("tcpolicy") == tcc.__version__
    assert re.fullmatch(r"\d+\.\d+\.\d+", tcc.__version__)


@pytest.mark.parametrize("name", ["tcc", "tcpolicy"])
def test_command_has_both_names(name):
    [script] = metadata.entry_points(group="console_scripts", name=name)
    assert script.dist.name == "tcpolicy"
    assert callable(script.load())


@pytest.mark.parametrize(("group", "name"), DECLARED)
def test_plugin_is_registered_and_loads(group, name):
    """A plugin that is declared but not registered: run `make dev`."""
    assert name in ours(group), "entry points are written at install time: run `make dev`"
    plugin = ours(group)[name].load()()
    key = "kind" if group == "tcc.qdiscs" else "name"
    assert getattr(plugin, key) == name


def plugins_folder() -> Path:
    """Return our part of the namespace package, which other distributions may add to.

    `importlib.resources` fails on it in an editable install: one part is no directory.
    """
    return next(path for path in map(Path, import_module("tcc_plugins").__path__) if path.is_dir())


def test_each_plugin_file_is_registered():
    files = {path.stem for path in plugins_folder().glob("[!_]*.py")}
    folders = {path.parent.name for path in plugins_folder().glob("[!_]*/__init__.py")}
    registered = {point.module.split(".")[1] for group in GROUPS for point in ours(group).values()}
    assert files | folders == registered


def test_grammar_is_found():
    installed = resources.files("tcc") / "grammar"
    folder = installed if installed.is_dir() else ROOT / "grammar"
    assert "policy.lark" in {path.name for path in folder.iterdir()}


def test_types_are_published():
    assert (resources.files("tcc") / "py.typed").is_file()
    assert (plugins_folder() / "py.typed").is_file()


def engine_modules() -> list[str]:
    text = (resources.files("tcc") / "engine" / "_modules.txt").read_text("ascii")
    lines = (line.partition("#")[0].strip() for line in text.splitlines())
    return [line for line in lines if line]


def test_each_engine_module_has_its_source_beside_it():
    """Compiled or not, the same file can be read, and run as plain Python."""
    package = resources.files("tcc")
    for module in engine_modules():
        assert (package / (module.removeprefix("tcc.").replace(".", "/") + ".py")).is_file()


def test_engine_modules_are_all_compiled_or_none():
    compiled = {
        module: import_module(module).__file__.endswith(tuple(EXTENSION_SUFFIXES))
        for module in engine_modules()
    }
    assert len(set(compiled.values())) == 1, compiled


def test_no_compiled_module_is_older_than_its_source():
    """Python prefers the compiled file: a later edit of the source would not be seen.

    An installed wheel is never edited, and its files carry the time of the installation.
    """
    for module in engine_modules():
        path = Path(import_module(module).__file__)
        if path.suffix != ".py" and path.is_relative_to(ROOT / "tcc"):
            source = path.with_name(path.name.partition(".")[0] + ".py")
            assert source.stat().st_mtime <= path.stat().st_mtime, f"{source}: run `make dev`"
