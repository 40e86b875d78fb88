"""Wrong policies are found, with the sentence that says what would mend each."""

import sys

from _verify import CASES, verify


def main() -> int:
    failed = False
    for policy in sorted((CASES / "wrong").glob("*.tcc")):
        done = verify(str(policy))
        told = ("it would hold", "none would make it hold")
        said = [line.strip() for line in done.stdout.splitlines() if any(map(line.count, told))]
        said += [line.strip() for line in done.stderr.splitlines() if "write at least" in line]
        print(f"{policy.stem}: exit {done.returncode}; " + "; ".join(said))
        failed |= done.returncode == 0 or not said
    return int(failed)


sys.exit(main())
