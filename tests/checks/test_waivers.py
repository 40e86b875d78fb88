"""Comments that take findings away, and what is said of comments that do not."""

import json
import subprocess
import sys

import pytest

from tcc import api
from tcc.cli.fixing import apply_fixes
from tcc.source import Source
from tests.checks.policies import lint

SLOW = "bandwidth 48kbit"
WHY = "because it is a radio link"
ALLOW = f"# tcc: allow bandwidth-implausible {WHY}"


def policy(line: str, above: str = "") -> str:
    return (
        'link wan {\n    device "eth0"\n    framing ethernet\n    role router\n'
        f"    egress {{\n        {above}\n        {line}\n    }}\n}}\n"
    )


def found(text: str) -> list[tuple[str, str]]:
    return [(item.code, text[item.span.start : item.span.end]) for item in lint(text)]


@pytest.mark.parametrize(
    "text",
    [
        policy(f"{SLOW}  {ALLOW}"),
        policy(SLOW, ALLOW),
        policy(SLOW, f"{ALLOW}\n        # the far side is a lighthouse"),
        policy(SLOW, f"# tcc: allow bandwidth-implausible, gso-blocks-line {WHY}").replace(
            SLOW, f"{SLOW}; gso keep"
        ),
        policy(SLOW, f"#tcc: allow bandwidth-implausible   {WHY}"),
    ],
)
def test_waived(text):
    assert found(text) == []


def test_two_waivers_above_one_line():
    text = policy(f"{SLOW}; gso keep", f"{ALLOW}\n        # tcc: allow gso-blocks-line {WHY}")
    assert found(text) == []


def test_a_waiver_behind_a_line_is_for_that_line_only():
    text = policy(SLOW, f"tiers diffserv4  {ALLOW}")
    assert found(text) == [("bandwidth-implausible", "48kbit"), ("waiver-unused", ALLOW)]


def test_without_reason():
    for comment in (
        "# tcc: allow bandwidth-implausible",
        "# tcc: allow bandwidth-implausible because",
    ):
        assert found(policy(SLOW, comment)) == [("waiver-without-reason", comment)]


def test_malformed():
    comment = "# tcc: ignore bandwidth-implausible"
    assert ("waiver-malformed", comment) in found(policy(SLOW, comment))


def test_other_comments_are_none_of_our_business():
    assert found(policy("bandwidth 9mbit", "# allow tcc to do its work; tccx: allow x")) == []


def test_unknown_code():
    comment = "# tcc: allow bandwith-implausible because it is slow"
    assert ("waiver-unknown-code", comment) in found(policy(SLOW, comment))


def test_unused():
    assert found(policy("bandwidth 9mbit", ALLOW)) == [("waiver-unused", ALLOW)]


def test_what_only_a_host_shows_is_not_called_unused():
    comment = f"# tcc: allow bandwidth-above-device {WHY}"
    assert found(policy("bandwidth 9mbit", comment)) == []


def test_warnings_of_plugins_can_be_waived_and_errors_cannot():
    tbf = "bandwidth 50mbit; qdisc tbf { burst %s; inner sfq }"
    comment = f"# tcc: allow tbf-burst-long {WHY}"
    assert found(policy(tbf % "200KiB", comment).replace("router", "host")) == []
    assert found(policy(tbf % "20KiB", comment).replace("router", "host")) == [
        ("waiver-unused", comment)
    ]
    comment = f"# tcc: allow tbf-burst-below-frame {WHY}"
    assert sorted(code for code, _ in found(policy(tbf % "1KiB", comment))) == [
        "tbf-burst-below-frame",
        "waiver-of-error",
    ]


def test_errors_of_checks_can_be_waived():
    comment = f"# tcc: allow objective-latency-below-path {WHY}"
    require = f"{comment}\n    require ping latency p99 <= 30ms"
    text = policy("bandwidth 9mbit")
    text += f'objective "o" {{\n    under rrul for 20s rtt 40ms\n    {require}\n}}\n'
    assert found(text) == []


def test_nothing_is_unused_in_a_policy_that_cannot_be_built():
    text = policy("bandwidth 9mbit; gso perhaps", ALLOW)
    assert [item.code for item in api.lint(api.load(Source("test.tcc", text)))] == ["unknown-value"]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (policy("bandwidth 9mbit", ALLOW), policy("bandwidth 9mbit").replace("        \n", "")),
        (policy(f"bandwidth 9mbit  {ALLOW}"), policy("bandwidth 9mbit")),
    ],
)
def test_an_unused_waiver_is_removed_by_its_fix(before, after):
    source = Source("test.tcc", before)
    assert apply_fixes(source, api.lint(api.load(source))).text == after


def test_waivers_of_an_included_file_are_its_own(tmp_path):
    (tmp_path / "slow.tcc").write_text(
        f"profile slow {{\n    {ALLOW}\n    egress {{ {SLOW} }}\n}}\n"
    )
    main = tmp_path / "main.tcc"
    main.write_text('include "slow.tcc"\nlink wan : slow { device "eth0"; framing raw }\n')
    assert api.lint(api.load(str(main))) == []


def test_json_has_paths_and_no_waivers(tmp_path):
    shaping = {"bandwidth": {"rate": "48kbit"}}
    link = {"name": "wan", "device": {"name": "eth0"}, "framing": {"preset": "ethernet"}}
    policy = {"version": 1, "links": [{**link, "egress": shaping}]}
    [item] = api.lint(api.load(Source("test.tcc.json", json.dumps(policy))))
    assert (item.code, item.path) == ("bandwidth-implausible", "$.links[0].egress.bandwidth")


def test_on_the_command_line(tmp_path):
    path = tmp_path / "home.tcc"
    path.write_text(policy(SLOW))
    run = [sys.executable, "-m", "tcc", "lint", "--format", "concise", str(path)]
    outcome = subprocess.run(run, capture_output=True, text=True, check=False)
    assert outcome.returncode == 1
    assert "home.tcc:7:19: warning[bandwidth-implausible]" in outcome.stdout
    path.write_text(policy(SLOW, ALLOW))
    assert subprocess.run(run, capture_output=True, text=True, check=False).returncode == 0
