"""sqm-scripts itself, run on our configurations by busybox's ash, with tc and CAKE of Linux 7.3.

`record_sqm.py` runs it and keeps in `tests/data/sqm` what it made, beside what the netlink back end
makes of the same policies in the same guest. Here the recordings are compared, and our files of
today with those that were recorded.
"""

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tcc import api
from tcc.express import is_cake, said_of
from tcc.importing import read
from tcc.lower import lower_policy
from tcc.passes import Given
from tcc.source import Source
from tests.backends.sqm_cases import DATA, cases, differences

RECORDED = {path.stem: json.loads(path.read_text()) for path in sorted(DATA.glob("*.json"))}
CASES = cases(queues=True)
EACH = [(version, name) for version, kept in RECORDED.items() for name in kept["cases"]]


def answer(version: str, name: str) -> dict[str, Any]:
    return RECORDED[version]["cases"][name]


def test_it_was_run_on_every_case():
    assert {"v1.6.0", "v1.6.0-4-g95337de", "nft-cb605ff"} <= RECORDED.keys()
    for kept in RECORDED.values():
        assert kept["cases"].keys() >= cases().keys()
    assert RECORDED["nft-cb605ff"]["cases"].keys() == CASES.keys()


def test_several_queues_are_made_in_both_directions():
    kept = answer("nft-cb605ff", "several-queues")["sqm"]
    for place in ("device", "ifb"):
        kinds = [one["kind"] for one in kept[place] if one["kind"] != "ingress"]
        assert kinds == ["cake_mq", "cake", "cake", "cake", "cake"]


@pytest.mark.parametrize(("version", "name"), EACH)
def test_its_qdiscs_are_those_of_the_netlink_back_end(version: str, name: str):
    assert differences(name, answer(version, name)) == []


@pytest.mark.parametrize(("version", "name"), EACH)
def test_our_configuration_is_still_the_one_that_it_was_given(version: str, name: str):
    """Else the recording says nothing about today: run record_sqm.py again."""
    config = answer(version, name)["config"]
    assert CASES[name]["files"]["etc/config/sqm"].splitlines()[1:] == config.splitlines()[1:]


@pytest.mark.parametrize(("version", "name"), EACH)
def test_verify_says_yes_to_it_and_no_to_another(version: str, name: str):
    kept = answer(version, name)
    assert kept["verify"] == [0]
    assert kept["verify_of_another"] == 1
    assert kept["refused"] == []


@pytest.mark.parametrize(("version", "name"), EACH)
def test_what_it_made_is_what_the_policy_means(version: str, name: str):
    """The kernel's own answer, read as `tc -j qdisc show`, against lowering in this process."""
    case = CASES[name]
    values = Given(dict(one.split("=", 1) for one in case["set"]))
    built = api.load(Source("policy.tcc", case["policy"]), values)
    lowered, _ = lower_policy(built.policy, None, {})
    for one in lowered:
        if not is_cake(one):
            continue
        where = "device" if one.wish.direction == "egress" else "ifb"
        shown = [dict(qdisc, dev="eth0") for qdisc in answer(version, name)["sqm"][where]]
        [link] = read("tc-json", json.dumps(shown)).links
        cake, wanted = link.ends["egress"].cake, said_of(one)
        assert cake == wanted._replace(rate=wanted.rate // 1000 * 1000)


SCRIPTS = [
    (name, path)
    for name, case in CASES.items()
    for path in case["files"]
    if path.endswith((".sh", ".qos", "99-tcc"))
]


@pytest.mark.parametrize(("name", "path"), SCRIPTS)
def test_scripts_are_for_ash(name: str, path: str, tmp_path: Path):
    script = tmp_path / "script.sh"
    script.write_text(CASES[name]["files"][path])
    subprocess.run(["busybox", "ash", "-n", str(script)], check=True)


def test_verify_is_twenty_lines():
    text = CASES["home"]["files"]["verify.sh"]
    own = [line for line in text.splitlines() if not line.startswith(("#", "has "))]
    assert len(own) <= 20


@pytest.mark.parametrize(("name", "path"), SCRIPTS)
@pytest.mark.slow  # `make test` runs them; takes shellcheck(1)
def test_shellcheck_has_nothing_to_say(name: str, path: str, tmp_path: Path):
    script = tmp_path / "script.sh"
    script.write_text(CASES[name]["files"][path])
    left_alone = "SC1091,SC2034,SC2154"  # what the daemon's own scripts define, and use
    done = subprocess.run(
        ["shellcheck", "-s", "dash", "-e", left_alone, str(script)],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stdout) == (0, "")
