"""Read-only and full disks, lost CAP_NET_ADMIN, two applies at once, an ifb or device that goes."""

import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from _machine import BOTH_WAYS, FAULTY, TCC, Machine, machine

REFUSED, RESTORED, STUCK = 1, 3, 4


class Cases:
    """Counts how faults ended: old state, new state, neither; packets in."""

    def __init__(self, world: Machine) -> None:
        self.world = world
        self.old_path = self.policy("old", 30)
        self.path = self.policy("new", 40)
        self.tried = self.good = 0

    def policy(self, name: str, rate: int) -> str:
        path = self.world.folder / f"{name}.tcc"
        path.write_text(BOTH_WAYS.format(rate))
        return str(path)

    def begin(self) -> None:
        """Bring about the old state."""
        self.world.apply(self.old_path)

    def is_so(self, path: str) -> bool:
        """Whether what is there is what a policy wants."""
        return self.world.tcc("plan", path, "--detailed-exitcode").returncode == 0

    def end(self, what: str, status: int | str, expected: str) -> None:
        """Judge what is there now."""
        state = "old" if self.is_so(self.old_path) else "new" if self.is_so(self.path) else "third"
        self.count(what, status, state, expected)

    def count(self, what: str, status: int | str, state: str, expected: str) -> None:
        """Count one case."""
        came = self.world.reached(0)
        good = state in expected.split("|") and came
        self.tried += 1
        self.good += good
        print(f"{what:56} exit {status}: {state} state, {'packets come in' if came else 'LOST'}"
              f"{'' if good else '   <-- WRONG'}")  # fmt: skip


def inside(world: Machine, script: str, *words: str) -> int:
    """Run tcc in a mount namespace that a script has prepared."""
    command = ["unshare", "--mount", "sh", "-ec", f'{script}\nexec "$@"', "sh", *TCC]
    done = world.tcc(*words, command=command)
    if done.returncode not in {0, REFUSED, RESTORED, STUCK}:
        print(done.stderr)
    return done.returncode


def disks(cases: Cases) -> None:
    world, state = cases.world, cases.world.folder / "state"
    cases.begin()
    read_only = f"mount --bind {state} {state}; mount -o remount,bind,ro {state}"
    for more in ([], ["--confirm", "60s"]):
        status = inside(world, read_only, "apply", cases.path, "--yes", *more)
        cases.end(" ".join(["read-only /var/lib", *more]), status, "old")
    for more in ([], ["--confirm", "2s"]):
        for kilobytes in (0, 4, 8, 12, 16, 20, 24, 28, 32, 40):
            cases.begin()
            full = (
                f"mkdir -p {state}.full; mount -t tmpfs -o size=1m tmpfs {state}.full; "
                f"cp -a {state}/. {state}.full; mount --move {state}.full {state}; "
                f"head -c 2m /dev/zero >{state}/ballast 2>/dev/null || true; "
                f"truncate -s -{kilobytes}k {state}/ballast"
            )
            words = ["apply", cases.path, "--yes", *more]
            status = inside(world, full, *words)
            name = " ".join([f"disk with {kilobytes} KiB left", *more])
            wait_for_guards(world)
            cases.end(name, status, "old|new" if status == 0 else "old")


def wait_for_guards(world: Machine) -> None:
    """Wait until no guard of this machine's state directory is left."""
    mark = str(world.folder / "state").encode()
    while True:
        alive = [
            path
            for path in Path("/proc").glob("[0-9]*/cmdline")
            if b"tcc.apply.guard" in _text(path) and mark in _text(path)
        ]
        if not alive:
            return
        time.sleep(0.1)


def _text(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError:
        return b""


def capabilities(cases: Cases) -> None:
    world = cases.world
    cases.begin()
    without = ["setpriv", "--bounding-set=-net_admin", "--inh-caps=-net_admin", *TCC]
    done = world.tcc("apply", cases.path, "--yes", command=without)
    cases.end("CAP_NET_ADMIN never there", done.returncode, "old")
    for number in range(12):
        cases.begin()
        words = ["apply", cases.path, "--yes", "--confirm", "600s"]
        done = world.tcc(*words, command=[*FAULTY, "lose-privilege", str(number)])
        if done.returncode == 0:
            world.tcc("rollback")
            break
        wait_for_guards(world)
        cases.end(f"CAP_NET_ADMIN lost before request {number}", done.returncode, "old")


def meddling(cases: Cases) -> None:
    """Somebody else acts between two requests of the apply."""
    world = cases.world
    acts = {
        "qdisc replaced by hand": "tc qdisc replace dev a0 root handle 99: pfifo",
        "ifb deleted": "ip link delete ifb-a0",
    }
    for name, act in acts.items():
        for number in range(9):
            world.tcc("remove", "--yes")
            clean = world.everything()
            words = ["apply", cases.path, "--yes"]
            command = ["ip", "netns", "exec", world.here.name, *act.split()]
            done = world.tcc(*words, command=[*FAULTY, " ".join(command), str(number)])
            if "did nothing" in done.stderr:  # there was nothing yet to do it to
                continue
            if done.returncode == STUCK:
                world.tcc("rollback")
            same = world.everything() == clean
            state = "old" if same else "new" if cases.is_so(cases.path) else "third"
            cases.count(f"{name} before request {number}", done.returncode, state, "old|new")
            world.tcc("remove", "--yes")


def at_once(cases: Cases) -> None:
    world = cases.world
    for turn in range(4):
        cases.begin()
        other = cases.policy("other", 50)
        with ThreadPoolExecutor(2) as threads:
            asked = {
                path: threads.submit(world.tcc, "apply", path, "--yes")
                for path in (cases.path, other)
            }
            codes = {path: one.result().returncode for path, one in asked.items()}
        one_of_them = [path for path in (cases.path, other) if cases.is_so(path)]
        done = [path for path, code in codes.items() if code == 0]
        good = len(one_of_them) == 1 and one_of_them[0] in done and world.reached(0)
        cases.tried += 1
        cases.good += good
        print(f"two applies at once, turn {turn}".ljust(56), f"exits {sorted(codes.values())}:",
              "one of the two states" if good else "WRONG")  # fmt: skip


def main() -> int:
    with machine("a0") as world:
        cases = Cases(world)
        disks(cases)
        capabilities(cases)
        at_once(cases)
        meddling(cases)
    print(f"{cases.good} of {cases.tried} faults ended in the old state or the new one, line alive")
    return 0 if cases.good == cases.tried >= 36 else 1


sys.exit(main())
