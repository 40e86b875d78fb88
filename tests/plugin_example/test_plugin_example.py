"""Distributions that are not ours add a qdisc, and a back end, by nothing but entry points."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent
POLICY = HERE / "line.tcc"
TABLE = """\
link,device,direction,qdisc,options
wan,eth0,egress,leaky,rate 10000000bit limit 40
wan,eth0,ingress,cake,bandwidth 50000000bit diffserv3 triple-isolate nonat nowash ingress \
no-ack-filter split-gso rtt 100000us raw noatm overhead 0
"""

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    """Install both distributions beside tcc, without an index; return where they are."""
    sources = tmp_path_factory.mktemp("source")
    target = tmp_path_factory.mktemp("target")
    for name in ("distribution", "guide"):
        shutil.copytree(HERE / name, sources / name)
        install(sources / name, target)
    return target


def install(source, target):
    options = ["--quiet", "--no-deps", "--no-index", "--no-build-isolation", "--target", target]
    subprocess.run([sys.executable, "-m", "pip", "install", *options, source], check=True)


def tcc(installed, *words, status=0, **env):
    """Run tcc with the distribution installed and return what it prints."""
    done = subprocess.run(
        [sys.executable, "-m", "tcc", *words],
        env=os.environ | {"PYTHONPATH": str(installed), "NO_COLOR": "1"} | env,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == status, done.stdout + done.stderr
    return done.stdout + done.stderr


def test_it_is_listed_with_where_it_came_from(installed):
    shown = [line.split() for line in tcc(installed, "plugins").splitlines()]
    assert ["tcc.qdiscs", "leaky", "tcc-plugins-example", "1.2.3"] in shown
    assert ["tcc.backends", "table", "tcc-table", "1.0.0"] in shown


def test_its_back_end_writes_what_both_qdiscs_get(installed, tmp_path):
    tcc(installed, "generate", "table", "-o", tmp_path, POLICY)
    assert (tmp_path / "links.csv").read_text() == TABLE


def test_our_back_end_writes_its_qdisc(installed, tmp_path):
    tcc(installed, "generate", "tc-script", "-o", tmp_path, POLICY)
    script = (tmp_path / "tc.sh").read_text()
    line = "tc qdisc replace dev eth0 root handle 1: leaky rate 10000000bit limit 40"
    assert line in script.splitlines()


def test_its_findings_are_shown_like_ours(installed, tmp_path):
    policy = tmp_path / "p.tcc"
    policy.write_text('link wan { device "eth0"; egress { bandwidth unlimited; qdisc leaky } }\n')
    shown = tcc(installed, "generate", "table", policy, status=1)
    assert f"{policy}:1:46: error[leaky-without-rate]: a leaky bucket needs a rate" in shown


@pytest.mark.parametrize("engine", ["compiled", "interpreted"])
def test_the_engine_runs_its_qdisc(installed, engine):
    """40 packets wait at most; more than 10 Mbit/s never pass, and four senders ask for all."""
    report = json.JSONDecoder().raw_decode(
        tcc(installed, "verify", "--json", POLICY, TCC_ENGINE=engine)
    )[0]
    [objective] = report["objectives"]
    assert objective["holds"] is True
    egress = objective["runs"][0]["directions"]["egress"]
    assert 9_000_000 * 5 // 8 < egress["octets"] <= 10_000_000 * 5 // 8 + 65_536
    assert egress["reasons"].keys() == {"overlimit"}


def test_without_it_the_policy_is_refused():
    done = subprocess.run(
        [sys.executable, "-m", "tcc", "lint", POLICY], capture_output=True, text=True, check=False
    )
    assert done.returncode == 1
    assert "unknown-qdisc" in done.stdout + done.stderr


def test_the_guide_taken_by_its_word(tmp_path):
    """Its files as the page shows them, in an empty folder, and its commands in their order."""
    page = (HERE.parents[1] / "docs/plugins.md").read_text()
    shown = re.findall(
        r"<!-- file: tests/plugin_example/guide/(\S+) -->\n```\w+\n(.*?)```", page, re.S
    )
    for name, text in shown:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    install(tmp_path, tmp_path / "installed")
    programs = Path(sys.executable).parent
    env = os.environ | {
        "PYTHONPATH": str(tmp_path / "installed"), "NO_COLOR": "1",
        "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}",
    }  # fmt: skip
    [commands] = re.findall(r"```sh\npip install -e \.\n(.*?)```", page, re.S)
    for line in commands.splitlines():
        command, _, said = line.partition("  # ")
        done = subprocess.run(
            command.split(), cwd=tmp_path, env=env, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, (command, done.stdout, done.stderr)
        assert " ".join(said.split()) in " ".join(done.stdout.split())
    command = [sys.executable, "-m", "pytest", "-q", "test_table.py"]
    done = subprocess.run(
        command, cwd=tmp_path, env=env, capture_output=True, text=True, check=False
    )
    assert "2 passed" in done.stdout, done.stdout + done.stderr
