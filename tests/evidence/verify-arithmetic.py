"""Objectives that arithmetic rules out are refused without a simulation, with the arithmetic."""

import sys

from _verify import CASES, verify


def main() -> int:
    failed = False
    for policy in sorted((CASES / "impossible").glob("*.tcc")):
        done = verify(str(policy))
        lines = [line.strip() for line in done.stderr.splitlines()]
        said = next((line.partition("]: ")[2] for line in lines if ": error[" in line), "")
        reason = next((line for line in lines if line.startswith("= ")), "")
        print(f"{policy.stem}: exit {done.returncode}; {said} {reason}")
        failed |= (done.returncode, done.stdout) != (2, "")
    return int(failed)


sys.exit(main())
