"""`tcc explain CODE or WORD`: what a finding, a preset or a word means."""

import textwrap

import click

from tcc.cli.options import Failure
from tcc.explained import EXPLAINERS, WIDTH, known_words


def _complete(_: click.Context, __: click.Parameter, incomplete: str) -> list[str]:
    from tcc.pages import codes  # noqa: PLC0415

    words = {*codes(), *known_words()}
    return sorted(word for word in words if word.startswith(incomplete))


@click.command(context_settings={"allow_interspersed_args": False})
@click.argument("word", shell_complete=_complete)
@click.argument("rest", nargs=-1, type=click.UNPROCESSED, metavar="[PACKET OPTIONS FILE]")
@click.pass_context
def command(ctx: click.Context, word: str, rest: tuple[str, ...]) -> int:
    """Print the page of a finding, of a preset or of a word of the language.

    WORD is the code of a finding (missing-unit), a clause (bandwidth), a framing preset
    (pppoe-ptm), a round trip preset (regional), a set of tins (diffserv4) or a DSCP (ef).

    `tcc explain packet --help` tells how to ask which tier a packet lands in.

    Exit codes: 0 printed, 2 nothing is known of the word.
    """
    if word == "packet" and rest:
        from tcc.cli import explain_packet  # noqa: PLC0415

        with explain_packet.command.make_context("tcc explain packet", list(rest), ctx) as inner:
            return int(explain_packet.command.invoke(inner))
    if rest:
        raise click.UsageError(f"one word is explained at a time; {rest[0]!r} is another one")
    from tcc.pages import codes, page  # noqa: PLC0415  (reads the folder of pages)

    text = page(word)
    pages = [lay_out(text)] if text else []
    pages += [about for explained in EXPLAINERS for about in explained(word)]
    if not pages:
        from tcc.syntax.suggestions import did_you_mean  # noqa: PLC0415

        near = did_you_mean(word, [*codes(), *known_words()])
        hint = f"; did you mean `{near}`?" if near else ""
        raise Failure(f"nothing is known of `{word}`{hint}")
    click.echo("\n".join(pages), nl=False)
    return 0


def lay_out(text: str) -> str:
    """Return a page with its paragraphs filled; code stays as it is."""
    lines: list[str] = []
    code = False
    for line in text.splitlines():
        if line.startswith("```"):
            code = not code
        elif code:
            lines.append(f"    {line}".rstrip())
        elif len(line) > WIDTH and not line.startswith((" ", "|", "#")):
            lines += textwrap.wrap(line, WIDTH, break_long_words=False, break_on_hyphens=False)
        else:
            lines.append(line)
    return "\n".join(lines) + "\n"


__all__ = ["command", "known_words", "lay_out"]
