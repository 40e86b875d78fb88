"""The policy as it was written, what lint found in it, and what systems make of its clauses."""

from collections.abc import Iterator, Mapping, Sequence

from tcc.diagnostics import Diagnostic
from tcc.plugin import Expressed, Verdict
from tcc.report.page.figures import table
from tcc.report.page.html import Markup, tag
from tcc.report.place import where
from tcc.source import Source

SIGNS = {
    Verdict.EXACT: ("✓", "exact", "held"),
    Verdict.APPROXIMATED: ("~", "approximated", "noisy"),
    Verdict.REFUSED: ("✗", "refused", "missed"),
}
WORST = list(SIGNS)
Tables = Mapping[str, Sequence[Expressed]]


def sources(texts: Mapping[str, Source], found: Sequence[Diagnostic]) -> Iterator[Markup]:
    """Yield each file with numbered lines, those with findings marked."""
    for number, (name, source) in enumerate(texts.items()):
        marked = {
            source.position(one.span.start).line
            for one in found
            if one.span is not None and one.span.path == name
        }
        lines = (
            tag(
                "li",
                tag("code", line or " "),
                id=f"line-{number}-{place}",
                class_="marked" if place in marked else None,
            )
            for place, line in enumerate(source.text.splitlines(), 1)
        )
        yield tag("h3", name)
        yield tag("ol", lines, class_="source", tabindex=0, aria_label=f"text of {name}")


def findings(texts: Mapping[str, Source], found: Sequence[Diagnostic]) -> Markup:
    """Return what lint found, each with a link to its line."""
    if not found:
        return tag("p", "Lint found nothing.")
    return tag("ul", (tag("li", _finding(one, texts)) for one in found), class_="findings")


def _finding(one: Diagnostic, texts: Mapping[str, Source]) -> Iterator[Markup]:
    place = where(one, texts)
    source = texts.get(one.span.path) if one.span is not None else None
    if source is None or one.span is None:
        yield tag("span", place)
    else:
        number = list(texts).index(source.path)
        yield tag("a", place, href=f"#line-{number}-{source.position(one.span.start).line}")
    yield tag("span", f" {one.severity}[{one.code}]: {one.message}")
    if one.hints:
        yield tag("ul", (tag("li", hint) for hint in one.hints))


def lowering(tables: Tables) -> Iterator[Markup]:
    """Yield the grid of clauses and systems, then each system's own words."""
    clauses = dict.fromkeys((row.where, row.clause) for rows in tables.values() for row in rows)
    yield tag(
        "div",
        tag(
            "table",
            tag("caption", "What becomes of each clause on each system"),
            tag("thead", tag("tr", tag("td"), (tag("th", name, scope="col") for name in tables))),
            tag(
                "tbody",
                (
                    tag(
                        "tr",
                        tag("th", _label(*clause), scope="row"),
                        (tag("td", _sign(rows, clause)) for rows in tables.values()),
                    )
                    for clause in clauses
                ),
            ),
            class_="matrix",
        ),
        class_="wide",
        tabindex=0,
        role="region",
        aria_label="What becomes of each clause on each system",
    )
    yield tag(
        "p",
        "✓ exact, ~ approximated, ✗ refused, - not asked for.",
        class_="note",
    )
    for names, lines in _alike(tables):
        head = ("clause", "verdict", "became", "because")
        yield tag("details", tag("summary", names), table(f"On {names}", head, lines))


def _alike(tables: Tables) -> Iterator[tuple[str, Sequence[tuple[str, ...]]]]:
    """Yield what becomes of each clause, and the names of all systems where just that does."""
    found: dict[tuple[tuple[str, ...], ...], list[str]] = {}
    for name, rows in tables.items():
        lines = tuple(
            (_label(row.where, row.clause), SIGNS[row.verdict][1], row.became or "-", row.because)
            for row in rows
        )
        found.setdefault(lines, []).append(name)
    for alike, names in found.items():
        yield ", ".join(names), alike


def _label(place: str, clause: str) -> str:
    return f"{place}: {clause}" if place else clause


def _sign(rows: Sequence[Expressed], clause: tuple[str, str]) -> Markup:
    hit = [row.verdict for row in rows if (row.where, row.clause) == clause]
    if not hit:
        return tag("span", "-")
    sign, word, kind = SIGNS[max(hit, key=WORST.index)]
    return tag("span", sign, role="img", aria_label=word, class_=f"sign {kind}")
