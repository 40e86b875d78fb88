"""docs/mutations.md: mistakes made on purpose, and what lint finds. `make docs` writes it anew."""

from pathlib import Path

import pytest

from tests.checks.mutations import FAMILIES, OWED, RIGHT, SECRET, Tried, policies, summary, tried
from tests.checks.silent import SILENT

PAGE = Path(__file__).parents[2] / "docs/mutations.md"
HEAD = """\
# Mistakes made on purpose

The policies of `tests/clean/` and `docs/examples/` are correct, and lint is silent about them. Here
each mistake of a family is made in every one of them that has room for it. It counts as found when
lint gives a warning or an error of a finding that the mistake is owed, and no other. What is not
found is listed below with its reason. The table is made by `make docs`, and
`make evidence T=lint-mutations` makes it again.

| the mistake | made | found | by |
|---|---|---|---|
"""
SECRETS = """
## What lint cannot see
A mistake can leave a policy that somebody else means. No rule could tell the two apart.

| the mistake | in | because |
|---|---|---|
"""
RIGHTS = """
## What is no mistake
In some policies the change leaves everything right; these do not count as made.

| the change | in | because |
|---|---|---|
"""
SILENTS = """
## Kinds that stay silent
These are mistakes where they are one, and right elsewhere; of none of them lint says anything.

| the kind | because |
|---|---|
"""


def rows(results: list[Tried], reasons: dict[str, dict[str, str]]) -> str:
    return "".join(
        f"| {result.name} | `{stem}` | {reason} |\n"
        for result in results
        for stem, reason in sorted(reasons.get(result.name, {}).items())
    )


@pytest.mark.slow
def test_the_table_is_what_lint_finds(request: pytest.FixtureRequest):
    correct = policies()
    results = [tried(name, correct) for name in FAMILIES]
    assert {result.name: result.wrong for result in results if result.wrong} == {}
    text = HEAD
    for result in results:
        owed = ", ".join(f"`{code}`" for code in OWED[result.name])
        text += f"| {result.name} | {result.made} | {result.share} | {owed} |\n"
    text += f"\n{summary(results)}.\n{SECRETS}{rows(results, SECRET)}{RIGHTS}{rows(results, RIGHT)}"
    text += SILENTS + "".join(f"| {kind} | {one.because} |\n" for kind, one in SILENT.items())
    if request.config.getoption("--update-golden"):
        PAGE.write_text(text)
    assert PAGE.read_text() == text
