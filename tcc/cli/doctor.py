"""`tcc doctor`: look for what commonly goes wrong, each with the command that cures it."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

import click

from tcc.cli import options

if TYPE_CHECKING:
    from tcc.facts import Facts

SICK = 1
SHAPERS = ("cake", "tbf")


class Finding(NamedTuple):
    """One thing that was looked at: how it is, and what mends it if it is not right."""

    what: str
    cure: str | None = None


@click.command()
@options.netns
@click.pass_context
def command(ctx: click.Context, netns: str | None) -> int:
    """Look for what commonly goes wrong on this host. Nothing is changed.

    Exit codes: 0 nothing is wrong, 1 something is, 2 wrong usage, or a namespace that cannot be
    entered.
    """
    found = [*_engine(), *_plugins(), *_privileges(), *_host(netns)]
    for finding in found:
        click.echo(f"{'ok  ' if finding.cure is None else 'look'}  {finding.what}")
        if finding.cure is not None:
            click.echo(f"      -> {finding.cure}")
    return SICK if any(finding.cure for finding in found) else 0


def _engine() -> Iterator[Finding]:
    from tcc.engine import compiled  # noqa: PLC0415

    if compiled():
        yield Finding("the engine runs compiled")
    else:
        yield Finding(
            "the engine runs interpreted: results are the same, a hundred times slower",
            "install a C compiler and Python's headers (gcc, python3-dev), then install tcc again",
        )


def _plugins() -> Iterator[Finding]:
    from tcc import plugin  # noqa: PLC0415

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
                yield Finding(str(problem), "mend or remove the distribution that it came with")
                continue
            count += 1
            if group == plugin.VERIFIERS and hasattr(loaded, "state"):
                yield Finding(*loaded.state())
    yield Finding(f"{count} plugins can be loaded")


def _privileges() -> Iterator[Finding]:
    from tcc.apply.privilege import may_administer  # noqa: PLC0415

    if may_administer():
        yield Finding("this process may change network devices (CAP_NET_ADMIN)")
    else:
        yield Finding(
            "this process may not change network devices",
            "run `tcc apply` as root; plan, lint, verify and generate need no privilege",
        )


def _host(netns: str | None) -> Iterator[Finding]:
    from tcc.cli import live  # noqa: PLC0415
    from tcc.facts.gather import gather  # noqa: PLC0415

    where = live.namespace(netns)
    try:
        gathered = gather(where)
    except OSError as problem:
        raise options.Failure(f"the kernel would not tell: {problem}") from problem
    for sentence in gathered.unknown:
        yield Finding(f"not found out: {sentence}")
    if gathered.facts.qdiscs:
        yield from _shapers(gathered.facts)
    yield from _owners(gathered.facts)


def _shapers(facts: "Facts") -> Iterator[Finding]:
    there = [kind for kind in SHAPERS if kind in facts.qdiscs]
    if "cake" in there:
        more = " and cake_mq" if "cake_mq" in facts.qdiscs else ""
        yield Finding(f"the kernel {facts.kernel} has cake{more}")
    elif there:
        yield Finding(
            f"the kernel {facts.kernel} has {' and '.join(there)}, and no cake",
            "install the module: `apt install linux-image-$(uname -r)` has sch_cake, on OpenWrt "
            "`kmod-sched-cake`; `qdisc auto` takes tbf until then",
        )
    else:
        yield Finding(
            f"the kernel {facts.kernel} has nothing that shapes", "load sch_cake or sch_tbf"
        )


def _owners(facts: "Facts") -> Iterator[Finding]:
    for device in facts.devices:
        if device.owner is not None:
            yield Finding(
                f"{device.name} is managed by {device.owner}, which may replace its qdiscs",
                f"keep qdiscs of {device.name} out of its configuration, or shape there",
            )
