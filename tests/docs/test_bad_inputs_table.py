"""docs/bad-inputs.md: what each reader was given, and answered. `make docs` writes it anew."""

from pathlib import Path

import pytest

from tests.fuzz.bad_inputs import policies, table, tried
from tests.fuzz.targets import TARGETS

PAGE = Path(__file__).parents[2] / "docs/bad-inputs.md"
HEAD = """\
# Bad inputs

What reads text or bytes from outside is given damaged copies of good inputs, and all that broke it
once. It *answers* when it takes the input, or refuses it in the way that it promises: with a
finding, never with a traceback. The damage is the same each time. [Security](security.md) names the
readers; faults of the machine during `apply` are walked through by `make evidence T=apply-faults`.

The table is made by `make docs`, and `make evidence T=bad-inputs` makes it again.

"""


@pytest.mark.slow
def test_the_table_is_what_was_answered(request: pytest.FixtureRequest):
    results = [tried(name) for name in TARGETS]
    assert [line for one in results for line in one.unanswered] == []
    text = f"{HEAD}{table(results)}\nBesides, {policies()} (`tests/errors`).\n"
    if request.config.getoption("--update-golden"):
        PAGE.write_text(text)
    assert PAGE.read_text() == text
