"""Sample policies with objectives hold; those that need more than the engine models say so."""

import sys

from _verify import EXAMPLES, verdicts, verify


def main() -> int:
    failed = False
    for policy in sorted(EXAMPLES.glob("*.tcc")):
        if "objective " not in policy.read_text():
            continue
        done = verify(str(policy))
        print(f"{policy.name}: exit {done.returncode}")
        print("\n".join(verdicts(done.stdout)) or done.stderr.strip())
        failed |= done.returncode != 0
    return int(failed)


sys.exit(main())
