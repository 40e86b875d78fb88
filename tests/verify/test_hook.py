"""The hook `tcc-verify`, run by pre-commit itself before a push to a repository of its own."""

import os
import subprocess
from pathlib import Path

import pytest

from tests.precommit.consumer import IDENTITY, Consumer, git

pytestmark = pytest.mark.slow

CONFIG = """\
repos:
  - repo: {source}
    rev: {rev}
    hooks:
      - id: tcc-verify
"""
POLICY = """\
link wan {{
    device  "eth0"
    framing ethernet
    egress  {{ bandwidth 2mbit; tiers besteffort }}
}}

objective "the rate is reached" {{
    under   tcp_nup 1 flow for 1s rtt 20ms
    require egress goodput >= {bound}
}}
"""
BARE = POLICY[: POLICY.index("objective")].format()


@pytest.fixture(scope="module")
def consumer(tmp_path_factory: pytest.TempPathFactory) -> Consumer:
    made = Consumer(tmp_path_factory.mktemp("precommit"))
    config = CONFIG.format(source=made.source, rev=git(made.source, "rev-parse", "HEAD"))
    (made.folder / ".pre-commit-config.yaml").write_text(config)
    git(made.folder, "init", "-q", "--bare", "../remote.git")
    git(made.folder, "remote", "add", "origin", "../remote.git")
    outcome = made.pre_commit("install", "--install-hooks", "--hook-type", "pre-push")
    assert outcome.returncode == 0, outcome.stdout + outcome.stderr
    return made


def push(consumer: Consumer, name: str, text: str) -> subprocess.CompletedProcess[str]:
    """Commit one policy, which no hook looks at, and push it."""
    (consumer.folder / name).write_text(text)
    git(consumer.folder, "add", "-A")
    git(consumer.folder, "commit", "-qm", f"Change {name}")
    environment = {
        **os.environ, "PRE_COMMIT_HOME": str(consumer.home), "PRE_COMMIT_COLOR": "never",
    }  # fmt: skip
    return subprocess.run(
        ["git", *IDENTITY, "push", "-q", "origin", "HEAD:main"],
        cwd=consumer.folder, env=environment, capture_output=True, text=True, check=False,
    )  # fmt: skip


def pushed(consumer: Consumer) -> list[str]:
    remote = Path(consumer.folder.parent, "remote.git")
    return git(remote, "log", "--format=%s", "main").splitlines()


def test_what_holds_is_pushed(consumer: Consumer):
    outcome = push(consumer, "home.tcc", POLICY.format(bound="1mbit"))
    assert outcome.returncode == 0, outcome.stderr
    assert pushed(consumer)[0] == "Change home.tcc"


def test_a_policy_without_objectives_is_pushed(consumer: Consumer):
    outcome = push(consumer, "bare.tcc", BARE)
    assert outcome.returncode == 0, outcome.stderr
    assert pushed(consumer)[0] == "Change bare.tcc"


def test_what_is_missed_is_not_pushed_and_says_where_it_went(consumer: Consumer):
    """First what arithmetic rules out, then what was simulated."""
    assert push(consumer, "good.tcc", BARE).returncode == 0
    outcome = push(consumer, "home.tcc", POLICY.format(bound="1.5mbit").replace("2mbit", "1mbit"))
    assert outcome.returncode != 0
    assert "objective-rate-above-line" in outcome.stderr + outcome.stdout
    assert pushed(consumer)[0] == "Change good.tcc"
    outcome = push(consumer, "home.tcc", POLICY.format(bound="1mbit").replace(">=", "<="))
    assert outcome.returncode != 0
    assert "MISSED  egress goodput <= 1mbit" in outcome.stderr + outcome.stdout
    assert pushed(consumer)[0] == "Change good.tcc"


def test_by_hand(consumer: Consumer):
    (consumer.folder / "hand.tcc").write_text(POLICY.format(bound="1mbit").replace(">=", "<="))
    git(consumer.folder, "add", "hand.tcc")
    outcome = consumer.pre_commit("run", "tcc-verify", "--all-files", "--hook-stage", "manual")
    assert outcome.returncode == 1
    assert "the rate is reached" in outcome.stdout
    git(consumer.folder, "rm", "-qf", "hand.tcc")
