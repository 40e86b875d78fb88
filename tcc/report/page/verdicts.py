"""What held and what was missed, in plain words, and what each run assumed."""

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any

from tcc.report.page.figures import table
from tcc.report.page.html import Child, Markup, tag
from tcc.report.page.words import bound, exact, margin, measured, quantity, what

SIGNS = {"held": "✓", "noisy": "~", "missed": "✗"}
WORDS = {"held": "held", "noisy": "noisy", "missed": "missed"}


def state(requirement: Mapping[str, Any]) -> str:
    """Return `held`, `noisy` or `missed`."""
    if requirement["holds"]:
        return "held"
    return "noisy" if requirement["noisy"] else "missed"


def summary(objectives: Sequence[Mapping[str, Any]]) -> Markup:
    """Return one sentence on everything, as loud as it is bad."""
    states = [state(one) for objective in objectives for one in objective["requirements"]]
    missed = len(states) - states.count("held")
    if any(objective["interrupted"] for objective in objectives):
        words, kind = "The run was interrupted: what follows is what there was.", "noisy"
    elif not states:
        words, kind = "Nothing was required.", "noisy"
    elif missed:
        words = f"{missed} of {len(states)} requirements {'is' if missed == 1 else 'are'} missed."
        kind = "missed"
    else:
        words = "The one requirement holds." if len(states) == 1 else (
            f"All {len(states)} requirements hold."
        )  # fmt: skip
        kind = "held"
    return tag("p", chip(kind), " ", tag("strong", words), class_=f"summary {kind}")


def chip(kind: str) -> Markup:
    """Return a mark that reads the same without its colour."""
    return tag(
        "span",
        tag("span", SIGNS[kind], aria_hidden="true"),
        " ",
        WORDS[kind],
        class_=f"chip {kind}",
    )


def verdicts(objective: Mapping[str, Any]) -> Iterator[Markup]:
    """Yield the table of an objective's requirements, and what is said of those missed."""
    requirements = objective["requirements"]
    rows = (
        tag(
            "tr",
            tag("td", chip(state(one))),
            tag("th", what(one), scope="row"),
            tag("td", measured(one), class_="number"),
            tag("td", bound(one), class_="number"),
            tag("td", margin(one), class_="number"),
        )
        for one in requirements
    )
    head = ("verdict", "what", "measured", "required", "from the bound")
    yield tag(
        "div",
        tag(
            "table",
            tag("caption", f"Requirements of “{objective['text']}”"),
            tag("thead", tag("tr", (tag("th", cell, scope="col") for cell in head))),
            tag("tbody", rows),
            class_="verdicts",
        ),
        class_="wide",
        tabindex=0,
        role="region",
        aria_label=f"Requirements of “{objective['text']}”",
    )
    said = list(_advice(objective))
    if said:
        yield tag("h3", "Why, and what would mend it")
        yield tag("dl", said, class_="advice")


def _advice(objective: Mapping[str, Any]) -> Iterator[Child]:
    places = {
        (one.get("index", number), one["direction"]): one
        for number, one in enumerate(objective["requirements"])
    }
    by_index = {index: one for (index, _), one in places.items()}
    for advice in objective["advice"]:
        one = places.get((advice["requirement"], advice["direction"]))
        lines = [*advice["where"], *(_mend(mend, by_index) for mend in advice["mends"])]
        if advice["tried"] and not advice["mends"]:
            lines.append(f"Changes tried: {advice['tried']}. None would make it hold.")
        if one is not None and lines:
            yield tag("dt", what(one))
            yield (tag("dd", line) for line in lines)


def _mend(mend: Mapping[str, Any], by_index: Mapping[int, Mapping[str, Any]]) -> str:
    values = " and ".join(
        quantity(exact(one["measured"]), by_index[one["requirement"]]["unit"])
        for one in mend["verdicts"]
        if one["requirement"] in by_index
    )
    words = f"With {mend['change']} it would hold: {values}"
    missed = [by_index[one]["text"] for one in mend["misses"] if one in by_index]
    return f"{words} (but not {', '.join(missed)})." if missed else f"{words}."


def assumed(objective: Mapping[str, Any], target: str | None) -> Markup:
    """Return what one objective's runs took for granted."""
    rows = list(assumptions(objective, target))
    return table(f"Assumptions of “{objective['text']}”", ("", "assumed"), rows)


def assumptions(objective: Mapping[str, Any], target: str | None) -> Iterator[tuple[str, str]]:
    """Yield what was assumed, and what for."""
    runs, link = objective["runs"], objective["link"]
    yield "load", ", ".join(objective.get("load", ())) or "as the policy says"
    yield "link", f"{link}, as {target} configures it" if target else link
    yield "testbed", _testbed(objective.get("testbed"))
    yield "round trip without queues", quantity(Fraction(objective["rtt"]), "duration")
    yield "warm-up, not measured", quantity(Fraction(objective["warmup"]), "duration")
    yield "measured for", quantity(Fraction(runs[0]["duration"]), "duration")
    yield "seeds" if len(runs) > 1 else "seed", ", ".join(str(one["seed"]) for one in runs)
    yield "verifier", f"{runs[0]['verifier']}, {runs[0]['model']}"
    yield "how good", _basis(runs[0]["basis"])
    yield from (("the machine", sentence) for sentence in runs[0]["host"])


def _testbed(testbed: Mapping[str, Any] | None) -> str:
    if testbed is None:
        return "an ideal machine: nothing but the link slows"
    words = (f"{key.replace('_', '-')} {value}" for key, value in testbed.items() if key != "name")
    return ": ".join(filter(None, (str(testbed.get("name", "")), ", ".join(words))))


def _basis(basis: str) -> str:
    if basis == "emergent":
        return "emergent: nothing in the model was fitted to a measurement"
    return "measured with real packets" if basis == "measured" else basis
