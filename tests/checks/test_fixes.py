"""Fixes of checks: each mends what it is for; those that change what is sent are never safe."""

import subprocess
import sys

import pytest

from tcc import api
from tcc.source import Source
from tests.checks.policies import apart, lint
from tests.checks.test_rules import FOUND

WITH_FIXES = [
    (policy, item)
    for _, policy, _ in FOUND
    for item in lint(policy)
    if item.fixes and item.span.path == "test.tcc"
]
POLICY = """\
link wan {
    device  "eth0"
    framing ethernet
    role    router
    # tcc: allow gso-blocks-line because of nothing
    egress { bandwidth 9mbit; fairness dual-dsthost }
}
"""


def test_there_are_some():
    assert {item.code for _, item in WITH_FIXES} >= {"fairness-turned", "framing-not-of-line"}


@pytest.mark.parametrize(("policy", "item"), WITH_FIXES)
def test_each_fix_mends_and_is_not_called_safe(policy, item):
    [fix] = item.fixes
    assert not fix.safe
    text = apart(policy)
    text = text[: fix.span.start] + fix.text + text[fix.span.end :]
    after = api.lint(api.load(Source("test.tcc", text)))
    assert item.code not in {each.code for each in after}
    assert "error" not in {str(each.severity) for each in after}


def run(tmp_path, *words):
    path = tmp_path / "home.tcc"
    path.write_text(POLICY)
    command = [sys.executable, "-m", "tcc", "lint", *words, "home.tcc"]
    outcome = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    return outcome, path.read_text()


def test_fix_writes_what_is_safe(tmp_path):
    outcome, text = run(tmp_path, "--fix")
    assert "# tcc" not in text
    assert "dual-dsthost" in text
    assert outcome.returncode == 1


def test_unsafe_fixes_are_asked_for(tmp_path):
    outcome, text = run(tmp_path, "--fix", "--unsafe-fixes")
    assert "dual-srchost" in text
    assert outcome.returncode == 0
    outcome, _ = run(tmp_path, "--unsafe-fixes")
    assert outcome.returncode == 2


def test_diff_writes_nothing(tmp_path):
    outcome, text = run(tmp_path, "--diff")
    assert text == POLICY
    assert outcome.returncode == 1
    changed = [line for line in outcome.stdout.splitlines() if line[:1] in "+-"][2:]
    assert changed == ["-    # tcc: allow gso-blocks-line because of nothing"]
    outcome, _ = run(tmp_path, "--diff", "--unsafe-fixes")
    assert "+    egress { bandwidth 9mbit; fairness dual-srchost }" in outcome.stdout
