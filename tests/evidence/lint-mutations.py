"""Mistakes made on purpose: the share that lint finds of those put into the correct policies."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from tests.checks.mutations import FAMILIES, RIGHT, SECRET, policies, summary, tried


def main() -> int:
    """Make each mistake in each policy that has room for it; print the shares found."""
    correct = policies()
    results = [tried(name, correct) for name in FAMILIES]
    for result in results:
        print(f"{result.name:36} {result.hits:3} of {result.made:3}  {result.share}")
        for stem in result.right:
            print(f"    no mistake in {stem}: {RIGHT[result.name][stem]}")
        for stem in result.secret:
            print(f"    cannot be seen in {stem}: {SECRET[result.name][stem]}")
        for text in result.wrong:
            print(f"    {text}")
    print(summary(results))
    return 1 if any(result.wrong for result in results) else 0


if __name__ == "__main__":
    sys.exit(main())
