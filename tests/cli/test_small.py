"""`tcc schema`, `tcc plugins`, `tcc completion`."""

import json
import os
import subprocess
import sys

import jsonschema
import pytest


def test_schema(tcc):
    code, out, _ = tcc("schema")
    assert code == 0
    jsonschema.Draft202012Validator.check_schema(json.loads(out))


def test_plugins_are_listed_with_their_distribution(tcc):
    _, out, _ = tcc("plugins")
    rows = [line.split() for line in out.splitlines()]
    assert ["tcc.qdiscs", "cake", "tcpolicy", "0.1.0"] in rows
    assert ["tcc.backends", "netlink", "tcpolicy", "0.1.0"] in rows


STRANGE = """\
[tcc.qdiscs]
broken = strange_plugins:Missing
sfq = strange_plugins:Sfq
noisy = strange_plugins:Noisy
"""


@pytest.fixture
def strangers(tmp_path):
    """A distribution with a plugin that fails, one that claims a taken name, and one that works."""
    info = tmp_path / "strange-2.5.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: strange\nVersion: 2.5\n")
    (info / "entry_points.txt").write_text(STRANGE)
    (tmp_path / "strange_plugins.py").write_text("class Sfq: ...\nclass Noisy: ...\n")
    return os.environ | {"PYTHONPATH": str(tmp_path)}


def test_a_broken_plugin_does_not_end_the_list(strangers):
    done = subprocess.run(
        [sys.executable, "-m", "tcc", "plugins"],
        capture_output=True, text=True, env=strangers, check=False,
    )  # fmt: skip
    assert done.returncode == 1
    assert done.stderr == ""
    lines = done.stdout.splitlines()
    [broken] = [line for line in lines if " broken " in line]
    assert "strange 2.5" in broken
    assert "BROKEN: `broken` of strange cannot be loaded" in broken
    assert (
        len([line for line in lines if " sfq " in line and "claimed more than once" in line]) == 2
    )
    [noisy] = [line for line in lines if " noisy " in line]
    assert "BROKEN" not in noisy


def test_plugins_can_be_listed_without_running_their_code(strangers, tmp_path):
    (tmp_path / "strange_plugins.py").write_text("raise SystemExit('I was run')\n")
    done = subprocess.run(
        [sys.executable, "-m", "tcc", "plugins", "--no-load"],
        capture_output=True, text=True, env=strangers, check=True,
    )  # fmt: skip
    assert "strange 2.5" in done.stdout


def test_a_broken_plugin_is_an_error_at_the_word_that_names_it(strangers, tmp_path):
    policy = tmp_path / "a.tcc"
    policy.write_text('link wan { device "a"; bandwidth 5mbit; qdisc broken }\n')
    done = subprocess.run(
        [sys.executable, "-m", "tcc", "lint", str(policy), "--format", "concise"],
        capture_output=True, text=True, env=strangers, check=False,
    )  # fmt: skip
    assert done.returncode == 1
    assert ":1:47: error[plugin-broken]: `broken` of strange cannot be loaded" in done.stdout


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
@pytest.mark.parametrize("program", ["tcc", "tcpolicy"])
def test_completion_scripts(tcc, shell, program):
    code, out, _ = tcc("completion", shell, program=program)
    assert code == 0
    assert f"_{program.upper()}_COMPLETE={shell}_complete" in out


def test_another_shell(tcc):
    assert tcc("completion", "csh").code == 2


def complete(words, program="tcc"):
    """Ask as the bash script does."""
    executable = os.path.join(os.path.dirname(sys.executable), program)
    done = subprocess.run(
        [executable],
        capture_output=True,
        text=True,
        env=os.environ
        | {
            f"_{program.upper()}_COMPLETE": "bash_complete",
            "COMP_WORDS": " ".join(words),
            "COMP_CWORD": str(len(words) - 1),
        },
        check=True,
    )
    return [line.partition(",")[2] for line in done.stdout.splitlines()]


@pytest.mark.slow
def test_completion_completes():
    assert "lint" in complete(["tcc", "li"])
    assert "--exit-zero" in complete(["tcc", "lint", "--e"])
    assert "regional" in complete(["tcc", "explain", "reg"])
    assert "lint" in complete(["tcpolicy", "li"], "tcpolicy")
