"""What holds for one file: what the configuration says of it, and above that the command line."""

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from functools import cache
from hashlib import sha256
from typing import TYPE_CHECKING

from tcc.diagnostics import Diagnostic
from tcc.ir import document
from tcc.linting.config import Config, Part, config_for
from tcc.linting.fragments import has_link
from tcc.linting.nearby import ConfigError
from tcc.pages import codes
from tcc.passes.params import Given
from tcc.passes.vars import VarsError, read_values
from tcc.source import Source, Span

if TYPE_CHECKING:
    from tcc.facts import Facts

ReadFacts = Callable[[str], "Facts"]


@dataclass(frozen=True)
class Asked:
    """What the command line says for all files.

    Attributes:
        given: values of parameters.
        facts: the host; None when none is named.
        target: the back end; None when none is named.
        select: codes or patterns; instead of the configuration's when there are some.
        ignore: codes or patterns; beside the configuration's.
        read_facts: how a file of facts is read.
        configured: whether configurations are looked for.
    """

    given: Given
    facts: "Facts | None"
    target: str | None
    select: tuple[str, ...]
    ignore: tuple[str, ...]
    read_facts: ReadFacts
    configured: bool = True


@dataclass(frozen=True)
class Settings:
    """What holds for one file.

    Attributes:
        given: values of parameters.
        shared: where the values come from that are for many policies.
        facts: the host, if known.
        target: the back end, if known.
        select: codes or patterns to show; empty: all.
        ignore: codes or patterns not to show.
        config: the configuration that the file lies under.
        declared: whether the configuration says that the file is only ever included.
        linkless: whether it does nothing by itself, so that it probably is.
        key: what all of this comes to, for the cache.
    """

    given: Given = field(default_factory=Given)
    shared: frozenset[str] = frozenset()
    facts: "Facts | None" = None
    target: str | None = None
    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    config: Config | None = None
    declared: bool = False
    linkless: bool = False
    key: str = ""

    @property
    def fragment(self) -> bool:
        """Whether the file is looked at in the policies that include it."""
        return self.declared or self.linkless

    def shows(self, item: Diagnostic) -> bool:
        """Whether a finding is to be shown."""
        if self.select and not any(fnmatchcase(item.code, code) for code in self.select):
            return False
        return not any(fnmatchcase(item.code, code) for code in self.ignore)


class SettingsFor:
    """Finds the settings of files; those of a directory are worked out once."""

    def __init__(self, asked: Asked) -> None:
        self.asked = asked
        self._made: dict[tuple[str, tuple[Part, ...]], Settings] = {}
        self._facts = cache(asked.read_facts)

    def __call__(self, source: Source) -> Settings:
        """Return the settings of one file.

        Raises:
            ConfigError: its configuration, or a file that this names, cannot be used.
        """
        config = config_for(source.path) if self.asked.configured else None
        if config is None:
            return self._settings("", None, (), source)
        name = _name(config, source.path)
        parts = parts_for(config, source.path)
        return self._settings(config.path, config, parts, source, name)

    def _settings(
        self,
        path: str,
        config: Config | None,
        parts: tuple[Part, ...],
        source: Source,
        name: str = "",
    ) -> Settings:
        made = self._made.get((path, parts))
        if made is None:
            made = self._made[path, parts] = self._make(config, parts)
        declared = config is not None and _matches(name, config.fragments)
        json = source.path.endswith(".json")
        return replace(made, declared=declared, linkless=not json and not has_link(source.text))

    def _make(self, config: Config | None, parts: tuple[Part, ...]) -> Settings:
        asked = self.asked
        given, shared = asked.given, frozenset[str]()
        facts, target = asked.facts, asked.target
        select: tuple[str, ...] = ()
        ignore = asked.ignore
        for part in parts:
            facts = asked.facts or (self._facts(part.facts) if part.facts else facts)
            target = asked.target or part.target or target
            select = part.select or select
            ignore += part.ignore
            if config is not None:
                _check_codes(config, (*part.select, *part.ignore))
        if config is not None:
            given, shared = values_for(config, parts, asked.given)
        made = Settings(given, shared, facts, target, asked.select or select, ignore, config)
        return replace(made, key=_key(made))


def _check_codes(config: Config, wanted: tuple[str, ...]) -> None:
    known = codes()
    for code in wanted:
        if not any(fnmatchcase(one, code) for one in known):
            raise ConfigError(f"{config.path}: there is no finding `{code}`")


def _matches(name: str, patterns: tuple[str, ...]) -> bool:
    return any(fnmatchcase(name, pattern) for pattern in patterns)


def _name(config: Config, path: str) -> str:
    return os.path.relpath(path, config.directory).replace(os.sep, "/")


def parts_for(config: Config, path: str) -> tuple[Part, ...]:
    """Return the parts of a configuration that hold for a policy."""
    name = _name(config, path)
    return tuple(part for part in config.parts if _matches(name, part.files))


def values_for(
    config: Config, parts: tuple[Part, ...], above: Given
) -> tuple[Given, frozenset[str]]:
    """Return all values, the command line's above the configuration's, and where these are.

    Raises:
        ConfigError: a file of values cannot be read.
    """
    values: dict[str, object] = {}
    spans: dict[str, Span] = {}
    sources: dict[str, Source] = {}
    for part in parts:
        try:
            read = read_values((), part.vars)
        except VarsError as problem:
            raise ConfigError(f"{config.path}: {problem}") from problem
        values |= read.values
        spans |= {name: Span([*read.sources][-1], 0, 0) for name in read.values}
        spans |= read.spans
        sources |= read.sources
        values |= dict(part.set)
        spans |= {name: Span(config.path, 0, 0) for name, _ in part.set}
    shared = frozenset({config.path, *sources})
    if any(span.path == config.path for span in spans.values()):
        sources[config.path] = Source(config.path, "")
    spans = {name: span for name, span in spans.items() if name not in above.values}
    merged = Given(
        values | dict(above.values), spans | dict(above.spans), sources | dict(above.sources)
    )
    return merged, shared - above.sources.keys()


def _key(settings: Settings) -> str:
    """Return a text that differs when a finding could; what is shown is left out."""
    facts = document.text(settings.facts) if settings.facts is not None else ""
    parts = [_listed(settings.given.values), _listed(settings.given.spans), facts]
    parts += [settings.target or "", *sorted(settings.shared)]
    return sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()


def _listed(values: Mapping[str, object]) -> str:
    return "\1".join(f"{name}\2{value!r}" for name, value in sorted(values.items()))
