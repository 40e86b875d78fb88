"""What is known of the words of the language, as Markdown: for `tcc explain` and for editors."""

import textwrap
from collections.abc import Iterator
from typing import TYPE_CHECKING

from tcc import language
from tcc.dscp import GROUPS, NAMES, name_of

if TYPE_CHECKING:
    from tcc.engine.cake.tables import TinMode

WIDTH = 96


def known_words() -> Iterator[str]:
    """Yield every word that has something to be said about it."""
    for block in [*language.BLOCKS.values(), language.CONDITIONS]:
        yield from block
    yield from (*language.FRAMINGS, *language.RTT_PRESETS, *language.TIN_MODES)
    yield from (*language.DSCP_WORDS, *language.METRICS)


def entry_page(word: str, entry: language.Entry, places: list[str]) -> str:
    """Return the page of one meaning of a clause."""
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
            text = entry_page(word, entry, [_place(name) for name in same])
            yield text + ("\n" + framing_table() if word == "framing" else "")
    condition = language.CONDITIONS.get(word)
    if condition is not None:
        yield entry_page(word, condition, ["a `match`"])


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


EXPLAINERS = (clauses, framing, rtt, tins, dscp, metrics, qdiscs)
