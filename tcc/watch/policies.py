"""The policies that a watch keeps: from their files, or as they were confirmed last.

A file says what to keep when the watch starts and on SIGHUP, unless that very text was only
tried (`apply --confirm`, never confirmed) or was rolled back: then it is what was confirmed
before that. After somebody has applied, confirmed or rolled back it is what is confirmed now;
a file that has merely been edited changes nothing.
"""

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, Protocol

from tcc import api
from tcc.apply.journal import Journal
from tcc.apply.kept import Kept
from tcc.apply.records import PolicyText
from tcc.diagnostics import Diagnostic, error, has_errors
from tcc.facts import Facts
from tcc.linting.config import forget
from tcc.linting.nearby import ConfigError
from tcc.linting.values import load
from tcc.passes import Built, Given
from tcc.plan.state import MARKS, Item, Place, State
from tcc.schema import to_json
from tcc.source import Source
from tcc.watch.keeper import Wanted
from tcc.watch.log import Log
from tcc.watch.loop import Interest

ABSENT: Final = {"device-missing", "device-pattern-empty", "device-pattern-unresolved"}


class Lowered(Protocol):
    """A policy lowered for one host."""

    @property
    def state(self) -> State:
        """What should be there."""
        ...

    @property
    def links(self) -> Mapping[str, str]:
        """The link that each device is shaped for."""
        ...

    @property
    def found(self) -> Sequence[Diagnostic]:
        """What was found on the way."""
        ...


@dataclass(frozen=True)
class Host:
    """What policies need of the host: how to look at it, and how to lower for it."""

    facts: Callable[[Facts | None], Facts]
    """Facts; given earlier ones only what comes and goes is looked at again."""
    lower: Callable[[Built, Facts], Lowered]
    leftovers: Callable[[State], State]
    """What was put around devices and is not wanted any more is to go."""
    settings: Callable[[State], Mapping[Place, Item]]
    """What `tcc set` has put in the place of items."""


@dataclass
class _File:
    """One policy file and what is kept of it."""

    path: str
    key: str
    text: str = ""
    """What is kept; empty for nothing."""
    built: Built | None = None
    settled: bool = True
    """Whether what is kept is known to be what was confirmed last."""


@dataclass
class Files:
    """The policies of one watch."""

    paths: Sequence[str]
    given: Given
    space: str
    """The name of the network namespace, empty for our own."""
    journal: Journal
    host: Host
    log: Log
    _files: list[_File] = field(default_factory=list)
    _facts: Facts | None = None
    _last: Wanted = field(default_factory=lambda: Wanted({}, {}, {}))
    _interest: Interest = field(default_factory=lambda: Interest(frozenset()))

    def read(self) -> tuple[list[Diagnostic], Mapping[str, Source]]:
        """Read the files; where one has errors all stay as they were, and they are returned."""
        found: list[Diagnostic] = []
        sources: dict[str, Source] = {}
        files = []
        forget()
        for path in self.paths:
            try:
                built = load(path, self.given, complete=True)
            except ConfigError as problem:
                found.append(error("config-unusable", None, str(problem)))
                continue
            found += built.found
            sources.update(built.sources)
            files.append(self._chosen(path, built))
        found += _twice(files)
        if not has_errors(found):
            self._files = files
            self._changed()
        return found, sources

    def _chosen(self, path: str, built: Built) -> _File:
        file = _File(path, f"{self.space}:{os.path.realpath(path)}")
        if built.policy is None:
            return file
        text = to_json(built.policy)
        chosen = self.journal.known(file.key).choose(text)
        if chosen == text:
            file.text, file.built, file.settled = text, built, False
            return file
        self._take(file, chosen)
        kept = "what was confirmed before" if chosen else "nothing"
        self.log.warning(
            f"{path} was tried and not confirmed, or was rolled back: keeping {kept}; "
            f"`tcc apply {path}` makes it so"
        )
        return file

    def after_a_change(self) -> None:
        """Take of every policy what is confirmed now; of one nothing is known of, what was."""
        for file in self._files:
            known = self.journal.known(file.key)
            if known != Kept() and (known.confirmed or "") != file.text:
                self._take(file, known.confirmed)
        self._changed()

    def _take(self, file: _File, text: str | None) -> None:
        file.text, file.built, file.settled = text or "", None, True
        if text:
            file.built = api.load(Source(f"{file.path}.json", text), complete=True)

    def settle(self) -> None:
        """What is wanted is there: that is confirmed, as by an apply."""
        for file in self._files:
            if not file.settled:
                self.journal.prepare()
                self.journal.keep(PolicyText(file.key, file.text))
                file.settled = True

    def wanted(self, *, anew: bool) -> Wanted:
        """Return what should be there."""
        if anew or self._facts is None:
            self._facts = self.host.facts(self._facts)
            self._last = self._lowered(self._facts)
        base = self._last
        state = self.host.leftovers({**base.state, **self.host.settings(base.state)})
        return Wanted(state, base.links, base.indexes, base.found)

    def _lowered(self, facts: Facts) -> Wanted:
        state: dict[Place, Item] = {}
        links: dict[str, str] = {}
        found: list[Diagnostic] = []
        for file in self._files:
            if file.built is None:
                continue
            lowered = self.host.lower(file.built, facts)
            state.update({place: item for place, item in lowered.state.items()
                          if place not in state})  # fmt: skip
            links.update(lowered.links)
            found += [one for one in lowered.found if one.code not in ABSENT]
        there = {device.name: device.index or 0 for device in facts.devices}
        for name in sorted(self.interest().names):
            if name in there:
                self.log.over(f"absent {name}")
            else:
                self.log.once(f"absent {name}", f"waiting for the device {name}")
        return Wanted(state, links, there, tuple(found))

    def interest(self) -> Interest:
        """Return which devices the policies speak of."""
        return self._interest

    def _changed(self) -> None:
        self._facts = None
        links = [
            link
            for file in self._files
            if file.built is not None and file.built.policy is not None
            for link in file.built.policy.links
        ]
        self._interest = Interest(
            frozenset(link.device.name for link in links if link.device.name),
            tuple(link.device.matching for link in links if link.device.matching),
        )

    @property
    def marked(self) -> bool:
        """Whether nftables matter."""
        return any(place.at == MARKS for place in self._last.state)


def _twice(files: Sequence[_File]) -> list[Diagnostic]:
    """Return `device-claimed-twice` where two files name the same device."""
    first: dict[str, str] = {}
    found = []
    for file in files:
        if file.built is None or file.built.policy is None:
            continue
        for name in {link.device.name for link in file.built.policy.links if link.device.name}:
            other = first.setdefault(name, file.path)
            if other != file.path:
                found.append(
                    error(
                        "device-claimed-twice",
                        None,
                        f"{other} and {file.path} both shape `{name}`",
                        "a device has one root qdisc; keep one of them",
                    )
                )
    return found
