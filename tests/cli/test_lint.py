"""`tcc lint`."""

import json
import os
import xml.etree.ElementTree as ET
from pathlib import Path

EXAMPLES = Path(__file__).parents[2] / "docs" / "examples"
GOOD = (
    'link wan {\n    device "eth0"\n    framing ethernet\n    role router\n    bandwidth 5mbit\n}\n'
)
BAD = GOOD.replace("5mbit", "5")


def write(folder, **files):
    for name, text in files.items():
        (folder / f"{name}.tcc").write_text(text)


def test_nothing_to_complain_about(tcc, here):
    write(here, good=GOOD)
    assert tcc("lint", "good.tcc").code == 0


def test_findings_are_the_result(tcc, here):
    write(here, bad=BAD)
    code, out, err = tcc("lint", "bad.tcc")
    assert code == 1
    assert out.startswith("bad.tcc:5:15: error[missing-unit]: ")
    assert err == ""


def test_every_file_is_looked_at(tcc, here):
    write(here, a=BAD, b=GOOD, c=BAD)
    code, out, _ = tcc("lint", "a.tcc", "b.tcc", "c.tcc", "--format", "concise")
    assert code == 1
    assert [line.split(":")[0] for line in out.splitlines() if "missing-unit" in line] == [
        "a.tcc", "c.tcc",
    ]  # fmt: skip


def test_without_files_those_of_the_directory(tcc, here):
    (here / "sub" / ".hidden").mkdir(parents=True)
    write(here, a=BAD)
    write(here / "sub", b=BAD)
    write(here / "sub" / ".hidden", c=BAD)
    (here / "x.tcc.json").write_text("{]")
    (here / "notes.txt").write_text("no policy")
    code, out, _ = tcc("lint", "--format", "concise")
    assert code == 1
    files = {line.split(":")[0] for line in out.splitlines() if ": error" in line}
    assert files == {"a.tcc", "sub/b.tcc", "x.tcc.json"}


def test_a_directory_without_policies(tcc, here):
    code, _, err = tcc("lint")
    assert code == 2
    assert "there is no policy" in err


def test_a_file_that_is_not_there_is_no_finding_of_a_policy(tcc, here):
    code, out, _ = tcc("lint", "none.tcc")
    assert code == 2
    assert "file-unreadable" in out


def test_text_that_cannot_be_read_is_a_finding(tcc, here):
    (here / "a.tcc").write_bytes(b"let a = \xff\n")
    code, out, _ = tcc("lint", "a.tcc")
    assert code == 1
    assert "file-not-utf8" in out


def test_standard_input(tcc, here):
    assert tcc("lint", "-", stdin=GOOD).code == 0
    code, out, _ = tcc("lint", "-", stdin=BAD)
    assert code == 1
    assert out.startswith("<stdin>:5:15: ")
    code, out, _ = tcc("lint", "-", "--stdin-filename", "some/wan.tcc", stdin=BAD)
    assert out.startswith("some/wan.tcc:5:15: ")


def test_standard_input_with_the_name_of_json(tcc, here):
    code, out, _ = tcc("lint", "-", "--stdin-filename", "a.tcc.json", stdin='{"lnks": []}')
    assert code == 1
    assert "json-unknown-name" in out


def test_includes_of_standard_input_are_relative_to_its_name(tcc, here):
    (here / "sub").mkdir()
    write(here / "sub", b="let up = 5mbit\n")
    text = 'include "b.tcc"\n' + GOOD.replace("5mbit", "up")
    assert tcc("lint", "-", "--stdin-filename", "sub/a.tcc", stdin=text).code == 0


def test_select_and_ignore(tcc, here):
    write(here, a=BAD + "tier voice { match dscp eff }\n")

    def codes(*options):
        done = tcc("lint", "a.tcc", "--format", "json", *options)
        return done.code, [item["code"] for item in findings(done.out)]

    assert codes("--select", "missing-unit") == (1, ["missing-unit"])
    assert codes("--select", "missing-unit, unknown-value") == (
        1,
        ["missing-unit", "unknown-value"],
    )
    assert codes("--select", "missing-*") == (1, ["missing-unit"])
    assert codes("--ignore", "missing-unit", "--ignore", "unknown-value") == (0, [])
    code, _, err = tcc("lint", "a.tcc", "--select", "mising-unit")
    assert code == 2
    assert "there is no finding `mising-unit`" in err


def findings(out):
    return json.loads(out)["diagnostics"]


def test_exit_zero(tcc, here):
    write(here, a=BAD)
    code, out, _ = tcc("lint", "a.tcc", "--exit-zero")
    assert code == 0
    assert "missing-unit" in out


def test_values_of_parameters(tcc, here):
    write(here, a="param up : rate\n" + GOOD.replace("5mbit", "up"))
    (here / "site.yaml").write_text("up: 18mbit\n")
    assert tcc("lint", "a.tcc").code == 0
    assert tcc("lint", "a.tcc", "--set", "up=18mbit").code == 0
    assert tcc("lint", "a.tcc", "--vars", "site.yaml").code == 0
    code, out, _ = tcc("lint", "a.tcc", "--set", "up=18")
    assert code == 1
    assert out.startswith("--set:1:1: error[param-value]: the unit is missing")
    code, _, err = tcc("lint", "a.tcc", "--set", "up")
    assert code == 2
    assert "write --set NAME=value" in err


def test_formats(tcc, here):
    write(here, a=BAD)
    out = {
        form: tcc("lint", "a.tcc", "--format", form).out
        for form in ("text", "concise", "json", "sarif", "github", "junit")
    }
    assert "   ^" in out["text"]
    assert len(out["concise"].splitlines()) <= 2
    assert findings(out["json"])[0]["code"] == "missing-unit"
    assert json.loads(out["sarif"])["version"] == "2.1.0"
    assert out["github"].startswith("::error file=a.tcc,line=5,")
    assert ET.fromstring(out["junit"]).tag == "testsuites"


def test_a_target_adds_what_it_cannot_express(tcc, here):
    write(here, a=GOOD + 'link two { device "eth7"; framing raw; egress { bandwidth 900bit } }\n')
    assert "sqm-cannot" not in tcc("lint", "a.tcc").out
    code, out, _ = tcc("lint", "a.tcc", "--target", "openwrt")
    assert code == 1
    assert "sqm-cannot" in out  # it counts whole kbit/s
    code, _, err = tcc("lint", "a.tcc", "--target", "no-such")
    assert code == 2
    assert "there is no back end `no-such`; there are ifupdown, " in err


def test_facts_add_what_is_known_of_the_host(tcc, here):
    write(here, a=GOOD)
    (here / "facts.json").write_text('{"devices": [{"name": "eth1"}]}')
    code, out, _ = tcc("lint", "a.tcc", "--facts", "facts.json")
    assert code == 1
    assert "the host has no device `eth0`" in out
    (here / "facts.json").write_text("{")
    code, _, err = tcc("lint", "a.tcc", "--facts", "facts.json")
    assert code == 2
    assert "not facts" in err


def test_safe_fixes_are_written(tcc, here):
    write(here, a="link wan {\n    device eth0\n    tiers diffserv5\n    bandwidth 5mbit\n}\n")
    os.chmod(here / "a.tcc", 0o640)
    code, out, _ = tcc("lint", "a.tcc", "--fix")
    assert code == 1  # which tins are meant is not for us to say
    assert "unknown-value" in out
    assert "unquoted-text" not in out
    assert '    device "eth0"\n    tiers diffserv5\n' in (here / "a.tcc").read_text()
    assert (here / "a.tcc").stat().st_mode & 0o777 == 0o640


def test_the_examples_are_clean(tcc):
    assert tcc("lint", str(EXAMPLES)).out == ""
