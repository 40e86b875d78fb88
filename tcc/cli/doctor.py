"""`tcc doctor`: look for what commonly goes wrong, each with the command that cures it."""

import json
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import click

from tcc.cli import options, show

if TYPE_CHECKING:
    from tcc.doctor import Finding
    from tcc.facts import Facts

SICK = 1
WORDS = {"ok": "ok  ", "look": "look", "unknown": "?   "}


@click.command()
@options.facts
@options.netns
@click.option("--json", "as_json", is_flag=True, help="Print the findings as JSON.")
def command(*, facts: "Facts | None", netns: str | None, as_json: bool) -> int:
    """Look for what commonly goes wrong on this host. Nothing is changed.

    With --facts, on the host that they were taken of: then nothing that runs is looked at.

    Exit codes: 0 nothing is wrong, 1 something is, 2 wrong usage, or a namespace that cannot be
    entered.
    """
    from tcc.doctor.host import in_order  # noqa: PLC0415

    if facts is not None and netns is not None:
        raise click.UsageError("--facts and --netns are about two hosts: give one of them")
    found = in_order(_of_facts(facts) if facts is not None else _of_this_host(netns))
    show.lines(_json(found) if as_json else _text(found))
    return SICK if any(one.state == "look" for one in found) else 0


def _text(found: "Sequence[Finding]") -> str:
    lines = []
    for one in found:
        lines.append(f"{WORDS[one.state]}  {one.what}")
        if one.cure is not None:
            lines.append(f"      -> {one.cure}")
    return "\n".join(lines) + "\n"


def _json(found: "Sequence[Finding]") -> str:
    rows = [
        {"code": one.code, "state": one.state, "what": one.what, "cure": one.cure} for one in found
    ]
    return json.dumps({"version": 1, "findings": rows}, indent=2) + "\n"


def _of_facts(facts: "Facts") -> "Iterator[Finding]":
    from tcc.doctor.host import findings  # noqa: PLC0415

    yield from findings(facts)


def _of_this_host(netns: str | None) -> "Iterator[Finding]":
    from tcc.cli import live  # noqa: PLC0415
    from tcc.doctor import host, running  # noqa: PLC0415
    from tcc.doctor.finding import unknown  # noqa: PLC0415
    from tcc.facts.gather import gather  # noqa: PLC0415
    from tcc.status.reader import Reader  # noqa: PLC0415

    where = live.namespace(netns)
    yield from _engine()
    yield from _plugins()
    yield from _privileges()
    try:
        gathered = gather(where)
        with Reader(where) as reader, live.backend().open(where) as system:
            runs = list(running.findings(reader, system, live.journal(where)))
    except OSError as problem:
        raise options.Failure(f"the kernel would not tell: {problem}") from problem
    for sentence in gathered.unknown:
        yield unknown("facts", f"not found out: {sentence}")
    yield from host.findings(gathered.facts)
    yield from runs


def _engine() -> "Iterator[Finding]":
    from tcc.doctor.finding import look, ok  # noqa: PLC0415
    from tcc.engine import compiled  # noqa: PLC0415

    if compiled():
        yield ok("engine", "the engine runs compiled")
    else:
        yield look(
            "engine",
            "the engine runs interpreted: results are the same, a hundred times slower",
            "apt install gcc python3-dev; then install tcc again",
        )


def _plugins() -> "Iterator[Finding]":
    from tcc import plugin  # noqa: PLC0415
    from tcc.doctor.finding import Finding, look, ok  # noqa: PLC0415

    loaders = {
        plugin.QDISCS: plugin.qdisc,
        plugin.BACKENDS: plugin.backend,
        plugin.VERIFIERS: plugin.verifier,
    }
    count = 0
    for group, load in loaders.items():
        for name in plugin.names(group):
            try:
                loaded = load(name)
            except plugin.PluginError as problem:
                cure = "mend or remove the distribution that it came with"
                yield look("plugin", str(problem), cure)
                continue
            count += 1
            if group == plugin.VERIFIERS and hasattr(loaded, "state"):
                what, cure = (*loaded.state(), None)[:2]
                yield Finding("verifier", what, cure, "ok" if cure is None else "look")
    yield ok("plugins", f"{count} plugins can be loaded")


def _privileges() -> "Iterator[Finding]":
    from tcc.apply.privilege import may_administer  # noqa: PLC0415
    from tcc.doctor.finding import look, ok  # noqa: PLC0415

    if may_administer():
        yield ok("privilege", "this process may change network devices (CAP_NET_ADMIN)")
    else:
        yield look(
            "privilege",
            "this process may not change network devices",
            "run `tcc apply` as root; plan, lint, verify and generate need no privilege",
        )
