"""Two results documents on one page: what changed between them, in verdicts, figures and charts."""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any, NamedTuple

from tcc.report.page.charts import Chart
from tcc.report.page.diff_charts import charts
from tcc.report.page.diff_figures import figures
from tcc.report.page.figures import framed, table
from tcc.report.page.html import Child, Markup, tag
from tcc.report.page.page import drawings, section, whole
from tcc.report.page.verdicts import assumptions, chip, state
from tcc.report.page.words import bound, exact, measured, percent, quantity, what

Document = Mapping[str, Any]


class Pair(NamedTuple):
    """What two documents call the same, and where it is in each."""

    before: Document
    after: Document


def render(
    before: Document,
    after: Document,
    names: tuple[str, str],
    version: str,
    title: str = "What changed",
) -> str:
    """Return the page of a comparison.

    Args:
        before: results.
        after: results to compare with them.
        names: what to call both: A and B of the page.
        version: of tcc.
        title: of the page.
    """
    drawn: list[Chart] = []
    pairs, alone = _paired(before, after)
    body = [
        tag(
            "header",
            tag("h1", title),
            tag("p", "A is ", tag("strong", names[0]), ", B is ", tag("strong", names[1]), "."),
            _summary(pairs),
        ),
        *(_objective(number, pair, drawn) for number, pair in enumerate(pairs)),
    ]
    if alone:
        lines = (tag("li", f"Only in {side}: {text}") for side, text in alone)
        body.append(section("alone", "Without a counterpart", tag("ul", lines)))
    body.append(section("made", "About this page", tag("p", f"Compared by tcc {version}.")))
    return whole(title, body, drawn)


def _paired(before: Document, after: Document) -> tuple[list[Pair], list[tuple[str, str]]]:
    """Return what both have, and the texts of what only A or B has.

    Objectives are the same when their texts are, and who measured; of what is left over then,
    when their texts are: a prediction and a measurement.
    """
    pairs: list[tuple[int, Pair]] = []
    left, right = list(before["objectives"]), list(after["objectives"])
    for keys in (("text", "verifier"), ("text",)):
        for one in tuple(left):
            key = [one[name] for name in keys]
            other = next((each for each in right if [each[name] for name in keys] == key), None)
            if other is not None:
                pairs.append((before["objectives"].index(one), Pair(one, other)))
                left.remove(one)
                right.remove(other)
    alone = [(side, one["text"]) for side, rest in (("A", left), ("B", right)) for one in rest]
    return [pair for _, pair in sorted(pairs, key=lambda item: item[0])], alone


def _requirements(pair: Pair) -> list[Pair]:
    """Return the requirements that both have, whatever their bounds."""
    there = {_place(one): one for one in pair.after["requirements"]}
    return [
        Pair(one, there[_place(one)])
        for one in pair.before["requirements"]
        if _place(one) in there
    ]  # fmt: skip


def _place(requirement: Document) -> tuple[str, str | None]:
    """Return what a requirement is about, without its bound."""
    words = requirement["text"].rpartition(" ")[0]
    return words, requirement["direction"]


def _summary(pairs: Sequence[Pair]) -> Markup:
    rows = [one for pair in pairs for one in _requirements(pair)]
    held = [(state(one.before) == "held", state(one.after) == "held") for one in rows]
    better, worse = held.count((False, True)), held.count((True, False))
    changes = [f"{better} held in B alone"] * bool(better) + [f"{worse} held in A alone"] * bool(
        worse
    )
    if not rows:
        words = "Nothing in them can be compared."
    elif changes:
        words = f"Of {len(rows)} common requirements: {', '.join(changes)}."
    else:
        words = f"The verdicts of all {len(rows)} common requirements are the same."
    kind = "missed" if worse else "held" if rows else "noisy"
    return tag("p", tag("strong", words), class_=f"summary {kind}")


def _objective(number: int, pair: Pair, drawn: list[Chart]) -> Markup:
    seen: list[Child] = [_verdicts(pair), tag("h3", "Figures of the first seed"), _figures(pair)]
    rows = list(filter(None, charts(*pair, f"o{number}")))
    seen.append(tag("h3", "Over time"))
    seen += [tag("div", drawings(row, drawn), class_="figures") for row in rows]
    if not rows:
        words = "Nothing is drawn: that takes results with --series, of equal intervals."
        seen.append(tag("p", words))
    seen += [tag("h3", "What they assumed differently"), _assumed(pair)]
    return section(f"objective-{number}", pair.before["text"], seen)


def _verdicts(pair: Pair) -> Markup:
    rows = (
        tag(
            "tr",
            tag("th", what(one.before), scope="row"),
            tag("td", chip(state(one.before)), " ", measured(one.before), class_="number"),
            tag("td", chip(state(one.after)), " ", measured(one.after), class_="number"),
            tag("td", _change(_mean(one.before), _mean(one.after)), class_="number"),
            tag("td", _bounds(one), class_="number"),
        )
        for one in _requirements(pair)
    )
    head = ("what", "A", "B", "B against A", "required")
    return framed(f"Requirements of “{pair.before['text']}”", head, rows, "verdicts")


def _bounds(one: Pair) -> str:
    before, after = bound(one.before), bound(one.after)
    return before if before == after else f"{before}, then {after}"


def _mean(requirement: Document) -> Fraction | None:
    values = [found for one in requirement["measured"] if (found := exact(one)) is not None]
    return sum(values, Fraction(0)) / len(values) if values else None


def _change(before: Fraction | None, after: Fraction | None) -> str:
    if before is None or after is None:
        return ""
    if before == after:
        return "the same"
    if not before:
        return "more" if after > 0 else "less"
    share = (after - before) / abs(before)
    return f"{'+' if share > 0 else '-'}{percent(abs(share))}"


def _figures(pair: Pair) -> Markup:
    before, after = ({name: (value, unit) for name, value, unit in figures(one)} for one in pair)
    rows = [
        (
            name,
            quantity(Fraction(value), unit),
            quantity(Fraction(after[name][0]), unit),
            _change(Fraction(value), Fraction(after[name][0])),
        )
        for name, (value, unit) in before.items()
        if name in after
    ]
    return table(f"Figures of “{pair.before['text']}”", ("", "A", "B", "B against A"), rows)


def _assumed(pair: Pair) -> Markup:
    before, after = (dict(assumptions(one, None)) for one in pair)
    rows = [
        (name, before.get(name, "-"), after.get(name, "-"))
        for name in dict.fromkeys((*before, *after))
        if before.get(name) != after.get(name)
    ]
    if not rows:
        return tag("p", "Nothing: load, testbed, times, seeds and verifier are the same.")
    return table(f"Assumptions of “{pair.before['text']}”", ("", "A", "B"), rows)
