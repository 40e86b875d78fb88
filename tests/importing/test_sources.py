"""Configurations of the kinds that people report, each with what is wrong about it.

`tests/data/import/findings.json` says for each file what must be found, and nothing else may be;
the files' first lines say which report they are made after.
"""

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tcc import api
from tcc.diagnostics import Severity
from tcc.importing import KINDS, SourceError, guess, policy_of, read
from tcc.importing.kinds import device_of
from tcc.source import Source
from tests.importing.options import meaning

DATA = Path(__file__).parents[1] / "data" / "import"
FINDINGS: dict[str, list[str]] = json.loads((DATA / "findings.json").read_text())
KINDS_OF = {
    ".txt": "tc", ".sqm": "sqm", ".network": "networkd", ".nmconnection": "networkmanager",
    ".vyos": "vyos", ".interfaces": "ifupdown-ng", ".json": "tcconfig", ".conf": "sqm-conf",
}  # fmt: skip


def imported(name: str, text: str | None = None):
    text = (DATA / name).read_text() if text is None else text
    return policy_of(read(guess(text), text, device_of(name)), "a test", Source(name, text))


def test_every_file_is_expected():
    assert {path.name for path in DATA.iterdir()} == {*FINDINGS, "findings.json"}
    assert len(FINDINGS) >= 20


@pytest.mark.parametrize("name", sorted(FINDINGS))
def test_its_findings_are_the_right_ones(name: str):
    result = imported(name)
    assert sorted({remark.what for remark in result.remarks}) == sorted(FINDINGS[name])
    for remark in result.remarks:
        assert f"# {remark.kind}: {remark.text}" in result.text


@pytest.mark.parametrize("name", sorted(FINDINGS))
def test_its_policy_builds_and_is_laid_out(name: str):
    text = imported(name).text
    built = api.load(Source("p.tcc", text))
    assert [item for item in built.found if item.severity is Severity.ERROR] == []
    assert api.format_text(Source("p.tcc", text)) == text


@pytest.mark.parametrize("name", sorted(FINDINGS))
def test_its_kind_is_guessed(name: str):
    suffix = Path(name).suffix
    if suffix in KINDS_OF:
        assert guess((DATA / name).read_text()) == KINDS_OF[suffix]


def test_lines_are_pointed_at():
    found = imported("ipv4-only.sh").found
    [item] = [item for item in found if "protocol ip" in item.message]
    text = (DATA / "ipv4-only.sh").read_text()
    assert text[item.span.start : item.span.end].startswith("tc filter add dev eth0 parent ffff:")


def said(text: str, kind: str = "tc", **more: str):
    built = api.load(Source("p.tcc", policy_of(read(kind, text, **more), "a test").text))
    return meaning(built)


def test_order_counts_as_it_does_for_tc():
    """CAKE specification, section 2: `ethernet` adds 38 bytes, `overhead` sets, raw stays."""
    command = "tc qdisc add dev eth0 root cake bandwidth 9mbit "
    assert said(command + "ethernet overhead 40")["egress"][1].overhead == 40
    assert said(command + "overhead 40 ethernet")["egress"][1].overhead == 78
    raw = said(command + "raw ethernet")["egress"][1]
    assert (raw.raw, raw.overhead, raw.mpu) == (True, 38, 84)
    assert (
        said("tc qdisc add dev e root cake autorate-ingress bandwidth 1mbit")["egress"][1].autorate
        is False
    )


def test_change_alters_only_what_it_mentions():
    text = (
        "tc qdisc add dev eth0 root cake bandwidth 9mbit diffserv4 nat overhead 18\n"
        "tc qdisc change dev eth0 root cake bandwidth 7mbit\n"
    )
    cake = said(text)["egress"][1]
    assert (cake.rate, cake.mode, cake.nat, cake.overhead) == (7_000_000, "diffserv4", True, 18)


def test_bytes_and_bits():
    """tc(8): `kbps` is kilobytes per second."""
    assert said("tc qdisc add dev e root cake bandwidth 100kbps")["egress"][1].rate == 800_000


def test_sqm_1_6_does_not_say_nat():
    text = "config queue 'a'\n option interface 'eth1'\n option enabled '1'\n"
    text += " option upload '9000'\n option download '0'\n option script 'layer_cake.qos'\n"
    assert said(text, "sqm", sqm="1.6")["egress"][1].nat is False
    assert said(text, "sqm", sqm="1.7")["egress"][1].nat is True


ANSWERS = Path(__file__).parents[1] / "data" / "kernel-answers" / "uml"
ROOTS = [path for path in sorted(ANSWERS.glob("cake-*.json")) if '"root"' in path.read_text()]


@pytest.mark.parametrize("path", ROOTS, ids=lambda path: path.stem)
def test_json_and_text_of_one_qdisc_say_the_same(path: Path):
    """Both printed by tc for one qdisc of a real kernel; as text a rate is cut to whole kbit."""
    text = path.with_suffix(".txt").read_text()
    shown = "\n".join(
        line.replace(": root", ": dev eth0 root") for line in text.splitlines() if "qdisc" in line
    )
    exact, cut = said(path.read_text(), "tc-json"), said(shown)
    for side, (kind, cake) in exact.items():
        rounded = cut[side][1].rate
        assert cut[side] == (kind, cake._replace(rate=rounded))
        assert rounded <= cake.rate < rounded + max(1000, rounded // 1000)


@given(st.sampled_from(sorted(KINDS)), st.text(max_size=300))
@settings(max_examples=300, deadline=None)
def test_no_text_is_a_traceback(kind: str, text: str):
    try:
        policy_of(read(kind, text, "eth0"), "a test")
    except SourceError:
        assert kind in ("tc-json", "tcconfig")


LINES = [line for name in FINDINGS for line in (DATA / name).read_text().splitlines()]


@pytest.mark.slow
@given(st.sampled_from(sorted(KINDS)), st.lists(st.sampled_from(LINES), max_size=12))
@settings(max_examples=300, deadline=None)
def test_no_mixture_of_lines_is_a_traceback(kind: str, lines: list[str]):
    try:
        result = policy_of(read(kind, "\n".join(lines), "eth0"), "a test")
    except SourceError:
        return
    built = api.load(Source("p.tcc", result.text))
    assert [item for item in built.found if item.severity is Severity.ERROR] == []


def test_taking_the_hook_away_leaves_the_root_there():
    """`tc qdisc del dev X ingress`, as any order of a script's lines has it."""
    root = "tc qdisc add dev eth0 root cake bandwidth 9mbit\n"
    for gone in ("ingress", "handle ffff: ingress", "clsact", "parent ffff:fff1"):
        assert said(f"{root}tc qdisc del dev eth0 {gone}\n")["egress"][1].rate == 9_000_000


def test_routeros_menus_presets_and_numbers():
    """A menu's name holds for the lines below it; numbers replace what a scheme says."""
    text = (DATA / "export.rsc").read_text()
    ends = said(text, "routeros")
    up, down = ends["egress"][1], ends["ingress"][1]
    assert (up.rate, up.overhead, up.mpu, up.rtt) == (24_000_000, 42, 84, 30_000)
    assert (down.rate, down.raw, down.overhead) == (256_000_000, True, 0)
    once = "/queue type add kind=cake name=a cake-overhead=7 cake-overhead-scheme=ethernet\n"
    made = said(once + "/queue interface set ether1 queue=a\n", "routeros")["egress"][1]
    assert (made.overhead, made.mpu) == (7, 84)
