"""False findings: what lint says of correct policies of all kinds (nothing, if it holds)."""

import sys
from pathlib import Path

from tcc import api

ROOT = Path(__file__).parents[2]


def main() -> int:
    """Lint the corpus and the sample policies; print what is found."""
    paths = sorted((ROOT / "tests/clean").glob("*.tcc"))
    paths += sorted((ROOT / "docs/examples").glob("*.tcc"))
    lines = false = links = 0
    for path in paths:
        built = api.load(str(path))
        lines += sum(source.lines for source in built.sources.values())
        links += len(built.policy.links) if built.policy else 0
        for item in api.lint(built):
            false += 1
            print(f"{path.relative_to(ROOT)}: {item.severity}[{item.code}]: {item.message}")
    print(f"{len(paths)} correct policies, {links} links, {lines} lines: {false} findings")
    return 1 if false or len(paths) < 60 else 0


if __name__ == "__main__":
    sys.exit(main())
