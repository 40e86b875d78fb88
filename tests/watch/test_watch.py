"""What a watch does about what happens to devices and qdiscs, on this machine's kernel."""

import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.apply.confirm_world import until
from tests.watch.watch_world import TCC, Watched


@pytest.fixture
def world(netns, tmp_path, monkeypatch):
    made = Watched(netns, tmp_path)
    monkeypatch.setenv("TCC_STATE_DIR", str(made.state))
    yield made
    if made.process is not None and made.process.poll() is None:
        made.process.kill()
        made.process.wait()


def test_it_applies_and_then_sleeps_until_something_happens(world):
    """Not one context switch in five seconds: no timer, no poll."""
    world.start()
    assert world.whole()
    world.quiet()
    before = world.switches()
    time.sleep(5)
    assert world.switches() == before
    world.here.run("ip", "link", "set", "lo", "down")  # none of its business, but news
    assert until(lambda: world.switches() > before)
    assert world.log().count("made it so") == 1
    assert world.stop() == 0


def test_a_replaced_qdisc_is_put_right_and_who_did_it_is_said(world):
    world.start()
    world.here.run("tc", "qdisc", "replace", "dev", "a0", "root", "handle", "77:", "pfifo")
    assert until(world.whole)
    assert "a0 (root): pfifo 77: instead of tbf 1:" in world.log()
    assert "a0: last changed by " in world.log()


def test_a_daemon_that_stays_is_named(world):
    """A process that goes on living is told by name, whichever of its sockets it was."""
    world.start()
    script = (
        "import sys, time\n"
        "from tcc.netlink.transport import RouteSocket\n"
        "from tcc.netlink.messages import RTM_DELQDISC, Message\n"
        "from tcc.netlink.objects import TCMSG\n"
        "import socket\n"
        "first, second = RouteSocket(), RouteSocket()\n"
        "body = TCMSG.pack(0, socket.if_nametoindex('a0'), 0, 0xFFFFFFFF, 0)\n"
        "second.request(Message(RTM_DELQDISC, 0, body))\n"
        "time.sleep(20)\n"
    )
    daemon = subprocess.Popen(["ip", "netns", "exec", world.here.name, TCC[0], "-c", script])
    try:
        assert until(lambda: "last changed by" in world.log())
        assert f"(process {daemon.pid})" in world.log()
    finally:
        daemon.kill()
        daemon.wait()


def test_a_device_made_anew_is_shaped_again(world):
    world.start()
    for _ in range(5):  # more often than somebody who fights would be let
        world.recreate()
        assert until(world.whole)
    assert "keeps changing" not in world.log()
    (ifb,) = [link for link in world.here.json("ip", "-j", "link") if "ifb" in link["ifname"]]
    shown = world.here.run("tc", "filter", "show", "dev", "a0", "ingress").stdout
    assert shown.count("mirred") == 1
    assert ifb["ifname"] == "ifb-a0"


@pytest.mark.parametrize(
    "words",
    ["ip link delete ifb-a0", "ip link set ifb-a0 down", "tc qdisc delete dev a0 clsact",
     "tc qdisc delete dev ifb-a0 root", "tc qdisc delete dev a0 root"],
)  # fmt: skip
def test_what_is_taken_away_comes_back_and_packets_come_in(world, words):
    world.start()
    world.here.run(*words.split())
    assert until(world.whole)


def test_a_device_is_waited_for_and_a_renamed_one_is_found(world):
    world.here.run("ip", "link", "set", "a0", "down")
    world.here.run("ip", "link", "set", "a0", "name", "later0")
    with world.log_file.open("a") as log:
        world.process = subprocess.Popen(
            [*TCC, "watch", str(world.policy), "--netns", world.here.name], stderr=log
        )
    assert until(lambda: "waiting for the device a0" in world.log())
    world.here.run("ip", "link", "set", "later0", "name", "a0")
    world.here.run("ip", "link", "set", "a0", "up")
    assert until(world.whole)


def test_somebody_who_fights_is_given_way_for_longer_and_longer(world):
    world.start()
    began = time.monotonic()
    replaced = 0
    while time.monotonic() - began < 8:
        if "tbf" in world.kinds():
            world.here.run("tc", "qdisc", "replace", "dev", "a0", "root", "pfifo")
            replaced += 1
        time.sleep(0.05)
    # three at once, then pauses of 1, 2 and 4 seconds: no more than six or seven
    assert 4 <= replaced <= 8
    assert "somebody else keeps changing it" in world.log()
    assert until(world.whole, 20)


def test_lost_news_are_a_reason_to_look_at_everything(world):
    """Stopped while 40,000 changes happen; the kernel cannot keep that many for it."""
    world.start()
    os.kill(world.process.pid, signal.SIGSTOP)
    world.here.run("tc", "qdisc", "replace", "dev", "a0", "root", "pfifo")
    batch = "qdisc replace dev lo root pfifo limit 10\nqdisc replace dev lo root bfifo\n"
    folder = world.policy.parent / "batch"
    folder.write_text(batch * 4000)
    world.here.run("tc", "-batch", str(folder))
    os.kill(world.process.pid, signal.SIGCONT)
    assert until(world.whole)
    assert "had to drop news" in world.log()


def test_sighup_reads_the_policy_again_and_errors_change_nothing(world):
    world.start()
    world.write(40)
    time.sleep(0.5)
    assert world.rate() == 30
    world.process.send_signal(signal.SIGHUP)
    assert until(lambda: world.rate() == 40)
    world.policy.write_text("link wan {")
    world.process.send_signal(signal.SIGHUP)
    assert until(lambda: "has errors, and stays as it was" in world.log())
    world.here.run("tc", "qdisc", "replace", "dev", "a0", "root", "pfifo")
    assert until(lambda: world.rate() == 40)
    assert world.stop() == 0


def test_its_repairs_are_no_steps_of_the_history(world):
    assert world.apply()[0] == 0
    world.start()
    for _ in range(2):
        world.recreate()
        assert until(world.whole)
    assert len(world.journal.steps()) == 1
    assert world.tcc("rollback")[0] == 0
    time.sleep(1)
    assert "tbf" not in world.kinds()
    assert "clsact" not in world.kinds()


def test_it_does_not_bring_back_what_was_only_tried(world):
    """The file has the new text; what was confirmed is the old one, and that is what is kept."""
    assert world.apply()[0] == 0
    world.start()
    world.write(40)
    assert world.apply("--confirm", "3s")[0] == 0
    time.sleep(1)
    assert world.rate() == 40  # nobody fights with what is on trial
    assert until(lambda: world.rate() == 30)
    world.recreate()
    assert until(world.whole)
    assert world.rate() == 30
    world.process.send_signal(signal.SIGHUP)
    assert until(lambda: "was tried and not confirmed" in world.log())
    assert world.rate() == 30
    assert world.stop() == 0
    world.start()  # as after a reboot
    assert world.rate() == 30
    assert world.apply()[0] == 0
    world.recreate()
    assert until(lambda: world.rate() == 40)


def test_what_is_confirmed_is_what_is_kept_from_then_on(world):
    world.start()
    world.write(40)
    assert world.apply("--confirm", "60s")[0] == 0
    assert world.tcc("confirm")[0] == 0
    world.policy.write_text("link wan {")  # edited further, and not done yet
    world.recreate()
    assert until(world.whole)
    assert until(lambda: world.rate() == 40)


def test_what_was_removed_stays_away(world):
    world.start()
    assert world.tcc("remove", "--yes")[0] == 0
    world.recreate()
    time.sleep(1.5)
    assert "tbf" not in world.kinds()
    world.process.send_signal(signal.SIGHUP)
    assert until(world.whole)


def test_a_change_whose_maker_died_is_taken_back_and_the_policy_kept(world):
    dying = str(Path(__file__).parents[1] / "apply/dying_apply.py")
    world.start()
    world.write(40)
    words = ["apply", str(world.policy), "--yes", "--netns", world.here.name]
    died = subprocess.run([sys.executable, dying, "1", *words], capture_output=True, check=False)
    assert died.returncode == -signal.SIGKILL
    assert until(lambda: world.journal.unfinished() is None)
    assert until(lambda: world.rate() == 30)
    assert "a change did not finish" in world.log()


def test_one_watch_for_one_namespace(world):
    world.start()
    status, said = world.tcc("watch", str(world.policy))
    assert status == 1
    assert "watch-busy" in said
    assert f"process {world.process.pid}" in said


def test_once_is_for_hooks(world):
    assert world.tcc("watch", "--once", str(world.policy))[0] == 0
    assert world.whole()
    assert world.journal.steps() == []
    world.recreate()
    assert world.tcc("watch", "--once", str(world.policy))[0] == 0
    assert world.whole()


def test_a_policy_with_errors_is_told_like_any(world):
    world.policy.write_text('link wan { device "a0"; bandwidth 10 }')
    status, said = world.tcc("watch", str(world.policy))
    assert status == 1
    assert "error[missing-unit]" in said


def test_two_policies_for_one_device_are_refused(world):
    other = world.policy.with_name("other.tcc")
    other.write_text(world.policy.read_text())
    status, said = world.tcc("watch", str(world.policy), str(other))
    assert status == 1
    assert "device-claimed-twice" in said


def test_systemd_is_told(world, tmp_path):
    """READY when all is as it should be, signs of life in half the time that is given, STOPPING."""
    address = str(tmp_path / "notify")
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as manager:
        manager.bind(address)
        manager.settimeout(20)
        world.start(NOTIFY_SOCKET=address, WATCHDOG_USEC="1000000")
        assert manager.recv(200).startswith(b"READY=1\nSTATUS=keeping 1 devices")
        assert world.whole()
        times = []
        while len(times) < 5:
            assert manager.recv(200) == b"WATCHDOG=1"
            times.append(time.monotonic())
        assert (times[-1] - times[0]) / 4 < 1
        world.process.send_signal(signal.SIGHUP)
        said = b""
        while not said.startswith(b"RELOADING=1\nMONOTONIC_USEC="):
            said = manager.recv(200)
        while not said.startswith(b"READY=1"):
            said = manager.recv(200)
        assert world.stop() == 0
        last = b""
        while last != b"STOPPING=1":
            last = manager.recv(200)
