"""`tcc doctor` on this machine, compiled and not, privileged and not."""

import os
import subprocess
import sys

import pytest

TCC = [sys.executable, "-c", "from tcc.cli.main import main; main()"]


def doctor(*before: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*before, *TCC, "doctor"],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, **environment},
    )


@pytest.mark.slow
def test_an_interpreted_engine_is_something_to_look_at():
    done = doctor(TCC_ENGINE="interpreted")
    assert done.returncode == 1
    assert "look  the engine runs interpreted" in done.stdout
    assert "gcc" in done.stdout


@pytest.mark.slow
def test_every_finding_to_look_at_has_a_cure():
    lines = doctor(TCC_ENGINE="interpreted").stdout.splitlines()
    for line, after in zip(lines, [*lines[1:], ""], strict=True):
        assert line.startswith("look") == after.startswith("      -> ")


@pytest.mark.slow
@pytest.mark.skipif(os.geteuid() != 0, reason="only root has a capability to give up")
def test_without_the_capability_it_says_so():
    done = doctor("setpriv", "--bounding-set", "-net_admin", "--")
    assert "may not change network devices" in done.stdout


def test_a_namespace_that_is_not_there_is_wrong_usage():
    done = subprocess.run(
        [*TCC, "doctor", "--netns", "no-such-namespace"],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 2
    assert "Traceback" not in done.stderr
