"""Reported mistakes of other tools: how many lint finds, how many cannot be written at all."""

import sys
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from tcc import api, checks
from tcc.source import Source
from tests.checks.reports import ALL, FOUND, MADE_IMPOSSIBLE, OF_LINT, OFF_THE_TEXT


def main() -> int:
    """Lint each row's policy; print the rows by what becomes of them."""
    found, impossible, missed = [], [], []
    for row, case in FOUND.items():
        built = api.load(Source(f"{row}.tcc", case.policy))
        codes = {item.code for item in api.lint(built, case.facts)}
        codes |= {item.code for item in checks.run(built, case.facts, case.target)}
        (found if case.code in codes else missed).append(row)
    for row, attempt in MADE_IMPOSSIBLE.items():
        codes = {item.code for item in api.lint(api.load(Source(f"{row}.tcc", attempt.attempt)))}
        as_said = codes == ({attempt.code} if attempt.code else set())
        (impossible if as_said else missed).append(row)
    handled = {*found, *impossible}
    stages = Counter(OFF_THE_TEXT.values())
    print(f"rows                        {len(ALL)}")
    print(
        f"in the text alone           {len(OF_LINT)}, of which handled {len(handled & {*OF_LINT})}"
    )
    print(f"found by lint               {len(found)}: {' '.join(found)}")
    print(f"impossible to write         {len(impossible)}: {' '.join(impossible)}")
    print(f"missed                      {len(missed)}: {' '.join(missed)}")
    others = ", ".join(f"{stage} {count}" for stage, count in stages.most_common())
    print(f"left to stages with a host  {len(OFF_THE_TEXT)}: {others}")
    return 1 if missed or set(OF_LINT) - handled else 0


if __name__ == "__main__":
    sys.exit(main())
