"""The commands as people call them, on this machine's kernel."""

import json
import os
import pty
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.apply.faults import Counting, transport

ROOT = Path(__file__).parents[2]
TCC = [sys.executable, "-c", "from tcc.cli.main import main; main()"]
DYING = [sys.executable, str(ROOT / "tests/apply/dying_apply.py")]

POLICY = """\
link wan {
    device "a0"
    egress { bandwidth 50mbit; qdisc tbf { latency 50ms; inner bfifo } }
}

link lan {
    device "a1"
    egress { bandwidth 20mbit; qdisc tbf { burst 10KiB; limit 200KB; inner pfifo { limit 70 } } }
}
"""


class World:
    """A namespace with two devices, a policy, and tcc."""

    def __init__(self, netns, folder):
        self.inside, self.other = netns.new(), netns.new()
        for device in ("a0", "a1"):
            netns.link((self.inside, device), (self.other, f"{device}-far"))
        self.folder = folder
        self.policy = folder / "test.tcc"
        self.policy.write_text(POLICY)
        self.state = folder / "state"

    def tcc(self, *words, command=TCC, **named):
        netns = (
            [] if "--facts" in words or words[0] == "generate" else ["--netns", self.inside.name]
        )
        return subprocess.run(
            [*command, *words, *netns],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
            cwd=ROOT,
            env={**os.environ, "TCC_STATE_DIR": str(self.state), "NO_COLOR": "1"},
            **named,
        )

    def apply(self):
        done = self.tcc("apply", str(self.policy), "--yes")
        assert done.returncode == 0, done.stderr
        return done

    def shown(self, *options):
        return self.inside.run("tc", "-j", *options, "qdisc", "show").stdout


@pytest.fixture
def world(netns, tmp_path):
    return World(netns, tmp_path)


def test_apply_then_nothing_then_back(world):
    before = world.shown()
    planned = world.tcc("plan", str(world.policy), "--detailed-exitcode")
    assert planned.returncode == 2
    assert world.shown() == before
    done = world.apply()
    assert "Done." in done.stdout
    assert world.tcc("plan", str(world.policy), "--detailed-exitcode").returncode == 0
    after = world.shown()
    again = world.apply()
    assert "Nothing to do" in again.stdout
    assert world.shown() == after
    assert world.tcc("rollback").returncode == 0
    assert world.shown() == before
    assert not list(world.state.glob("*/journal"))
    assert world.state.stat().st_mode & 0o777 == 0o700


def test_the_second_apply_sends_no_request(world, monkeypatch):
    from tcc.cli.main import run

    monkeypatch.setenv("TCC_STATE_DIR", str(world.state))
    words = ["apply", str(world.policy), "--yes", "--netns", world.inside.name]
    Counting.sent = 0
    with transport(Counting):
        assert run(words, "tcc") == 0
        assert Counting.sent == 4
        assert run(words, "tcc") == 0
    assert Counting.sent == 4


def test_the_plan_names_each_setting_that_changes(world):
    world.apply()
    world.policy.write_text(POLICY.replace("50mbit", "40mbit"))
    shown = world.tcc("plan", str(world.policy)).stdout
    assert "change   tbf 1:, in place: no packet is lost" in shown
    assert "           rate 50mbit -> 40mbit\n" in shown
    assert "a1 egress\n  keep     tbf 1: is as wanted" in shown
    steps = json.loads(world.tcc("plan", str(world.policy), "--json").stdout)
    assert [step["do"] for step in steps["steps"]] == ["change", "change"]
    assert {"device": "a1", "at": "root"} in steps["unchanged"]


def test_dropping_a_clause_really_resets_it(world):
    plain = POLICY.replace("burst 10KiB; ", "")
    world.policy.write_text(plain)
    world.apply()
    expected = world.shown("-d")
    world.policy.write_text(POLICY)
    world.apply()
    assert world.shown("-d") != expected
    world.policy.write_text(plain)
    world.apply()
    assert world.shown("-d") == expected


def test_a_killed_apply_is_taken_back_from_every_message(world):
    before = world.shown()
    for number in range(20):
        done = world.tcc("apply", str(world.policy), "--yes", command=[*DYING, str(number)])
        if done.returncode == 0:
            break
        assert done.returncode == -signal.SIGKILL
        planned = world.tcc("plan", str(world.policy))
        assert "unfinished-change" in planned.stderr
        assert "tcc rollback" in planned.stderr
        refused = world.tcc("apply", str(world.policy), "--yes")
        assert refused.returncode == 1
        assert "unfinished-change" in refused.stderr
        back = world.tcc("rollback")
        assert back.returncode == 0, back.stderr
        assert world.shown() == before, number
    assert number == 4
    # a rollback that is killed is taken up again by the next one
    assert world.tcc("rollback", command=[*DYING, "1"]).returncode == -signal.SIGKILL
    assert world.tcc("rollback").returncode == 0
    assert world.shown() == before


def test_two_at_once(world):
    first = subprocess.Popen(
        [sys.executable, "-c", HOLD, str(world.state), world.inside.name],
        cwd=ROOT, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    try:
        assert first.stdout.readline() == "held\n"
        done = world.tcc("apply", str(world.policy), "--yes")
    finally:
        first.kill()
        first.wait()
        first.stdout.close()
    assert done.returncode == 1
    assert "state-busy" in done.stderr
    assert f"process {first.pid}, `a test that waits`" in done.stderr
    world.apply()


HOLD = """
import sys, time
from pathlib import Path
from tcc.apply.identity import identify
from tcc.apply.journal import Journal
from tcc.netlink.namespace import Namespace
with Journal(Path(sys.argv[1]), identify(Namespace.named(sys.argv[2]))).held("a test that waits"):
    print("held", flush=True)
    time.sleep(60)
"""


def test_a_saved_plan_is_carried_out_once(world):
    kept = world.folder / "later.plan"
    assert world.tcc("plan", str(world.policy), "--out", str(kept)).returncode == 0
    assert json.loads(kept.read_text())["tcc-plan"] == 2
    assert world.tcc("apply", str(kept), "--yes").returncode == 0
    assert "a0" in world.shown()
    after = world.shown()
    again = world.tcc("apply", str(kept), "--yes")
    assert again.returncode == 1
    assert "stale-plan" in again.stderr
    assert world.shown() == after


@pytest.mark.parametrize(
    "spoil", [lambda text: text[:-30], lambda text: text.replace(": 2,", ": 3,", 1)]
)
def test_a_spoiled_plan_is_not_carried_out(world, spoil):
    kept = world.folder / "later.plan"
    world.tcc("plan", str(world.policy), "--out", str(kept))
    kept.write_text(spoil(kept.read_text()))
    before = world.shown()
    done = world.tcc("apply", str(kept), "--yes")
    assert done.returncode == 1
    assert "plan-unreadable" in done.stderr
    assert world.shown() == before


def test_without_a_terminal_nothing_is_done_unless_told(world):
    before = world.shown()
    done = world.tcc("apply", str(world.policy))
    assert done.returncode == 1
    assert "needs-yes" in done.stderr
    assert world.shown() == before


@pytest.mark.parametrize(("answer", "code"), [("y\n", 0), ("n\n", 1)])
def test_on_a_terminal_it_asks(world, answer, code):
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [*TCC, "apply", str(world.policy), "--netns", world.inside.name],
        stdin=theirs, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=ROOT,
        env={**os.environ, "TCC_STATE_DIR": str(world.state)},
    )  # fmt: skip
    os.close(theirs)
    os.write(ours, answer.encode())
    assert process.wait(30) == code
    os.close(ours)
    assert ("tbf" in world.shown()) is (code == 0)


def test_remove_takes_away_ours_and_rollback_brings_it_again(world):
    before = world.shown()
    world.apply()
    after = world.shown()
    assert world.tcc("remove", "wan", "--yes").returncode == 0
    kinds = {one["dev"]: one["kind"] for one in json.loads(world.shown()) if one.get("root")}
    assert (kinds["a0"], kinds["a1"]) == ("noqueue", "tbf")
    assert world.tcc("rollback").returncode == 0
    assert world.shown() == after
    assert world.tcc("remove", str(world.policy), "--yes").returncode == 0
    assert world.shown() == before
    assert world.tcc("remove", "--yes").returncode == 0
    refused = world.tcc("remove", "wan", "--yes")
    assert refused.returncode == 1
    assert "not-ours" in refused.stderr


def test_remove_leaves_alone_what_somebody_else_put_there(world):
    world.apply()
    world.inside.run("tc", "qdisc", "replace", "dev", "a0", "root", "handle", "7:", "pfifo")
    done = world.tcc("remove", "--yes")
    assert done.returncode == 0
    assert "no-longer-ours" in done.stderr
    kinds = {one["dev"]: one["kind"] for one in json.loads(world.shown()) if one.get("root")}
    assert (kinds["a0"], kinds["a1"]) == ("pfifo", "noqueue")


def test_plan_from_facts_needs_no_root_and_says_the_same(world):
    facts = world.folder / "facts.json"
    facts.write_text(world.tcc("facts").stdout)
    live = world.tcc("plan", str(world.policy)).stdout
    # setpriv(1): nobody, without any capability
    words = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", *TCC]
    world.folder.chmod(0o755)
    for folder in world.folder.parents:
        if str(folder).startswith("/tmp/"):
            folder.chmod(0o755)
    away = world.tcc("plan", str(world.policy), "--facts", str(facts), command=words)
    assert away.returncode == 0, away.stderr
    assert away.stdout == live


def test_without_permission_nothing_is_touched(world):
    before = world.shown()
    words = ["setpriv", "--bounding-set=-net_admin", "--inh-caps=-net_admin", "--", *TCC]
    done = world.tcc("apply", str(world.policy), "--yes", command=words)
    assert done.returncode == 1
    assert "no-permission" in done.stderr
    assert world.shown() == before
    assert world.tcc("rollback", command=words).returncode == 1


def test_an_unknown_namespace_is_not_made(world):
    for words in (["plan", "x.tcc"], ["apply", "x.tcc"], ["rollback"], ["remove"], ["facts"]):
        done = subprocess.run([*TCC, *words, "--netns", "tcc-nowhere"], cwd=ROOT, text=True,
                              capture_output=True, check=False)  # fmt: skip
        assert done.returncode == (1 if words[0] == "plan" else 2), words
        assert "there is no network namespace `tcc-nowhere`" in done.stderr
    assert not Path("/run/netns/tcc-nowhere").exists()


def test_what_cannot_be_had_is_refused_whole(world):
    world.policy.write_text(POLICY + "\ntier voice { match udp port 53 }\n")
    before = world.shown()
    done = world.tcc("apply", str(world.policy), "--yes")
    assert done.returncode == 1
    assert "error[qdisc-cannot-express]" in done.stderr  # tbf has no tins
    assert f"{world.policy}:" in done.stderr
    assert world.shown() == before


def test_the_kernels_refusal_points_at_the_policy(world):
    """A tbf under a peak that is no higher: the kernel says EINVAL, and the words are named."""
    world.policy.write_text('link wan { device "a0"; egress { bandwidth 50mbit; qdisc cake } }\n')
    facts = world.folder / "facts.json"
    facts.write_text("{}")
    before = world.shown()
    done = world.tcc("apply", str(world.policy), "--yes")
    assert done.returncode in {1, 3}
    assert str(world.policy) in done.stderr
    assert world.shown() == before


def test_the_script_gives_what_apply_gives(world, netns):
    world.apply()
    script = world.folder / "out"
    facts = world.folder / "facts.json"
    facts.write_text(world.tcc("facts").stdout)
    made = world.tcc(
        "generate", "tc-script", str(world.policy), "--facts", str(facts), "-o", str(script)
    )
    assert made.returncode == 0, made.stderr
    twin = netns.new()
    far = netns.new()
    for device in ("a0", "a1"):
        netns.link((twin, device), (far, f"{device}-far"))
    for _ in range(2):  # the script may run again
        twin.run("/bin/sh", str(script / "tc.sh"))
        assert twin.run("tc", "-j", "-d", "qdisc", "show").stdout == world.shown("-d")


def test_a_signal_to_the_process_puts_everything_back(world):
    """SIGTERM while a message is in the works: a transport that waits makes the moment long."""
    before = world.shown()
    process = subprocess.Popen(
        [sys.executable, "-c", SLOW, "apply", str(world.policy), "--yes", "--netns",
         world.inside.name],
        cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        env={**os.environ, "TCC_STATE_DIR": str(world.state)},
    )  # fmt: skip
    time.sleep(0.1)
    while not list(world.state.glob("*/journal")) and process.poll() is None:
        time.sleep(0.05)
    process.send_signal(signal.SIGTERM)
    _, errors = process.communicate(timeout=60)
    assert process.returncode == 3, errors
    assert "interrupted" in errors
    assert world.shown() == before


SLOW = """
import sys, time
from tcc.cli.main import run
from tests.apply.faults import transport
from tcc.netlink.transport import RouteSocket
class Slow(RouteSocket):
    def batch(self, messages, *rest, **named):
        time.sleep(1)
        return super().batch(messages, *rest, **named)
with transport(Slow):
    sys.exit(run(sys.argv[1:], "tcc"))
"""
