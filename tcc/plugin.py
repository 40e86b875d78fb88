"""The three plugin protocols, what passes through them, and how plugins are found.

A qdisc plugin owns one kind of queueing discipline: its options in a policy, how intents
lower to them, its netlink attributes, its tc words, its model in the engine. A back end
owns one system: what it can express, what is there, how to change it. A verifier measures
a policy against its objectives. Built-in plugins come through the same entry points
(`tcc.qdiscs`, `tcc.backends`, `tcc.verifiers`) as anyone's.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from typing import Any, NamedTuple, Protocol, TypeVar, cast

from tcc.diagnostics import Diagnostic, error, warning
from tcc.facts import DeviceFacts, Facts
from tcc.ir import Direction, Link, Options, Path, Policy, Shaping, Spans, Tier, span_at
from tcc.plan.state import Difference, Item, Place, State
from tcc.source import Span

QDISCS, BACKENDS, VERIFIERS = "tcc.qdiscs", "tcc.backends", "tcc.verifiers"


@dataclass(frozen=True, slots=True)
class Word:
    """What one word of a qdisc's option block sets.

    With a `value` the word stands alone (`nat`, `diffserv4`); without one it takes an
    operand, read by the type of the field it sets.
    """

    field: str
    value: object | None = None


@dataclass(frozen=True, slots=True)
class Wish:
    """One direction of one link on one device, with all that lowering may look at."""

    link: Link
    direction: Direction
    shaping: Shaping
    tiers: tuple[Tier, ...]
    device: DeviceFacts
    """Known facts, or those of an ordinary Ethernet device of that name."""
    facts: Facts | None
    """The host; None when nothing is known about it."""
    path: Path
    """Where `shaping` is in the policy: `("links", 0, "egress")`."""
    spans: Spans = field(default_factory=dict)
    options_at: Path = ("qdisc", "options")
    """Where the options of the kind being lowered are, below `path`."""

    def at(self, *field_path: str | int) -> Span | None:
        """Return the span of a field of the shaping, or of the nearest thing around it."""
        return span_at(self.spans, self.path + field_path)

    def at_option(self, name: str) -> Span | None:
        """Return the span of an option in the kind's own block."""
        return self.at(*self.options_at, name)

    def at_link(self, *field_path: str | int) -> Span | None:
        """Return the span of a field of the link itself: `framing`, `role`."""
        return span_at(self.spans, self.path[:-1] + field_path)

    def prefers(self, clause: str) -> bool:
        """Whether losing `clause` is only worth a warning."""
        return clause in self.shaping.prefer

    def cannot(
        self, clause: str, code: str, message: str, *hints: str, span: Span | None = None
    ) -> Diagnostic:
        """Return what to say when `clause` cannot be had: an error unless the wish prefers it.

        It points at the clause; `span` names better words where there are some.
        """
        place = span or self.at(clause)
        if self.prefers(clause):
            return warning(code, place, message, *hints)
        if clause not in Shaping.__dataclass_fields__:
            return error(code, place, message, *hints)
        word = "mark" if clause == "mark_mask" else clause.replace("_", "-")
        return error(
            code, place, message, *hints, f"or write `prefer` before `{word}` to go without it"
        )


class Explanation(NamedTuple):
    """What one clause became: `fairness per-host` -> `dual-srchost nat`."""

    clause: str
    became: str
    because: str = ""
    span: Span | None = None


@dataclass(frozen=True, slots=True)
class Lowering:
    """What a wish became: complete settings, or None with the reasons in `found`."""

    settings: object | None
    explained: tuple[Explanation, ...] = ()
    found: tuple[Diagnostic, ...] = ()
    sysctls: Mapping[str, str] = field(default_factory=dict)
    """Kernel settings that go with it, for kernels that have them."""


@dataclass(frozen=True, slots=True)
class Child:
    """A qdisc inside another one, on its class `minor`."""

    minor: int
    kind: str
    settings: object


class QdiscPlugin(Protocol):
    """One queueing discipline under tc's own name. Group `tcc.qdiscs`.

    `options_model` is what a policy may say in the kind's block: a subclass of `Options`, which
    makes it a frozen dataclass, whose fields are all optional (None: not said). Settings are
    the plugin's own frozen dataclass: complete, in the kernel's units, so that every attribute
    is always sent.
    """

    kind: str
    options_model: type[Options]
    words: Mapping[str, Word]
    """The words of its option block, in tc's spelling."""
    inner_only: bool
    """Whether a policy may choose it only inside another qdisc."""
    changes_in_place: bool
    """Whether a live one takes what `netlink` returns; if not, it is made anew under another
    handle."""

    def lower(self, wish: Wish, options: Options | None) -> Lowering:
        """Turn a wish, and the options its block spells out, into settings.

        What the kind cannot express is an error at the words that ask for it, or a
        warning where the wish prefers it.
        """
        ...

    def check(self, settings: Any, wish: Wish) -> Iterator[Diagnostic]:  # noqa: ANN401
        """Yield what the kernel would refuse, or take and then drop traffic."""
        ...

    def netlink(self, settings: Any) -> bytes | None:  # noqa: ANN401
        """Return the payload of TCA_OPTIONS, every attribute included."""
        ...

    def read(self, payload: bytes) -> object:
        """Return the settings that a dumped TCA_OPTIONS payload stands for."""
        ...

    def differences(self, wanted: Any, observed: Any) -> Sequence[Difference]:  # noqa: ANN401
        """Compare in the kernel's own terms: nothing it would dump alike is different."""
        ...

    def command(self, settings: Any) -> Sequence[str]:  # noqa: ANN401
        """Return the words that tc(8) takes after the kind, with plain numbers only."""
        ...

    def children(self, settings: Any) -> Sequence[Child]:  # noqa: ANN401
        """Return the qdiscs that hang inside."""
        ...

    def model(self, settings: Any, scene: Any) -> Any:  # noqa: ANN401
        """Return the engine's counterpart; `scene` is the engine's side of the bargain."""
        ...


@dataclass(frozen=True, slots=True)
class Target:
    """What a back end lowers for: the host, where spans are, and the back end's own knobs."""

    facts: Facts | None
    spans: Spans = field(default_factory=dict)
    settings: Mapping[str, str] = field(default_factory=dict)


class Verdict(StrEnum):
    """How well a system does what a clause asks for."""

    EXACT = "exact"
    APPROXIMATED = "approximated"
    REFUSED = "refused"


@dataclass(frozen=True, slots=True)
class Expressed:
    """How one clause of a policy fares on one system: a row of `tcc generate --matrix`."""

    where: str
    """The link, and the direction where it is one's: `wan egress`."""
    clause: str
    """As a policy would write it."""
    verdict: Verdict
    became: str = ""
    """In tc's words or the system's own; empty where nothing came of it."""
    because: str = ""
    """How it is approximated and by how much, or why it is refused."""
    span: Span | None = None


class Backend(Protocol):
    """One system that can be configured. Group `tcc.backends`."""

    name: str

    def lower(self, policy: Policy, target: Target) -> tuple[State, Sequence[Diagnostic]]:
        """Return what should exist, and what this system cannot express."""
        ...

    def express(self, policy: Policy, target: Target) -> Sequence[Expressed]:
        """Return each clause of `policy` and what becomes of it, in the policy's order."""
        ...

    def observe(self, wanted: State) -> State:
        """Return what exists now in the places that `wanted` speaks of."""
        ...

    def differences(self, wanted: Item, observed: Item) -> Sequence[Difference]:
        """Return how two items for one place differ; empty when nothing need be done."""
        ...


class Verifier(Protocol):
    """One way to measure a policy against its objectives. Group `tcc.verifiers`."""

    name: str

    def refuses(self, scenario: Any, spans: Spans) -> Iterator[Diagnostic]:  # noqa: ANN401
        """Yield what this verifier cannot set up, at the words that ask for it."""
        ...

    def measure(self, scenario: Any, seed: int) -> Any:  # noqa: ANN401
        """Run a `tcc.verify.Scenario` and return a `tcc.verify.Measured`.

        The same seed gives the same measurements, if the verifier is deterministic.
        """
        ...


class PluginError(Exception):
    """A plugin that cannot be used; the message names the distribution it came with."""


def registered(group: str) -> Mapping[str, Sequence[EntryPoint]]:
    """Return the entry points of `group` by name; more than one is a conflict."""
    found: dict[str, list[EntryPoint]] = {}
    for point in entry_points(group=group):
        found.setdefault(point.name, []).append(point)
    return found


T = TypeVar("T")


@cache
def _load(group: str, name: str) -> object:
    points = registered(group).get(name, [])
    if not points:
        raise KeyError(name)
    origins = " and ".join(sorted({point.dist.name if point.dist else "?" for point in points}))
    if len(points) > 1:
        raise PluginError(f"`{name}` in {group} is claimed more than once, by {origins}")
    try:
        return points[0].load()()
    except Exception as problem:
        raise PluginError(f"`{name}` of {origins} cannot be loaded: {problem}") from problem


def qdisc(kind: str) -> QdiscPlugin:
    """Return the plugin for a kind of qdisc.

    Raises:
        KeyError: no plugin has that name.
        PluginError: it exists and cannot be used.
    """
    return cast(QdiscPlugin, _load(QDISCS, kind))


def backend(name: str) -> Backend:
    """Return the back end called `name`; raises as `qdisc` does."""
    return cast(Backend, _load(BACKENDS, name))


def verifier(name: str) -> Verifier:
    """Return the verifier called `name`; raises as `qdisc` does."""
    return cast(Verifier, _load(VERIFIERS, name))


def names(group: str) -> Sequence[str]:
    """Return the names registered in `group`, sorted."""
    return sorted(registered(group))


__all__ = [
    "BACKENDS",
    "QDISCS",
    "VERIFIERS",
    "Backend",
    "Child",
    "Difference",
    "Explanation",
    "Expressed",
    "Item",
    "Lowering",
    "Place",
    "PluginError",
    "QdiscPlugin",
    "Target",
    "Verdict",
    "Verifier",
    "Wish",
    "Word",
    "backend",
    "names",
    "qdisc",
    "registered",
    "verifier",
]
