"""Every command under every fault: its exit code and its word for it; never a third state.

    python tests/evidence/fault-matrix.py [--write]

--write puts the table into docs/faults.md.
"""

import os
import re
import sys
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout
from io import StringIO
from typing import NamedTuple

from _machine import BOTH_WAYS, DYING, ROOT, TCC, Machine, machine

from tcc.cli.main import run

PAGE = ROOT / "docs/faults.md"
WITHOUT = ["setpriv", "--bounding-set=-net_admin", "--inh-caps=-net_admin", *TCC]
COMMANDS = {
    "plan": ["plan", "{policy}"],
    "apply": ["apply", "{policy}", "--yes"],
    "confirm": ["confirm"],
    "rollback": ["rollback"],
    "remove": ["remove", "--yes"],
    "set": ["set", "wan.egress.bandwidth", "33mbit"],
    "status": ["status", "--interval", "0s"],
    "watch": ["watch", "{policy}", "--once"],
    "doctor": ["doctor"],
}


class Fault(NamedTuple):
    """What goes wrong: how tcc is started, or what was done before."""

    name: str
    start: Callable[[Machine], list[str]] = lambda world: TCC
    before: Callable[[Machine], None] = lambda world: None


def in_mounts(script: str) -> Callable[[Machine], list[str]]:
    """Return how to start tcc where a script has changed the mounts; `$1` is the state's folder."""
    return lambda world: [
        "unshare", "--mount", "sh", "-ec", f'state=$1; shift\n{script}\nexec "$@"', "sh",
        str(world.folder / "state"), *TCC,
    ]  # fmt: skip


def damage(world: Machine) -> None:
    for path in (world.folder / "state").glob("*/*"):
        if path.name in {"owned", "identity", "journal"}:
            path.write_bytes(path.read_bytes()[:20])


FAULTS = (
    Fault("no CAP_NET_ADMIN", lambda world: WITHOUT),
    Fault("device gone", before=lambda world: void(world, "ip", "link", "delete", "a0")),
    Fault("first request refused", lambda world: refusing(0)),
    Fault("second request refused", lambda world: refusing(1)),
    Fault("killed before its first request", lambda world: [*DYING, "0"]),
    Fault("killed before its second request", lambda world: [*DYING, "1"]),
    Fault(
        "disk full",
        in_mounts(
            "mkdir -p $state.full; mount -t tmpfs -o size=1m tmpfs $state.full; "
            "cp -a $state/. $state.full; mount --move $state.full $state; "
            "head -c 2m /dev/zero >$state/ballast 2>/dev/null || true"
        ),
    ),
    Fault(
        "state read-only",
        in_mounts("mount --bind $state $state; mount -o remount,bind,ro $state"),
    ),
    Fault("state damaged", before=damage),
    Fault("policy unreadable", before=lambda world: (world.folder / "new.tcc").unlink()),
    Fault("no nft(8)", lambda world: ["/usr/bin/env", "PATH=/nonexistent", *TCC]),
)


def void(world: Machine, *words: str) -> None:
    world.here.run(*words)


def refusing(number: int) -> list[str]:
    return [sys.executable, str(ROOT / "tests/apply/refused_step.py"), str(number)]


def begin(world: Machine) -> None:
    """Bring about the old state, from nothing, in a state directory of its own."""
    for path in sorted((world.folder / "state").rglob("*"), reverse=True):
        path.unlink() if path.is_file() else path.rmdir()
    for words in (
        "delete a0",
        "delete ifb-a0",
        "add a0 type veth peer name a0-far",
        "set a0 up",
        "set a0-far up",
    ):
        world.here.run("ip", "link", *words.split(), check=False)
    for name, rate in (("old", 30), ("new", 40)):
        (world.folder / f"{name}.tcc").write_text(BOTH_WAYS.format(rate))
    words = ["apply", str(world.folder / "old.tcc"), "--yes", "--netns", world.here.name]
    os.environ["TCC_STATE_DIR"] = str(world.folder / "state")
    with redirect_stdout(StringIO()), redirect_stderr(StringIO()):
        assert run(words, "tcc") == 0


def state(world: Machine) -> str:
    """Return a name for what is on a0 now."""
    shown = world.here.run("tc", "-j", "qdisc", "show", "dev", "a0", check=False).stdout
    rate = re.search(r'"rate":(\d+)', shown)
    ifb = "ifb-a0" in world.here.run("ip", "-o", "link").stdout
    hook = '"kind":"clsact"' in shown
    return f"{int(rate.group(1)) * 8 // 10**6 if rate else 'none'} {ifb} {hook}"


OLD = "30 True True"
ALLOWED = {
    "apply": {OLD, "40 True True"},
    "watch": {OLD, "40 True True"},
    "rollback": {OLD, "none False False"},
    "remove": {OLD, "none False False"},
    "set": {OLD, "33 True True"},
}


def one(world: Machine, fault: Fault, command: str) -> tuple[str, bool]:
    """Return a cell of the table, and whether what came of it is allowed."""
    begin(world)
    fault.before(world)
    words = [word.format(policy=world.folder / "new.tcc") for word in COMMANDS[command]]
    done = world.tcc(*words, command=fault.start(world))
    now, note = state(world), ""
    if done.returncode < 0:
        back = world.tcc("rollback")
        note = f", `rollback` {back.returncode}"
        allowed = {OLD, "none False False"}  # nothing was begun: then it is the step before
        good = back.returncode == 0 and state(world) in allowed
    else:
        gone = fault.name == "device gone"
        good = gone or now in ALLOWED.get(command, {OLD})
    good = good and "Traceback" not in done.stderr and done.returncode != 70
    said = re.search(r"(?:error|warning)\[([a-z-]+)\]", done.stderr)
    status = "killed" if done.returncode < 0 else str(done.returncode)
    word = f" {said.group(1)}" if said and done.returncode else ""
    return f"{status}{word}{note}", good


def table() -> tuple[list[str], int]:
    """Return the rows, and how many cells are wrong."""
    rows = [f"| fault | {' | '.join(COMMANDS)} |", "|---|" + "---|" * len(COMMANDS)]
    wrong = 0
    with machine() as world:
        (world.folder / "state").mkdir(mode=0o700)
        for fault in FAULTS:
            cells = []
            for command in COMMANDS:
                cell, good = one(world, fault, command)
                wrong += not good
                cells.append(cell if good else f"**WRONG: {cell}**")
            rows.append(f"| {fault.name} | {' | '.join(cells)} |")
            print(rows[-1], flush=True)
    return rows, wrong


def main() -> int:
    rows, wrong = table()
    if "--write" in sys.argv[1:]:
        head = PAGE.read_text().partition("<!-- table -->")[0]
        PAGE.write_text(head + "<!-- table -->\n\n" + "\n".join(rows) + "\n")
    cells = len(FAULTS) * len(COMMANDS)
    print(f"{cells} cells, {wrong} wrong")
    return min(wrong, 1)


sys.exit(main())
