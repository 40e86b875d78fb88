"""Bad inputs by kind, for each reader of outside text: all answered, none with a traceback."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from tests.fuzz.bad_inputs import policies, table, tried
from tests.fuzz.targets import TARGETS


def main() -> int:
    """Print the table; 1 if something was not answered."""
    results = [tried(name) for name in TARGETS]
    print(table(results), end="")
    print(policies())
    missing = [line for one in results for line in one.unanswered]
    print("\n".join(missing) or "nothing was left unanswered")
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main())
