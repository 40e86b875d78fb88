"""A search as one page that needs nothing else, and no script: the choice, why, and what was tried.

It is made of the parts of a sweep's page.  The same search gives the same bytes.
"""

from collections.abc import Sequence
from typing import Any

from tcc import __version__
from tcc.report.page.html import Child, Markup, tag
from tcc.report.page.page import section, whole
from tcc.sweep import provenance
from tcc.sweep.page import MOST_ROWS, chip, fronts, wide
from tcc.sweep.tune.explain import (
    AS_IT_IS,
    certainty,
    effort,
    heading,
    limit,
    mean_of,
    place_of,
    ranked,
    shortcoming,
    words_of,
)
from tcc.sweep.tune.found import Found
from tcc.sweep.tune.search import Choice
from tcc.sweep.tune.trial import Trial, Trials
from tcc.verify.judge import in_words
from tcc.verify.summary import Summary


def render(found: Found, edit: str) -> str:
    """Return the page of a search; `edit` is the choice as a change of the policy's text."""
    trials, choice, _, seeds = found
    name = trials.setup.path.rpartition("/")[2]
    tried = ranked(trials, seeds)[::-1]
    body = [
        tag(
            "header",
            tag("h1", "The best settings found for ", tag("em", name)),
            tag("p", _sentence(heading(trials)), " ", _sentence(effort(trials, seeds))),
        ),
        section("choice", "The choice", _choice(found, edit)),
        section("tried", "What was tried", _tried(trials, choice, tried)),
        section("assumed", "What was assumed", [
            tag("p", f"tcc {__version__} ({provenance.program()}): "
                "the same search gives the same page."),
            tag("p", f"Predictions: {choice.best.cell.basis or 'none'}."),
        ]),
        section("policy", "What was run",
                tag("pre", trials.goal.source.text, class_="source")),
    ]  # fmt: skip
    return whole(f"{name}: tuned", body, ())


def _sentence(words: str) -> str:
    return f"{words[:1].upper()}{words[1:]}."


def _choice(found: Found, edit: str) -> list[Child]:
    """Return what is chosen, what it gives, why not more, how sure that is."""
    trials, choice, fates, seeds = found
    settings = (
        tag("tr", tag("th", knob.name, scope="row"), tag("td", value or AS_IT_IS))
        for knob, value in zip(trials.knobs, choice.best.setting, strict=True)
    )
    said = (limit(trials, choice), *certainty(choice, seeds))
    return [
        None if choice.found else tag("p", _sentence(shortcoming(choice))),
        wide("Settings", ["setting", "value"], settings),
        wide("What they give", ["", "chosen", "as it was"], _figures(trials, choice)),
        (tag("p", _sentence(words)) for words in said),
        wide(
            "The policy's own objectives",
            ["objective of the policy", "as it was", "with the choice"],
            (tag("tr", (tag("td", words) for words in (one.text, one.before, one.after)))
             for one in fates),
        ) if fates else None,
        tag("h3", "The edit"),
        tag("pre", edit or "Nothing is to be changed.", class_="source"),
    ]  # fmt: skip


def _figures(trials: Trials, choice: Choice) -> list[Markup]:
    best, before = choice.best, choice.before
    olds: dict[Any, Summary] = {place_of(one): one for one in (*before.required, *before.sought)}
    rows = [
        (words_of(trials, one), mean_of(one), mean_of(olds.get(place_of(one))))
        for one in (*best.required, *best.sought)
    ]
    if trials.is_share:
        rows.append(("of the line", _share(best), _share(before)))
    return [
        tag("tr", tag("th", words, scope="row"), (tag("td", one, class_="number") for one in both))
        for words, *both in rows
    ]


def _share(trial: Trial) -> str:
    return "-" if trial.score is None else in_words(trial.score, "ratio")


def _tried(trials: Trials, choice: Choice, tried: Sequence[Trial]) -> list[Child]:
    """Return rate against delay, with the choice marked, and every setting, the best first."""
    names = [knob.name for knob in trials.knobs]
    settings = [[value or AS_IT_IS for value in one.setting] for one in tried]
    chosen = next((at for at, one in enumerate(tried) if one.setting == choice.best.setting), None)
    drawn = list(fronts([[one.cell] for one in tried], 0, names, settings, chosen))
    measured = (*choice.best.required, *choice.best.sought)
    heads = [*names, "verdict", *(words_of(trials, one) for one in measured)]
    rows = (
        _row(values, one, measured, trials.is_share, at == chosen)
        for at, (values, one) in enumerate(zip(settings[:MOST_ROWS], tried, strict=False))
    )
    return [
        tag("div", drawn, class_="figures") if drawn else None,
        tag("h3", "Every setting, the best first"),
        wide("Every setting", [*heads, *(["of the line"] * trials.is_share)], rows),
        tag("p", f"{len(tried) - MOST_ROWS:,} more were no better.")
        if len(tried) > MOST_ROWS else None,
    ]  # fmt: skip


def _row(
    values: Sequence[str], one: Trial, measured: Sequence[Summary], share: bool, chosen: bool
) -> Markup:
    figures = {place_of(each): mean_of(each) for each in (*one.required, *one.sought)}
    cells = [figures.get(place_of(each), "-") for each in measured]
    if share:
        cells.append(_share(one))
    return tag(
        "tr",
        (tag("td", tag("strong", value) if chosen else value) for value in values),
        tag("td", chip(one.cell), " chosen" if chosen else None),
        (tag("td", cell, class_="number") for cell in cells),
    )
