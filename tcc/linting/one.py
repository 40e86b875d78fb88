"""Lint one file in its settings."""

from collections.abc import Callable, Mapping
from typing import NamedTuple

from tcc import api
from tcc.diagnostics import Diagnostic
from tcc.linting.fragments import has_link, without_absent
from tcc.linting.settings import Settings
from tcc.passes import Built, Given, Kind
from tcc.source import Source


class Result(NamedTuple):
    """All that was found in one policy, and the files that were read for it."""

    found: tuple[Diagnostic, ...]
    sources: tuple[str, ...]


def lint_one(source: Source, settings: Settings) -> tuple[Result, dict[str, Source]]:
    """Return what is found, whether shown or not, and the texts that it is about.

    A fragment that is looked at by itself is not told that names are missing.

    Raises:
        KeyError, PluginError: there is no such back end, or it cannot be loaded.
    """
    built = load(source, settings)
    found = list(api.lint(built, settings.facts, settings.target))
    whole = any(has_link(read.text) for read in built.sources.values())
    if settings.declared or (settings.linkless and not whole):
        found = without_absent(found)
    return Result(tuple(found), tuple(built.sources)), built.sources


def load(source: Source, settings: Settings, unsaved: Mapping[str, str] | None = None) -> Built:
    """Build a policy with the values that it has a use for; `unsaved` as for `api.load`.

    A configuration's values are for many policies: a name that one of them has not is no
    mistake there, while one on the command line is.
    """
    if not settings.shared:
        return api.load(source, settings.given, unsaved=unsaved)
    includes = "include" in source.text
    given = values_of(settings, lambda name: includes or name in source.text)
    built = api.load(source, given, unsaved=unsaved)
    if any(item.code == "unknown-param" for item in built.found):
        declared = {definition.name for definition in built.named(Kind.PARAM)}
        given = values_of(settings, declared.__contains__)
        built = api.load(source, given, unsaved=unsaved)
    return built


def values_of(settings: Settings, wanted: Callable[[str], bool]) -> Given:
    """Return the values without those of a configuration that are not wanted."""
    given = settings.given
    left = {
        name: value
        for name, value in given.values.items()
        if name not in given.spans or given.spans[name].path not in settings.shared or wanted(name)
    }
    spans = {name: span for name, span in given.spans.items() if name in left}
    return Given(left, spans, given.sources)
