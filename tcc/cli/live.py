"""What the commands that look at or change this machine have in common."""

import os
import shlex
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Final, cast

import click

from tcc import api, plugin
from tcc.apply.findings import unfinished_change
from tcc.apply.identity import identify
from tcc.apply.journal import Journal, state_root
from tcc.apply.privilege import DAC_OVERRIDE, NET_ADMIN, may_administer, only
from tcc.apply.stored import DamagedError
from tcc.apply.system import LiveBackend, System
from tcc.apply.transaction import Outcome, Report, Transaction
from tcc.apply.trial import Trial
from tcc.cli import show
from tcc.diagnostics import Diagnostic, Severity, error, has_errors, note
from tcc.facts import Facts
from tcc.facts.gather import gather
from tcc.ir import Path, span_at
from tcc.lower.ifb import ifb_name
from tcc.netlink.namespace import Namespace
from tcc.passes import Built
from tcc.plan.operation import Plan
from tcc.plan.render import as_text
from tcc.plan.state import NOTHING, Item, QdiscItem, State, is_tree, path_of
from tcc.schema import to_json
from tcc.source import Source, Span
from tcc.status import settings
from tcc.units import format_duration

BACKEND: Final = "netlink"
EXIT_CODES: Final = {
    Outcome.UNCHANGED: 0,
    Outcome.DONE: 0,
    Outcome.REFUSED: 1,
    Outcome.RESTORED: 3,
    Outcome.STUCK: 4,
}
REFUSED: Final = EXIT_CODES[Outcome.REFUSED]


def backend() -> LiveBackend:
    """Return the back end for this machine's kernel."""
    return cast(LiveBackend, plugin.backend(BACKEND))


def namespace(name: str | None) -> Namespace | None:
    """Return the namespace called `name`, None for our own.

    Raises:
        click.UsageError: there is none of that name; none is ever made.
    """
    if name is None:
        return None
    try:
        found = Namespace.named(name)
    except ValueError as problem:
        raise click.UsageError(str(problem)) from problem
    if not found.path.exists():
        raise click.UsageError(f"there is no network namespace `{name}` (ip netns lists them)")
    return found


@dataclass(frozen=True, slots=True)
class Wanted:
    """A policy lowered for one host."""

    state: State
    links: Mapping[str, str]
    """The link that each device is shaped for."""
    found: tuple[Diagnostic, ...]
    facts: Facts | None = None


def lower(built: Built, facts: Facts) -> Wanted:
    """Return what the kernel should have, and everything that was found on the way."""
    if built.policy is None:
        return Wanted({}, {}, tuple(built.found))
    state, found = api.lower(built, BACKEND, facts)
    links = {}
    for place, item in state.items():
        path = path_of(item)
        if len(path) > 1 and isinstance(path[1], int):
            links[place.device] = built.policy.links[path[1]].name
    return Wanted(state, links, (*built.found, *found), facts)


def and_leftovers(wanted: Wanted, where: Namespace | None) -> Wanted:
    """Return `wanted`, and that nothing more of ours shall be around on its devices.

    What an earlier apply put around the qdiscs of a device and the policy no longer asks for
    (an ifb and its redirect, marks of tiers) would go on doing what nobody wants.
    """
    try:
        owned = journal(where).owned()
    except (OSError, DamagedError):
        return wanted
    devices = {place.device for place in wanted.state}
    devices |= {ifb_name(device) for device in devices}
    gone = {
        place: NOTHING
        for place in owned
        if place.device in devices and place not in wanted.state and not is_tree(place)
    }
    return replace(wanted, state={**wanted.state, **gone})


def host_facts(where: Namespace | None) -> Facts:
    """Return what is so on this machine.

    Raises:
        click.UsageError: the namespace cannot be entered.
    """
    try:
        return gather(where).facts
    except PermissionError as problem:
        raise click.UsageError(f"{problem}: entering a namespace takes CAP_SYS_ADMIN") from problem


def journal(where: Namespace | None) -> Journal:
    """Return the state directory of a namespace."""
    return Journal(state_root(), identify(where))


def left_unfinished(where: Namespace | None) -> list[Diagnostic]:
    """Return a warning when an earlier change did not finish; who may not look sees nothing."""
    try:
        record = journal(where).unfinished()
    except (OSError, DamagedError):
        return []
    if record is None:
        return []
    found = unfinished_change(record)
    return [Diagnostic(found.code, Severity.WARNING, found.message, None, hints=found.hints)]


def set_since(where: Namespace | None) -> list[Diagnostic]:
    """Return a note for each clause that `tcc set` has altered since the last apply."""
    try:
        made = settings.read(journal(where)).listed
    except (OSError, DamagedError):
        return []
    return [
        note(
            "set-since-apply",
            None,
            f"{one.link}.{one.direction}.{one.clause} was set to {one.value} at {one.when}",
            "an apply takes what the policy says",
        )
        for one in made
    ]


def permission() -> list[Diagnostic]:
    """Return `no-permission` when this process may not change the network."""
    if may_administer():
        return []
    found = error(
        "no-permission",
        None,
        "changing qdiscs takes CAP_NET_ADMIN, which this process does not have",
        "run it as root, or with: capsh, setpriv or systemd's AmbientCapabilities=CAP_NET_ADMIN",
    )
    return [found]


@contextmanager
def least_privilege() -> Iterator[None]:
    """Keep CAP_NET_ADMIN and what TCC_STATE_DIR may take for the body of a `with`."""
    elsewhere = (DAC_OVERRIDE,) if os.environ.get("TCC_STATE_DIR") else ()
    with only(NET_ADMIN, *elsewhere):
        yield


def agreed(yes: bool, question: str) -> list[Diagnostic]:
    """Ask on a terminal; return `needs-yes` where there is nobody to ask, or the answer is no."""
    if yes:
        return []
    if not sys.stdin.isatty():
        found = error(
            "needs-yes",
            None,
            "there is no terminal to ask on, so nothing is changed",
            "write --yes when it shall be done without asking",
        )
        return [found]
    if click.confirm(question, err=True):
        return []
    return [error("needs-yes", None, "the answer was not yes, so nothing is changed")]


def conclude(report: Report, sources: Mapping[str, Source], color: bool | None, done: str) -> int:
    """Print how a change ended, and return the exit code."""
    show.findings(report.found, sources, color=color)
    for text in report.notes:
        show.lines(text, err=True)
    if report.outcome is Outcome.DONE:
        show.lines(done)
    elif report.outcome is not Outcome.UNCHANGED:
        click.echo(f"{report.outcome.value}", err=True)
    return EXIT_CODES[report.outcome]


@dataclass(frozen=True)
class Change:
    """One change of this machine, on behalf of a command."""

    ctx: click.Context
    system: System
    where: Namespace | None
    links: Mapping[str, str]
    built: Built | None = None
    policy: tuple[str, str] | None = None
    """Key and text of the policy that is carried out (`policy_text`)."""
    confirm: int | None = None
    """How long, in nanoseconds, it may take until the change is confirmed; None: it is so."""

    def run(self, plan: Plan, *, yes: bool) -> int:
        """Show the plan, ask, carry it out; return the exit code."""
        obstacles = self.system.obstacles(plan)
        if complain(obstacles, self._sources, self.ctx.color):
            return REFUSED
        show.lines(as_text(plan, describe))
        if plan and complain(agreed(yes, "Do it?"), {}, self.ctx.color):
            return REFUSED
        state, command = journal(self.where), command_line()
        trial = None
        if self.confirm is not None:
            trial = Trial(state, self.where, command, self.confirm)
        transaction = Transaction(
            self.system, state, command, self.links, self._at, self.policy, trial
        )
        with least_privilege():
            report = transaction.run(plan)
        done = "Done. `tcc rollback` undoes it." if trial is None else _on_trial(trial)
        return conclude(report, self._sources, self.ctx.color, done)

    @property
    def _sources(self) -> Mapping[str, Source]:
        return {} if self.built is None else self.built.sources

    def _at(self, path: Path) -> Span | None:
        return None if self.built is None else span_at(self.built.spans, path)


def _on_trial(trial: Trial) -> str:
    return (
        f"Done, on trial: it is undone at {trial.until}, "
        f"in {format_duration(trial.duration)}, unless `tcc confirm` comes."
    )


def policy_text(built: Built, file: str, where: Namespace | None) -> tuple[str, str] | None:
    """Return key and text of a policy; None for one that has no file of its own."""
    if built.policy is None or file == "-":
        return None
    space = "" if where is None else where.path.name
    return f"{space}:{os.path.realpath(file)}", to_json(built.policy)


def command_line() -> str:
    """Return this process's command line as a shell would read it, for the journal."""
    return shlex.join(["tcc", *sys.argv[1:]])


def complain(
    found: Sequence[Diagnostic], sources: Mapping[str, Source], color: bool | None
) -> bool:
    """Print findings; return whether one is an error."""
    show.findings(list(dict.fromkeys(found)), sources, color=color)
    return has_errors(found)


def describe(item: Item) -> str:
    """Return tc's words for what an item is set to; empty where no plugin knows it."""
    if not isinstance(item, QdiscItem) or item.settings is None:
        return ""
    return " ".join(plugin.qdisc(item.kind).command(item.settings))
