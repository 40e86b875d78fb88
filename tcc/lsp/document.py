"""One policy as it stands in the editor, saved or not."""

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

import click

from tcc import api
from tcc.diagnostics import Diagnostic
from tcc.linting.fragments import has_link, without_absent
from tcc.linting.nearby import ConfigError
from tcc.linting.one import load
from tcc.linting.settings import Settings, SettingsFor
from tcc.passes import Built
from tcc.plugin import PluginError
from tcc.source import Source
from tcc.syntax.tree import Block, Clause


@dataclass(frozen=True)
class Document:
    """A text, what was built of it, and what was found in it.

    Attributes:
        source: the text by its path.
        built: the policy as far as it can be read; what it includes is as it stands in the editor,
            and on the disk where it is not open.
        found: what is to be shown, in this text and in those it includes.
        settings: what the configuration says of it.
        problem: why its configuration cannot be used; empty when it can.
    """

    source: Source
    built: Built
    found: tuple[Diagnostic, ...]
    settings: Settings
    problem: str = ""

    @property
    def own(self) -> Iterator[Diagnostic]:
        """What is found in this very text."""
        return (item for item in self.found if item.span and item.span.path == self.source.path)

    @cached_property
    def clauses(self) -> tuple[tuple[Clause, tuple[Clause, ...]], ...]:
        """Every clause of this text with the clauses around it, outermost first."""
        trees = [tree for tree in self.built.trees if tree.source.path == self.source.path]
        return tuple(_within(trees[0].clauses, ())) if trees else ()

    def at(self, offset: int) -> tuple[Clause, tuple[Clause, ...]] | None:
        """Return the innermost clause around a place, with those around that."""
        found = None
        for clause, outer in self.clauses:
            if clause.span.start <= offset <= clause.span.end:
                found = clause, outer
        return found


def _within(
    clauses: tuple[Clause, ...], outer: tuple[Clause, ...]
) -> Iterator[tuple[Clause, tuple[Clause, ...]]]:
    for clause in clauses:
        yield clause, outer
        block: Block | None = clause.block
        if block is not None:
            yield from _within(block.clauses, (*outer, clause))


def read(path: str, text: str, settings_for: SettingsFor, unsaved: Mapping[str, str]) -> Document:
    """Build and lint a text; a configuration that cannot be used is passed over, and told."""
    source = Source(os.path.relpath(path) if os.path.isabs(path) else path, text)
    problem = ""
    try:
        settings = settings_for(source)
        built = load(source, settings, unsaved)
        found = api.lint(built, settings.facts, settings.target)
    except (ConfigError, PluginError, KeyError, click.ClickException) as refused:
        problem = refused.message if isinstance(refused, click.ClickException) else str(refused)
        settings = Settings(linkless=not has_link(text))
        built = load(source, settings, unsaved)
        found = api.lint(built)
    whole = any(has_link(one.text) for one in built.sources.values())
    if settings.declared or (settings.linkless and not whole):
        found = without_absent(found)
    shown = tuple(item for item in dict.fromkeys(found) if settings.shows(item))
    return Document(source, built, shown, settings, problem)
