"""The page of a verification: one file that needs nothing else, the same bytes for the same run.

It is made from the results document (`tcc verify --json --series`), so whatever can be shown can
be read by programs too.  Its content security policy lets nothing run but the script it carries.
"""

from base64 import b64encode
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any

from tcc.diagnostics import Diagnostic
from tcc.plugin import Expressed
from tcc.report.page import policy
from tcc.report.page.charts import Chart, Distribution
from tcc.report.page.fairness import fairness
from tcc.report.page.figures import curve, figure
from tcc.report.page.html import Child, Markup, data, tag
from tcc.report.page.over_time import charts
from tcc.report.page.verdicts import assumed, chip, state, summary, verdicts
from tcc.source import Source

HERE = Path(__file__).parent
STYLES = ("uplot/uPlot.min.css", "page.css")
SCRIPTS = ("uplot/uPlot.iife.min.js", "page.js")


@dataclass(frozen=True, slots=True)
class Context:
    """What the page shows beside the results.

    Attributes:
        version: of tcc.
        sources: the policy's files, by name.
        found: what lint found in them.
        lowered: what becomes of each clause, by back end.
    """

    version: str
    sources: Mapping[str, Source] = field(default_factory=dict)
    found: Sequence[Diagnostic] = ()
    lowered: Mapping[str, Sequence[Expressed]] = field(default_factory=dict)


def render(document: Mapping[str, Any], context: Context) -> str:
    """Return the page of a results document."""
    drawn: list[Chart] = []
    objectives = document["objectives"]
    name = document["policy"].rpartition("/")[2] or document["policy"]
    body = [
        tag("header", tag("h1", "What ", tag("em", name), " will deliver"), summary(objectives)),
        _contents(objectives, context),
        *(_objective(number, objective, drawn) for number, objective in enumerate(objectives)),
        section("assumed", "What was assumed", [
            tag("p", f"tcc {context.version}: the same policy and seed give the same page."),
            *(assumed(objective, document["target"]) for objective in objectives),
        ]),
    ]  # fmt: skip
    if context.sources:
        body.append(section("policy", "The policy", [
            tag("h3", "Findings"),
            policy.findings(context.sources, context.found),
            *policy.sources(context.sources, context.found),
        ]))  # fmt: skip
    if context.lowered:
        body.append(
            section("lowering", "What becomes of each clause", policy.lowering(context.lowered))
        )
    return whole(f"{name}: what it will deliver", body, drawn)


def section(key: str, title: str, children: Child) -> Markup:
    """Return a section that can be linked to."""
    return tag("section", tag("h2", title, id=f"h-{key}"), children, id=key,
               aria_labelledby=f"h-{key}")  # fmt: skip


def _contents(objectives: Sequence[Mapping[str, Any]], context: Context) -> Markup:
    links: list[Markup] = [
        tag("li", tag("a", _chip(objective), " ", objective["text"], href=f"#objective-{number}"))
        for number, objective in enumerate(objectives)
    ]
    others = [("assumed", "What was assumed", True), ("policy", "The policy", context.sources),
              ("lowering", "What becomes of each clause", context.lowered)]  # fmt: skip
    links += [tag("li", tag("a", title, href=f"#{key}")) for key, title, there in others if there]
    return tag("nav", tag("ul", links), aria_label="Contents")


def _chip(objective: Mapping[str, Any]) -> Markup:
    states = {state(one) for one in objective["requirements"]}
    return chip(next((one for one in ("missed", "noisy") if one in states), "held"))


def _objective(number: int, objective: Mapping[str, Any], drawn: list[Chart]) -> Markup:
    runs = objective["runs"]
    title = objective["text"] or f"objective {number + 1}"
    seen: list[Child] = [list(verdicts(objective))]
    if len(runs) > 1:
        seen.append(
            tag("p", f"The charts are of seed {runs[0]['seed']}, the first of {len(runs)}.")
        )
    rows = [*(drawings(row, drawn) for row in charts(objective, f"o{number}")), fairness(objective)]
    figures = [tag("div", row, class_="figures") for row in map(list, rows) if row]
    if figures:
        seen += [tag("h3", "Over time"), *figures]
    return section(f"objective-{number}", title, seen)


def drawings(row: Sequence[Chart | Distribution], drawn: list[Chart]) -> Iterator[Markup]:
    """Yield the figures of charts; those that the script draws are put down in `drawn`."""
    for one in row:
        if isinstance(one, Chart):
            drawn.append(one)
        yield figure(one) if isinstance(one, Chart) else curve(one)


def _carried(names: Sequence[str], between: str = "") -> str:
    return between.join((HERE / name).read_text(encoding="utf-8") for name in names)


def whole(title: str, body: Sequence[Markup], drawn: Sequence[Chart]) -> str:
    """Return a document around a body, with all that its charts need; without any, no script."""
    style, script = _carried(STYLES if drawn else STYLES[-1:]), _carried(SCRIPTS, ";")
    allowed = (
        f"default-src 'none'; style-src {_hash(style)}; "
        + (f"script-src {_hash(script)}; " if drawn else "")
        + "img-src data:; base-uri 'none'; form-action 'none'"
    )
    head = tag(
        "head",
        tag("meta", charset="utf-8"),
        tag("meta", http_equiv="Content-Security-Policy", content=allowed),
        tag("meta", name_="viewport", content="width=device-width, initial-scale=1"),
        tag("meta", name_="color-scheme", content="light dark"),
        tag("link", rel="icon", href="data:,"),
        tag("title", title),
        tag("style", Markup(style)),
    )
    page = tag(
        "html",
        head,
        tag(
            "body",
            tag("a", "Skip to the results", href="#main", class_="skip"),
            tag("main", body, id="main", tabindex=-1),
            [
                tag("script", data([chart.data() for chart in drawn]), id="data",
                    type="application/json"),
                tag("script", Markup(script)),
            ] if drawn else None,
        ),
        lang="en",
    )  # fmt: skip
    return f"<!doctype html>\n{page}\n"


def _hash(text: str) -> str:
    return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"
