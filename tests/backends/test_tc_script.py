"""The script: its text, and what sh makes of it. tests/apply runs it against a kernel."""

import shlex
import subprocess

import pytest

from tcc import api
from tcc.diagnostics import Severity
from tcc.facts import DeviceFacts, Facts
from tcc.plan.state import FileItem, Place
from tcc.source import Source

TBF = """
link wan {{
    device "{device}"
    egress {{ bandwidth 50mbit; qdisc tbf {{ burst 20KiB; limit 100KB; inner bfifo }} }}
}}
"""


def script(policy, facts=None, settings=None):
    built = api.load(Source("test.tcc", policy))
    assert built.policy, built.found
    state, found = api.lower(built, "tc-script", facts, settings)
    assert set(state) == {Place("", "tc.sh")}
    item = state[Place("", "tc.sh")]
    assert isinstance(item, FileItem)
    return item, [one for one in found if one.severity is Severity.ERROR]


def test_the_commands_of_a_tbf():
    item, errors = script(TBF.format(device="eth0"))
    assert not errors
    assert item.mode == 0o755
    commands = [line for line in item.text.splitlines() if line.startswith("tc ")]
    assert commands == [
        "tc qdisc delete dev eth0 root 2>/dev/null || :",
        # 50 mbit in bit/s, 20 KiB and 100 KB (IEC 80000-13: 1000) in bytes
        "tc qdisc replace dev eth0 root handle 1: tbf rate 50000000bit burst 20480 limit 100000",
        "tc qdisc replace dev eth0 parent 1:1 handle 10: bfifo limit 100000",
    ]


def test_the_head_stops_at_the_first_error_and_says_what_it_was_made_from():
    text = script(TBF.format(device="eth0"), None, {"policy-sha256": "ab" * 32})[0].text
    lines = text.splitlines()
    assert lines[0] == "#!/bin/sh"
    assert "ab" * 32 in lines[1]
    assert "set -eu" in lines
    assert any("command -v tc" in line for line in lines)


def test_the_same_policy_gives_the_same_bytes():
    assert script(TBF.format(device="eth0")) == script(TBF.format(device="eth0"))
    spaced = TBF.format(device="eth0").replace("    ", "  ")
    assert script(spaced)[0] == script(TBF.format(device="eth0"))[0]
    assert script(TBF.format(device="eth1"))[0] != script(TBF.format(device="eth0"))[0]


@pytest.mark.parametrize("device", ["a$(id)", "a;b", "a'b", "a&b", "-x", "*"])
def test_a_device_name_is_one_word_to_the_shell(device):
    item, errors = script(TBF.format(device=device), Facts(devices=(DeviceFacts(name=device),)))
    assert not errors
    line = next(line for line in item.text.splitlines() if "handle 1:" in line)
    assert shlex.split(line)[4] == device
    shown = subprocess.run(
        ["/bin/sh", "-c", "tc() { printf '%s\\n' \"$@\"; }; " + line],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert shown.stdout.splitlines()[3] == device


def test_the_shell_accepts_the_script(tmp_path):
    (tmp_path / "tc.sh").write_text(script(TBF.format(device="eth0"))[0].text)
    subprocess.run(["/bin/sh", "-n", tmp_path / "tc.sh"], check=True)


def test_without_tc_it_says_so(tmp_path):
    (tmp_path / "tc.sh").write_text(script(TBF.format(device="eth0"))[0].text)
    done = subprocess.run(["/bin/sh", tmp_path / "tc.sh"], env={"PATH": str(tmp_path)}, text=True,
                          capture_output=True, check=False)  # fmt: skip
    assert done.returncode == 1
    assert "iproute2" in done.stderr


INGRESS = 'link b { device "eth1"; ingress { bandwidth 9mbit; qdisc tbf { inner bfifo } } }\n'


def commands(text):
    """The commands of a script, without its head."""
    return [line for line in text.splitlines() if line.startswith(("tc ", "ip ", "nft "))]


def test_a_redirect_goes_first_and_comes_last():
    item, errors = script(INGRESS)
    assert not errors
    told = commands(item.text)
    assert told[0] == "tc filter delete dev eth1 ingress pref 49 2>/dev/null || :"
    assert told[1:3] == [
        "ip link add name ifb-eth1 type ifb 2>/dev/null || :",
        "ip link set dev ifb-eth1 up",
    ]
    assert " ".join(told[4].split()[:9]) == "tc qdisc replace dev ifb-eth1 root handle 1: tbf"
    assert told[-2:] == [
        "tc qdisc add dev eth1 clsact 2>/dev/null || :",
        "tc filter add dev eth1 ingress protocol all pref 49 handle 1 matchall "
        "action mirred egress redirect dev ifb-eth1",
    ]


def test_the_filter_that_the_kernel_has():
    facts = Facts(devices=(DeviceFacts(name="eth1"),), filters=("u32",), actions=("mirred",))
    last = commands(script(INGRESS, facts)[0].text)[-1]
    assert "pref 49 u32 match u32 0 0 action mirred" in last


def test_programs_are_looked_for_only_where_they_are_needed():
    assert "command -v ip" not in script(TBF.format(device="eth0"))[0].text
    text = script(INGRESS)[0].text
    assert "command -v ip" in text
    assert "command -v nft" not in text


def test_tiers_are_one_transaction_of_nft(tmp_path):
    policy = (
        'link b { device "eth1"; egress { bandwidth 9mbit; tiers diffserv4; qdisc cake } }\n'
        "tier voice { match udp remote port 3478 }\n"
    )
    item, errors = script(policy)
    assert not errors
    assert "command -v nft" in item.text
    (tmp_path / "tc.sh").write_text(item.text)
    subprocess.run(["/bin/sh", "-n", tmp_path / "tc.sh"], check=True)
    # what sh hands to nft
    shell = "tc() { :; }; nft() { cat; }; command() { :; }; . ./tc.sh"
    shown = subprocess.run(["/bin/sh", "-c", shell], cwd=tmp_path, capture_output=True,
                           text=True, check=True)  # fmt: skip
    lines = shown.stdout.splitlines()
    assert lines[:3] == [
        "add table inet tcc-eth1",
        "delete table inet tcc-eth1",
        "table inet tcc-eth1 {",
    ]
    assert "ct mark" not in shown.stdout  # nothing comes back that would be sorted


MOVING = """
link wan {
    device "wwan0"
    framing ethernet
    egress { bandwidth 8mbit within 2mbit..20mbit; qdisc cake }
    ingress { bandwidth 30mbit within 1.5mbit..80mbit; qdisc cake%s }
}
"""


def test_a_rate_with_bounds_is_handed_to_cake_autorate():
    """The names of variables are those of its own config.primary.sh."""
    built = api.load(Source("test.tcc", MOVING % ""))
    state, found = api.lower(built, "tc-script")
    assert not [one for one in found if one.severity is Severity.ERROR]
    item = state[Place("", "cake-autorate/config.wwan0.sh")]
    lines = [line for line in item.text.splitlines() if not line.startswith("#")]
    assert lines == [
        "dl_if=ifb-wwan0",
        "ul_if=wwan0",
        "adjust_dl_shaper_rate=1",
        "min_dl_shaper_rate_kbps=1500",
        "base_dl_shaper_rate_kbps=30000",
        "max_dl_shaper_rate_kbps=80000",
        "adjust_ul_shaper_rate=1",
        "min_ul_shaper_rate_kbps=2000",
        "base_ul_shaper_rate_kbps=8000",
        "max_ul_shaper_rate_kbps=20000",
        "connection_active_thr_kbps=1500",
    ]
    done = subprocess.run(["sh", "-n"], input=item.text, text=True, check=True, capture_output=True)
    assert done.stderr == ""
    assert "dev wwan0 root handle 1: cake" in state[Place("", "tc.sh")].text
    assert "dev ifb-wwan0 root handle 1: cake" in state[Place("", "tc.sh")].text


@pytest.mark.parametrize(
    ("policy", "said"),
    [
        (MOVING.replace("ingress", "# ingress") % "", "both shaped"),
        (MOVING.replace(" within 1.5mbit..80mbit", "") % " { autorate-ingress }",
         "moves the rate of the same line"),
        (MOVING.replace(" within 1.5mbit..80mbit; qdisc cake%s", "; qdisc tbf"),
         "ingress is tbf"),
    ],
)  # fmt: skip
def test_a_hand_off_that_would_not_work_is_refused(policy, said):
    built = api.load(Source("test.tcc", policy))
    assert built.policy, built.found
    _, found = api.lower(built, "tc-script")
    errors = [one.message for one in found if one.severity is Severity.ERROR]
    assert any(said in one for one in errors), errors
