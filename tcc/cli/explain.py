"""`tcc explain CODE or WORD`: what a finding, a preset or a word means."""

import textwrap
from collections.abc import Iterator
from typing import TYPE_CHECKING

import click

from tcc import language
from tcc.cli.options import Failure
from tcc.dscp import GROUPS, NAMES, name_of

if TYPE_CHECKING:
    from tcc.engine.cake.tables import TinMode

WIDTH = 96


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
    pages += [about for explained in _EXPLAINERS for about in explained(word)]
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


def known_words() -> Iterator[str]:
    """Yield every word that has something to be said about it."""
    for block in [*language.BLOCKS.values(), language.CONDITIONS]:
        yield from block
    yield from (*language.FRAMINGS, *language.RTT_PRESETS, *language.TIN_MODES)
    yield from (*language.DSCP_WORDS, *language.METRICS)


def _entry(word: str, entry: language.Entry, places: list[str]) -> str:
    lines = [f"# {word}: {entry.summary}", ""]
    if places:
        lines.append("In " + ", ".join(places) + ":")
    lines += ["", f"    {entry.syntax}", "", "Example:", "", f"    {entry.example}"]
    if entry.values:
        lines += ["", *textwrap.wrap("Values: " + ", ".join(entry.values), WIDTH)]
    return "\n".join(lines) + "\n"


def clauses(word: str) -> Iterator[str]:
    """Explain a clause: once for each meaning that it has."""
    told: set[language.Entry] = set()
    for block in language.BLOCKS.values():
        entry = block.get(word)
        if entry is not None and entry not in told:
            told.add(entry)
            same = [name for name, words in language.BLOCKS.items() if words.get(word) == entry]
            text = _entry(word, entry, [_place(name) for name in same])
            yield text + ("\n" + framing_table() if word == "framing" else "")
    condition = language.CONDITIONS.get(word)
    if condition is not None:
        yield _entry(word, condition, ["a `match`"])


def _place(block: str) -> str:
    return block if " " in block else f"`{block}`"


def framing_table() -> str:
    """Return all presets with their numbers."""
    from tcc.ir import PRESETS  # noqa: PLC0415

    rows = ["Preset             overhead  smallest  cells"]
    rows += [
        f"{name:<18} {size.overhead:>6} B  {size.mpu:>6} B  {size.cells}"
        for name, size in PRESETS.items()
    ]
    return "\n".join([*rows, "", "`+ vlan` adds 4 B for each tag."]) + "\n"


def framing(word: str) -> Iterator[str]:
    """Explain a framing preset by its numbers."""
    from tcc.ir import PRESETS  # noqa: PLC0415

    size = PRESETS.get(word)
    if size is None:
        return
    about = "Sizes are taken as the qdisc sees them, link-layer header included; nothing is added."
    if not size.raw:
        cells = {"atm": ", cut into ATM cells (48 of 53 bytes)", "ptm": ", in PTM (64 of 65 bytes)"}
        about = f"Each packet takes its IP size and {size.overhead} bytes"
        about += cells.get(size.cells, "") + (f"; at least {size.mpu} bytes." if size.mpu else ".")
    yield f"# {word}: a framing preset\n\n{about}\n\n    framing {word}\n\nSource: tc-cake(8).\n"


def rtt(word: str) -> Iterator[str]:
    """Explain a round trip preset."""
    from tcc.units import format_duration  # noqa: PLC0415

    preset = language.RTT_PRESETS.get(word)
    if preset is not None:
        interval, target = map(format_duration, preset)
        yield (
            f"# {word}: a round trip preset\n\n"
            f"CoDel's interval is {interval} and its target {target}.\n\n"
            f"    rtt {word}\n\nSource: tc-cake(8).\n"
        )


def _mode(word: str) -> "TinMode":
    from tcc.engine.cake.tables import MODE_NAMES, MODES  # noqa: PLC0415

    return MODES[MODE_NAMES.index(word)]


def _tin(mode: "TinMode", value: int) -> str:
    return mode.names[mode.order.index(mode.index[value])]


def tins(word: str) -> Iterator[str]:
    """Explain a set of tins: which DSCP goes where."""
    if word not in language.TIN_MODES:
        return
    mode = _mode(word)
    lines = [f"# {word}: a set of tins", ""]
    for name in mode.names:
        values = [value for value in range(64) if _tin(mode, value) == name]
        lines += textwrap.wrap(
            f"{name:<12} {_listed(values)}",
            WIDTH,
            subsequent_indent=" " * 13,
            break_on_hyphens=False,
        )
    yield "\n".join([*lines, "", f"    tiers {word}", "", "Source: net/sched/sch_cake.c."]) + "\n"


def _listed(values: list[int]) -> str:
    if len(values) > 32:
        return "all others"
    names = [(value, name_of(value)) for value in values]
    return ", ".join(f"{value}" if f"{value}" == name else f"{name}" for value, name in names)


def dscp(word: str) -> Iterator[str]:
    """Explain a DSCP: its number, and the tins that it goes to."""
    if word in GROUPS:
        yield f"# {word}: the DSCPs {', '.join(map(name_of, GROUPS[word]))}\n"
    if word not in NAMES:
        return
    value = NAMES[word]
    lines = [f"# {word}: DSCP {value}, {value:#04x}, {value:06b} (TOS byte {value << 2:#04x})", ""]
    lines += [f"{mode:<12} {_tin(_mode(mode), value)}" for mode in language.TIN_MODES]
    yield "\n".join(lines) + "\n"


def metrics(word: str) -> Iterator[str]:
    """Explain a metric of `require`."""
    if word in language.METRICS:
        syntax = language.OBJECTIVE["require"].syntax
        yield f"# {word}: a metric\n\n{language.METRICS[word]}\n\n    {syntax}\n"


def qdiscs(word: str) -> Iterator[str]:
    """Explain a kind of qdisc by the options of its block."""
    from tcc import plugin  # noqa: PLC0415  (looks through installed distributions)

    try:
        found = plugin.qdisc(word)
    except (KeyError, plugin.PluginError):
        return
    inside = "only inside another qdisc" if found.inner_only else "as `qdisc`, or inside another"
    lines = [f"# {word}: a kind of qdisc, {inside}", "", "Options, in tc's words:", ""]
    words = ", ".join(found.words) or "none"
    yield "\n".join([*lines, *textwrap.wrap(words, WIDTH, break_on_hyphens=False)]) + "\n"


_EXPLAINERS = (clauses, framing, rtt, tins, dscp, metrics, qdiscs)
