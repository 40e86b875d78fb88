"""`apply.sh`, run by busybox's ash with stand-ins for OpenWrt's programs, which note their calls.

What rpcd does with the calls is its own source's word: `apply` takes the changes of a session's
folder and puts the old files back unless `confirm` comes in time; `rollback` does so at once.
"""

import os
import re
import subprocess
from pathlib import Path

import pytest

from tests.backends.files import written

POLICY = """
link wan {
    device "eth1"
    framing ethernet
    egress { bandwidth 9mbit; tiers diffserv4 }
    ingress { bandwidth 90mbit; tiers diffserv4 }
}
tier voice { match udp remote port 5060 }
"""
STAND_IN = """#!/bin/sh
printf '%s %s\\n' "${0##*/}" "$*" >> "$LOG"
case "${0##*/} $*" in
"ubus call session create"*) echo '{"ubus_rpc_session":"5e55"}' ;;
"uci "*) sed 's/^/    /' >> "$LOG" ;;
"fw4 -q check") exit "${FW4:-0}" ;;
esac
"""
PLACES = re.compile(r"(?<=[\s'\"])(/etc/|/usr/lib/|/tmp/tcc-|/var/run/)")
PROGRAMS = ("uci", "ubus", "tc", "fw4", "sleep")


@pytest.fixture
def router(tmp_path: Path) -> Path:
    """A folder with our files, whose paths on the router lead below it."""
    files, _ = written(POLICY, "openwrt", release="25.12")
    for path, text in files.items():
        target = tmp_path / "new" / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(PLACES.sub(f"{tmp_path}\\1", text))
    for folder in ("bin", "tmp", "etc/init.d", "etc/nftables.d", "usr/lib/sqm", "var/run/rpcd"):
        (tmp_path / folder).mkdir(parents=True)
    for name in PROGRAMS:
        (tmp_path / "bin" / name).write_text(STAND_IN)
    (tmp_path / "bin" / "jsonfilter").write_text("#!/bin/sh\ncat >/dev/null; echo 5e55\n")
    (tmp_path / "etc/init.d/sqm").write_text(STAND_IN)
    for path in (*(tmp_path / "bin").iterdir(), tmp_path / "etc/init.d/sqm"):
        path.chmod(0o755)
    return tmp_path


def deliver(router: Path, verify: int, **env: str) -> tuple[int, list[str]]:
    (router / "new/verify.sh").write_text(f"exit {verify}\n")
    log = router / "log"
    done = subprocess.run(
        ["busybox", "ash", str(router / "new/apply.sh"), "60"],
        env={"PATH": f"{router}/bin:{os.environ['PATH']}", "LOG": str(log), **env},
        stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False,
    )  # fmt: skip
    return done.returncode, log.read_text().splitlines() if log.exists() else [done.stderr]


def ubus(calls: list[str]) -> list[str]:
    return [call.split()[2] + "." + call.split()[3] for call in calls if call.startswith("ubus")]


def test_what_verifies_is_confirmed(router: Path):
    code, calls = deliver(router, 0)
    assert code == 0, calls
    assert ubus(calls) == [
        "session.create", "session.grant", "uci.apply", "uci.confirm", "session.destroy",
    ]  # fmt: skip
    [apply] = [call for call in calls if call.startswith("ubus call uci apply")]
    assert apply.endswith('{"ubus_rpc_session":"5e55","rollback":true,"timeout":60}')
    assert (router / "etc/nftables.d/tcc-wan.nft").exists()
    assert (router / "usr/lib/sqm/tcc_cake.qos").exists()


def test_changes_wait_in_the_session_and_are_not_committed(router: Path):
    _, calls = deliver(router, 0)
    assert any(call.startswith("uci -q -t ") and "uci-5e55 batch" in call for call in calls)
    batch = [call.strip() for call in calls if call.startswith("    ")]
    assert "set sqm.wan.upload='9000'" in batch
    assert not [line for line in batch if line.startswith("commit")]


def test_what_does_not_verify_is_rolled_back_with_its_files(router: Path):
    (router / "etc/nftables.d/tcc-wan.nft").write_text("the old one\n")
    code, calls = deliver(router, 1)
    assert code == 1
    assert ubus(calls)[-2:] == ["uci.rollback", "session.destroy"]
    assert "uci.confirm" not in ubus(calls)
    assert (router / "etc/nftables.d/tcc-wan.nft").read_text() == "the old one\n"
    assert not (router / "usr/lib/sqm/tcc_cake.qos").exists()


def test_a_firewall_that_would_not_load_is_taken_back_before_anything_else(router: Path):
    code, calls = deliver(router, 0, FW4="1")
    assert code == 1
    assert ubus(calls) == []
    assert not (router / "etc/nftables.d/tcc-wan.nft").exists()


MOVING = """
link wan {
    device "eth1"
    framing ethernet
    egress { bandwidth 9mbit within 2mbit..20mbit; tiers diffserv4 }
    ingress { bandwidth 90mbit; tiers diffserv4 }
}
"""


@pytest.mark.parametrize("verified", [0, 1])
def test_the_daemon_that_moves_rates_rests_meanwhile(router: Path, verified: int):
    for path, text in written(MOVING, "openwrt", release="25.12")[0].items():
        target = router / "new" / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(PLACES.sub(f"{router}\\1", text).replace("/root/", f"{router}/root/"))
    daemon = router / "etc/init.d/cake-autorate"
    daemon.write_text(STAND_IN)
    daemon.chmod(0o755)
    code, calls = deliver(router, verified)
    assert code == verified
    told = [call.split()[0] + " " + call.split()[1] for call in calls if "cake-autorate" in call]
    assert told == ["cake-autorate stop", "cake-autorate start"]
    assert calls[0].startswith("cake-autorate stop")
    assert (router / "root/cake-autorate/config.wan.sh").exists() == (verified == 0)


def test_a_router_without_sqm_is_told_what_to_install(router: Path):
    (router / "etc/init.d/sqm").unlink()
    code, calls = deliver(router, 0)
    assert code == 2
    assert "apk update && apk add sqm-scripts kmod-sched-ctinfo" in calls[0]
