"""Run one command as root under the test kernel, in simulated time.

    python tests/kernel/uml.py [options] -- COMMAND [ARG...]
    python tests/kernel/uml.py [options] -c 'shell script'

The command sees this machine's files (what it writes vanishes, but for the current directory), a
`tc` that knows the newest qdiscs, and this shell's environment.  Its output and exit status are
passed through; 124 says that time ran out, 125 that no guest could be booted.
"""

import argparse
import os
import signal
import sys
import time
from dataclasses import replace
from pathlib import Path

from testkernel import host, machine
from testkernel.guest import ENVIRONMENT, TIMED_OUT, Job
from testkernel.kvm import Kvm
from testkernel.uml import Uml

NOT_PASSED_ON = {*ENVIRONMENT, "PWD", "OLDPWD", "SHLVL", "_"}


def options() -> argparse.ArgumentParser:
    """Return the command line's parser."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--kernel",
        choices=("auto", "uml", "stock"),
        default="auto",
        help="stock: a Debian kernel under QEMU",
    )
    parser.add_argument(
        "--clock",
        choices=("sim", "cpu", "real"),
        default="sim",
        help="sim: computing takes no time; cpu: computing takes its real time, "
        "idle time is skipped; real: as on any machine",
    )
    parser.add_argument("--seed", type=int, default=1, help="of all randomness (uml)")
    parser.add_argument("--cpus", type=int, default=1, help="(stock)")
    parser.add_argument("--mem", default="512M")
    parser.add_argument("--timeout", type=float, default=600, metavar="S", help="in real time")
    parser.add_argument(
        "--rw",
        action="append",
        default=[],
        type=Path,
        metavar="DIR",
        help="one more directory to write to",
    )
    parser.add_argument("-i", "--stdin", action="store_true", help="pass standard input on")
    parser.add_argument("-c", dest="script", help="run this shell script")
    parser.add_argument("--keep", action="store_true", help="keep the control directory")
    parser.add_argument("--prepare", action="store_true", help="only fetch what is needed")
    parser.add_argument("-v", "--verbose", action="store_true")
    parser.add_argument("command", nargs=argparse.REMAINDER)
    return parser  # fmt: skip


def chosen_machine(args: argparse.Namespace) -> Uml | Kvm:
    """Return the machine that the options ask for."""
    pick = {
        "auto": machine.choose,
        "uml": machine.uml_machine,
        "stock": machine.stock_machine,
    }[args.kernel]
    found = pick()
    if isinstance(found, Uml):
        return replace(found, clock=args.clock, seed=args.seed, keep=args.keep)
    return replace(found, cpus=args.cpus, simulated_time=args.clock == "sim", keep=args.keep)


def main() -> int:
    """Run the command line."""
    parser = options()
    args = parser.parse_args()
    command = args.command[1:] if args.command[:1] == ["--"] else args.command
    if args.script is not None:
        command = ["bash", "-c", args.script, "bash", *command]
    if not command and not args.prepare:
        parser.error("no command")
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    started = time.monotonic()
    found = chosen_machine(args)
    if args.prepare:
        print(found.kernel)
        return 0
    job = Job(
        command,
        env={name: value for name, value in os.environ.items() if name not in NOT_PASSED_ON},
        writable=args.rw,
        stdin=sys.stdin.buffer.read() if args.stdin else b"",
        memory=args.mem,
        seconds=args.timeout,
    )
    status = found.run(job, sys.stdout.buffer, sys.stderr.buffer)
    if status == TIMED_OUT:
        host.say(f"status 124: the command's own, or {args.timeout:g} s are over")
    if args.verbose:
        host.say(f"{found.name} {found.kernel}: {time.monotonic() - started:.2f} s")
    return status


if __name__ == "__main__":
    try:
        sys.exit(main())
    except host.UnavailableError as problem:
        host.say(str(problem))
        sys.exit(125)
    except KeyboardInterrupt:
        sys.exit(130)
