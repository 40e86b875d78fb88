"""Charts as figures: a heading, the drawing, a legend, and the same as a table."""

from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction

from tcc.report.page.charts import Chart, Distribution, Line, Scale
from tcc.report.page.html import Markup, tag
from tcc.report.page.svg import distribution, in_units, over_time, style
from tcc.report.page.words import quantity

QUANTILES = (("half", 500), ("95 of 100", 950), ("99 of 100", 990), ("995 of 1000", 995))
KEYS = "arrow keys move the cursor, + and - zoom, 0 shows everything"


def figure(chart: Chart) -> Markup:
    """Return a chart over time; where scripts run, it can be zoomed."""
    return tag(
        "figure",
        tag("h4", chart.title),
        tag("p", chart.note, class_="note") if chart.note else None,
        tag(
            "div",
            class_="plot",
            id=f"plot-{chart.key}",
            tabindex=0,
            role="group",
            aria_label=f"{chart.title}: {KEYS}",
            aria_describedby=f"said-{chart.key}",
            hidden=True,
        ),
        over_time(chart),
        _legend(chart.lines),
        tag("p", class_="said", id=f"said-{chart.key}", aria_live="polite"),
        tag("details", tag("summary", "As a table"), _table(chart), class_="numbers"),
        class_="chart",
        data_chart=chart.key,
    )


def curve(chart: Distribution) -> Markup:
    """Return a distribution, and its quantiles as a table."""
    places = [(name, chart.shares.index(share)) for name, share in QUANTILES]
    rows = [
        (line.name, *(quantity(Fraction(line.values[place] or 0), "duration")
                      for _, place in places))
        for line in chart.lines
    ]  # fmt: skip
    return tag(
        "figure",
        tag("h4", chart.title),
        distribution(chart),
        _legend(chart.lines),
        tag(
            "details",
            tag("summary", "As a table"),
            table(chart.title, ("", *(name for name, _ in places)), rows),
            class_="numbers",
        ),
        class_="curve",
    )


def _legend(lines: Sequence[Line]) -> Markup:
    return tag(
        "ul",
        (
            tag("li", tag("span", class_=f"swatch {style(number, line.dashed)}"), line.name)
            for number, line in enumerate(lines)
        ),
        class_="legend",
    )


def _table(chart: Chart) -> Markup:
    """Return mean, least and greatest of each line."""
    scale = chart.scale
    head = ("", f"mean, {scale.name}", "least", "greatest")
    return table(chart.title, head, [(line.name, *_spread(line, scale)) for line in chart.lines])


def _spread(line: Line, scale: Scale) -> Iterator[str]:
    values = [value for value in line.values if value is not None]
    if not values:
        yield from ("-", "-", "-")
        return
    for value in (sum(values) // len(values), min(values), max(values)):
        yield in_units(scale.thousandths(value) or 0)


def table(caption: str, head: Sequence[str], rows: Sequence[Sequence[str]]) -> Markup:
    """Return a table whose first column heads its rows; a caption for those who cannot see it."""
    body = (
        tag("tr", tag("th", row[0], scope="row"), (tag("td", cell) for cell in row[1:]))
        for row in rows
    )
    return framed(caption, head, body)


def framed(
    caption: str, head: Sequence[str], rows: Iterable[Markup], class_: str | None = None
) -> Markup:
    """Return rows as a table that scrolls by itself where the page is narrow."""
    cells = (tag("th", cell, scope="col") if cell else tag("td") for cell in head)
    parts = (tag("caption", caption), tag("thead", tag("tr", cells)), tag("tbody", rows))
    return tag(
        "div",
        tag("table", parts, class_=class_),
        class_="wide",
        tabindex=0,
        role="region",
        aria_label=caption,
    )
