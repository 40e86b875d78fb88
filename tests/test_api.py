"""The public names of the package, and the stages behind them."""

import subprocess
import sys

import tcc
from tcc import api
from tcc.source import Source


def test_every_public_name_is_there():
    assert sorted(tcc.__all__) == tcc.__all__
    assert {name: getattr(tcc, name) for name in tcc.__all__}


def test_no_public_name_is_a_module_as_well():
    """Importing a submodule would put it in the place of a function of that name."""
    from importlib.util import find_spec

    assert [name for name in tcc.__all__ if find_spec(f"tcc.{name}")] == []


def test_other_names_are_not():
    assert not hasattr(tcc, "no_such_name")


def test_importing_the_package_imports_nothing_else():
    script = "import sys, tcc; print(*(name for name in sys.modules if name.startswith('tcc')))"
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == ["tcc"]


def test_a_file_that_cannot_be_read_is_a_finding(tmp_path):
    built = api.load(str(tmp_path / "none.tcc"))
    assert built.policy is None
    assert [item.code for item in built.found] == ["file-unreadable"]


def test_layout_or_the_reasons_against_it():
    assert api.format_text(Source("a.tcc", "let   a=5mbit")) == "let a = 5mbit\n"
    found = api.format_text(Source("a.tcc", "let a = (5mbit"))
    assert [item.code for item in found] == ["parenthesis-unclosed"]


def test_lowering_asks_the_back_end_by_name():
    text = 'link wan { device "eth0"; egress { bandwidth 8mbit; qdisc cake } }'
    state, _ = api.lower(api.load(Source("a.tcc", text)), "netlink")
    assert [(place.device, place.at, item.kind) for place, item in state.items()] == [
        ("eth0", "root", "cake")
    ]


def test_nothing_is_lowered_of_a_policy_with_errors():
    built = api.load(Source("a.tcc", "link wan { }"))
    state, found = api.lower(built, "netlink")
    assert state == {}
    assert [item.code for item in found] == ["missing-device"]


def test_linting_for_a_target_finds_what_it_cannot_express():
    text = 'link wan { device "eth0"; framing ethernet; ingress { bandwidth 900bit } }'
    built = api.load(Source("a.tcc", text))
    assert "sqm-cannot" not in {item.code for item in api.lint(built)}
    assert "sqm-cannot" in {item.code for item in api.lint(built, target="openwrt")}
