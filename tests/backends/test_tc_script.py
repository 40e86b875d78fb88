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


def test_what_it_cannot_say_is_an_error_at_its_words():
    policy = TBF.format(device="eth0") + (
        'link b { device "eth1"; ingress { bandwidth 9mbit; qdisc tbf } }\n'
        "tier voice { match dscp ef }\n"
    )
    built = api.load(Source("test.tcc", policy))
    found = api.lower(built, "tc-script")[1]
    errors = [one for one in found if one.code == "not-built-yet"]
    spans = [policy[one.span.start : one.span.end] for one in errors]
    assert spans == ["ingress", "voice"]
