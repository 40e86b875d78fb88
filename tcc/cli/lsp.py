"""`tcc lsp`: serve editors."""

import os
from typing import TYPE_CHECKING

import click

from tcc.cli import options

if TYPE_CHECKING:
    from tcc.facts import Facts
    from tcc.passes import Given


@click.command()
@options.values
@options.facts
@click.option("--target", metavar="BACKEND", help="Find what this back end cannot express.")
@click.option("--no-config", is_flag=True, help="Pass over tcc.toml and [tool.tcc].")
def command(given: "Given", facts: "Facts | None", target: str | None, *, no_config: bool) -> int:
    """Serve an editor by the Language Server Protocol, on standard input and output.

    Findings as you type, what words mean and what they become on each system, completion,
    definitions, renaming, layout and fixes. Needs the extra `lsp`: pip install 'tcpolicy[lsp]'.

    Exit codes: 0 the editor ended it; 2 wrong usage, or the extra is not there.
    """
    try:
        from tcc.lsp.server import serve  # noqa: PLC0415  (an extra)
    except ImportError as problem:
        name = (problem.name or "").partition(".")[0]
        if name not in ("pygls", "lsprotocol"):
            raise
        raise options.Failure(f"`tcc lsp` needs {name}: pip install 'tcpolicy[lsp]'") from problem
    from tcc.linting.settings import Asked  # noqa: PLC0415

    asked = Asked(given, facts, target, (), (), options.read_facts, not no_config)
    # Streams of its own, since the server closes them in the end.
    with os.fdopen(os.dup(0), "rb") as reading, os.fdopen(os.dup(1), "wb") as writing:
        serve(asked).start_io(reading, writing)
    return 0
