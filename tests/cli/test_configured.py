"""Values from a `tcc.toml` reach all commands that read a policy, below the command line's."""

import json
import os
from pathlib import Path

import pytest

from tcc.apply.identity import identify
from tcc.apply.journal import Journal
from tcc.cli import live
from tcc.facts import Facts
from tcc.linting.config import forget
from tcc.linting.values import load
from tcc.passes import Given
from tcc.watch.log import Log
from tcc.watch.policies import Files, Host

POLICY = """\
param up  : rate
param dev : device
link wan { device dev; framing ethernet; role router; egress { bandwidth up } }
objective "full" { under tcp_nup 2 flows for 2s rtt 10ms; require egress utilisation >= 80% }
"""
CONFIG = """\
set = { up = "9mbit" }
vars = ["hosts.yaml"]
[[policy]]
files = ["north/*.tcc"]
set = { up = "18mbit", unrelated = "1" }
"""
NOWHERE = Host(lambda known: Facts(), live.lower, lambda state: state, lambda state: state)
FACTS = {"version": 1, "kernel": "7.3", "qdiscs": ["cake"], "devices": [{"name": "eth7"}]}


@pytest.fixture
def site(here):
    forget()
    Path("tcc.toml").write_text(CONFIG)
    Path("hosts.yaml").write_text("dev: eth7\nnobody: 5ms\n")
    Path("north").mkdir()
    for name in ("a.tcc", "north/b.tcc"):
        Path(name).write_text(POLICY)
    Path("facts.json").write_text(json.dumps(FACTS))
    yield here
    forget()


@pytest.mark.parametrize(("file", "rate"), [("a.tcc", "9mbit"), ("north/b.tcc", "18mbit")])
def test_plan_and_generate(site, tcc, file, rate):
    plan = tcc("plan", file, "--facts", "facts.json")
    assert (plan.code, f"bandwidth {rate}" in plan.out) == (0, True), plan.err
    script = tcc("generate", "tc-script", file, "--facts", "facts.json")
    assert (script.code, "dev eth7" in script.out) == (0, True), script.err
    assert tcc("generate", "--matrix", "tc-script", file).code == 0


def test_the_command_line_comes_first(site, tcc):
    plan = tcc("plan", "a.tcc", "--facts", "facts.json", "--set", "up=5mbit")
    assert "bandwidth 5mbit" in plan.out


def test_what_the_command_line_gives_must_be_a_parameter(site, tcc):
    assert "unknown-param" in tcc("plan", "a.tcc", "--set", "upp=5mbit").err


def test_verify_runs_without_values_on_the_command_line(site, tcc):
    done = tcc("verify", "a.tcc")
    assert (done.code, "held  full" in done.out) == (0, True), done.err


def test_sites_come_above_the_configuration(site, tcc):
    Path("sites.csv").write_text("site,up\none,3mbit\n")
    tcc(
        "generate",
        "tc-script",
        "a.tcc",
        "--facts",
        "facts.json",
        "--vars",
        "sites.csv",
        "-o",
        "out",
    )
    texts = "".join(path.read_text() for path in Path("out").rglob("*.sh"))
    assert "3mbit" in texts or "3000000bit" in texts or "3000kbit" in texts
    assert "eth7" in texts


def test_standard_input_is_of_this_directory(site, tcc):
    done = tcc("plan", "-", "--facts", "facts.json", stdin=POLICY)
    assert (done.code, "bandwidth 9mbit" in done.out) == (0, True), done.err


def test_a_configuration_that_cannot_be_used(site, tcc):
    Path("tcc.toml").write_text('vals = ["hosts.yaml"]\n')
    forget()
    done = tcc("plan", "a.tcc", "--facts", "facts.json")
    assert "tcc.toml:1:1: there is no setting `vals`" in done.err
    assert done.code != 0


def test_a_watch_says_so_and_goes_on(site):
    """As after SIGHUP: nothing of what is kept is asked for, as one policy cannot be read."""
    Path("tcc.toml").write_text('vars = ["gone.yaml"]\n')
    journal = Journal(site / "state", identify(None))
    watched = Files(["a.tcc"], Given(), "", journal, NOWHERE, Log())
    found, _ = watched.read()
    assert [(item.code, str(item.severity)) for item in found] == [("config-unusable", "error")]


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a file away")
def test_root_takes_no_values_from_somebody_else(site, tcc):
    os.chown("tcc.toml", 12345, 12345)
    forget()
    assert "belongs to neither root nor" in tcc("plan", "a.tcc").err
    os.chown("a.tcc", 12345, 12345)
    assert load("a.tcc", Given()).unset == ()


def test_a_sweep_has_them_too(site, tcc):
    done = tcc("sweep", "a.tcc", "--vary", "up=9mbit", "--out", "rows.jsonl")
    assert done.code == 0, done.err
