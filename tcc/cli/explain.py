"""`tcc explain CODE or WORD`: what a finding, a preset or a word means."""

import textwrap

import click

from tcc.cli.options import Failure
from tcc.explained import EXPLAINERS, WIDTH, known_words


def _complete(_: click.Context, __: click.Parameter, incomplete: str) -> list[str]:
    from tcc.pages import codes  # noqa: PLC0415

    words = {*codes(), *known_words()}
    return sorted(word for word in words if word.startswith(incomplete))


@click.command()
@click.argument("word", shell_complete=_complete)
def command(word: str) -> int:
    """Print the page of a finding, of a preset or of a word of the language.

    WORD is the code of a finding (missing-unit), a clause (bandwidth), a framing preset
    (pppoe-ptm), a round trip preset (regional), a set of tins (diffserv4) or a DSCP (ef).

    Exit codes: 0 printed, 2 nothing is known of the word.
    """
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
