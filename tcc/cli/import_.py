"""`tcc import`: a policy of what shapes today, here or in another system's files."""

from typing import TYPE_CHECKING

import click

from tcc.cli import options, show
from tcc.diagnostics import Diagnostic

if TYPE_CHECKING:
    from tcc.importing import Imported
    from tcc.source import Source

LOST = 1
LIVE = "live"


@click.command()
@click.argument("source", required=False, metavar="[SOURCE]")
@click.option("--from", "kind", metavar="KIND", help="What SOURCE is; guessed if not given.")
@click.option("--device", metavar="NAME", help="The device, where the source does not name it.")
@click.option("--sqm", default="1.7", metavar="VERSION", help="The version of sqm-scripts.")
@click.option("-o", "--output", metavar="FILE", help="Write the policy to this file.")
@options.netns
@click.pass_context
def command(
    ctx: click.Context,
    source: str | None,
    kind: str | None,
    device: str | None,
    sqm: str,
    output: str | None,
    netns: str | None,
) -> int:
    """Make a policy of SOURCE, a file or - for standard input; without one, of this machine.

    KIND is live, tc (commands, scripts), tc-json (`tc -j qdisc show`), sqm, sqm-uci,
    sqm-conf, qosmate, cake-qos-simple, networkd, networkmanager, tcconfig, ifupdown-ng, vyos
    or routeros.
    What the policy cannot say is a comment in it, as is what looks wrong or is there twice.

    Exit codes: 0 done; 1 something was lost, or nothing was found; 2 wrong usage.
    """
    from tcc.importing import policy_of  # noqa: PLC0415

    if source is None or kind == LIVE:
        imported, label, text = _live(netns, device or source), "this machine", None
    else:
        imported, label, text = _of_file(source, kind, device, sqm)
    result = policy_of(imported, label, text)
    sources = {text.path: text} if text is not None else {}
    show.findings(result.found, sources, color=ctx.color)
    if not imported.links:
        click.echo("nothing that shapes was found", err=True)
        return LOST
    _write(output, result.text)
    return LOST if any(item.code == "import-lost" for item in result.found) else 0


def _live(netns: str | None, device: str | None) -> "Imported":
    from tcc.cli import live  # noqa: PLC0415
    from tcc.importing.live import read_live  # noqa: PLC0415

    try:
        return read_live(live.namespace(netns), device)
    except OSError as problem:
        raise options.Failure(f"the kernel would not tell: {problem}") from problem


def _of_file(
    path: str, kind: str | None, device: str | None, sqm: str
) -> "tuple[Imported, str, Source]":
    from tcc.importing import KINDS, SourceError, guess, read  # noqa: PLC0415
    from tcc.importing.kinds import device_of  # noqa: PLC0415
    from tcc.syntax.read import read_source  # noqa: PLC0415

    if kind is not None and kind not in KINDS:
        known = ", ".join((LIVE, *KINDS))
        raise click.UsageError(f"--from {kind}: there are {known}")
    source = read_source(path)
    if isinstance(source, Diagnostic):
        raise options.Failure(f"{path}: {source.message}")
    kind = kind or guess(source.text)
    try:
        imported = read(kind, source.text, device or device_of(path), sqm)
    except SourceError as problem:
        raise options.Failure(f"{path}: {problem}") from problem
    return imported, kind, source


def _write(output: str | None, text: str) -> None:
    if output is None or output == "-":
        click.echo(text, nl=False)
        return
    from tcc.files import put  # noqa: PLC0415

    try:
        put(output, text.encode())
    except OSError as problem:
        raise options.Failure(f"{output}: {problem.strerror}") from problem
