"""`tcc lint` with settings, fragments, many files and the cache."""

import json
import os
import signal
import stat
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tcc import api
from tcc.linting import cache, config
from tcc.linting.encoded import decode, encode
from tcc.source import Source

ROOT = Path(__file__).parents[2]
GOOD = (
    'link wan {{ device "eth{n}"; framing ethernet; role router; egress {{ bandwidth 5mbit }} }}\n'
)
BAD = GOOD.replace("5mbit", "5")
SITE = (
    'include "../common/tiers.tcc"\n'
    'link wan { device "eth0"; framing ethernet; role router; egress { bandwidth up } }\n'
    "param up : rate\nlet phones = 3478\n"
)


@pytest.fixture(autouse=True)
def _caches(here, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(here / "cache"))
    forget()


def forget() -> None:
    """Look for configurations anew, as another process does."""
    config.forget()


def put(folder: Path, **files: str) -> None:
    for name, text in files.items():
        path = folder / name.replace("__", "/").replace("_dot_", ".")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def many(folder: Path, count: int = 40, bad: tuple[int, ...] = ()) -> None:
    for n in range(count):
        (folder / f"site{n:02}.tcc").write_text((BAD if n in bad else GOOD).format(n=n))


def entries(folder: Path) -> list[Path]:
    return sorted((folder / "cache/tcc/lint").glob("??/*"))


# ---------------------------------------------------------------- settings


def test_values_come_from_the_configuration_above_the_file(tcc, here):
    put(here, sites__a_dot_tcc="param up : rate\n" + GOOD.format(n=0).replace("5mbit", "up"),
        sites__values_dot_json='{"up": "20kbit", "down": "5mbit"}',
        tcc_dot_toml='vars = ["sites/values.json"]\n')  # fmt: skip
    code, out, err = tcc("lint", "sites/a.tcc")
    assert (code, err) == (1, "")
    assert "bandwidth-implausible" in out  # 20 kbit/s; and `down`, which it has not, is no mistake
    assert "unknown-param" not in out
    assert tcc("lint", "--set", "up=20mbit", "sites/a.tcc").code == 0
    assert tcc("lint", "--no-config", "sites/a.tcc").code == 0
    code, out, _ = tcc("lint", "--set", "upp=20mbit", "sites/a.tcc")
    assert "unknown-param" in out  # what is typed is meant for this policy


def test_yaml_and_csv_and_set(tcc, here):
    policy = "param up : rate\n" + GOOD.format(n=0).replace("5mbit", "up")
    put(here, a_dot_tcc=policy, b_dot_tcc=policy, c_dot_tcc=policy, v_dot_yaml="up: 20kbit\n",
        v_dot_csv="name,value\nup,30kbit\nother,1\n",
        pyproject_dot_toml='[tool.other]\n[tool.tcc]\nset = { up = "40kbit" }\n'
        '[[tool.tcc.policy]]\nfiles = ["a.tcc"]\nvars = ["v.yaml"]\n'
        '[[tool.tcc.policy]]\nfiles = ["b.*"]\nvars = ["v.csv"]\n')  # fmt: skip
    out = tcc("lint", "--format", "concise", "a.tcc", "b.tcc", "c.tcc").out
    assert [line.split(":")[0] for line in out.splitlines()] == ["a.tcc", "b.tcc", "c.tcc"]
    for rate in ("20kbit", "30kbit", "40kbit"):
        assert f"{rate} is less than one ISDN channel" in out


def test_the_nearest_file_wins_and_others_are_passed_over(tcc, here):
    policy = "param up : rate\n" + GOOD.format(n=0).replace("5mbit", "up")
    put(here, tcc_dot_toml='set = { up = "20kbit" }\n', inner__a_dot_tcc=policy,
        inner__pyproject_dot_toml="[tool.black]\nline-length = 100\n")  # fmt: skip
    assert tcc("lint", "inner/a.tcc").code == 1
    put(here, inner__tcc_dot_toml='set = { up = "20mbit" }\n')
    forget()
    assert tcc("lint", "inner/a.tcc").code == 0


def test_codes_facts_and_target(tcc, here):
    put(here, a_dot_tcc=GOOD.format(n=7).replace("5mbit", "20kbit"),
        facts_dot_json='{"devices": [{"name": "eth1"}]}',
        tcc_dot_toml='facts = "facts.json"\nignore = ["bandwidth-implausible"]\n')  # fmt: skip
    out = tcc("lint", "a.tcc").out
    assert "the host has no device `eth7`" in out
    assert "implausible" not in out
    put(here, tcc_dot_toml='target = "no-such"\n')
    forget()
    code, _, err = tcc("lint", "a.tcc")
    assert code == 2
    assert "there is no back end `no-such`" in err


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("vars = [1 2]\n", "tcc.toml:1:11: "),
        ('fragment = ["a"]\n', "tcc.toml:1:1: there is no setting `fragment`: did you mean "
         "`fragments`?"),
        ('ignore = []\nvars = "a.yaml"\n', "tcc.toml:2:1: `vars` is a list of texts"),
        ("facts = 5\n", "tcc.toml:1:1: `facts` is a text"),
        ('[policy]\nfiles = ["*"]\n', "tcc.toml:1:1: write [[policy]]"),
        ('[[policy]]\nvars = []\n', "tcc.toml:1:1: [[policy]] says which files"),
        ('[[policy]]\nfiles = ["*"]\nfragments = ["a"]\n', "tcc.toml:3:1: there is no setting"),
        ("set = { up = 1.5 }\n", "tcc.toml:1:1: `set` has names and texts"),
        ('vars = ["no.json"]\n', "no.json: cannot read it"),
        ('ignore = ["no-such-code"]\n', "there is no finding `no-such-code`"),
    ],
)  # fmt: skip
def test_what_is_wrong_with_a_configuration(tcc, here, text, words):
    put(here, a_dot_tcc=GOOD.format(n=0), tcc_dot_toml=text)
    code, out, err = tcc("lint", "a.tcc")
    assert (code, out) == (2, "")
    assert words in err
    assert "Traceback" not in err


# ---------------------------------------------------------------- fragments

TIERS = "tier voice { match udp remote port phones }\n"


def test_a_fragment_alone_is_not_told_that_names_are_missing(tcc, here):
    put(here, common__tiers_dot_tcc=TIERS, sites__a_dot_tcc=SITE)
    assert tcc("lint", "common/tiers.tcc").code == 0
    put(here, common__tiers_dot_tcc="tier voice { match udp remote prt phones }\n")
    assert tcc("lint", "common/tiers.tcc").code == 1


def test_a_fragment_is_looked_at_in_what_includes_it(tcc, here):
    put(here, common__tiers_dot_tcc=TIERS.replace("phones", "fones"), sites__a_dot_tcc=SITE,
        sites__b_dot_tcc=SITE, other_dot_tcc=BAD, tcc_dot_toml="")  # fmt: skip
    code, out, _ = tcc("lint", "--format", "concise", "common/tiers.tcc")
    assert code == 1
    assert out == (
        "common/tiers.tcc:1:36: error[unknown-name]: `fones` is neither a value nor the name of "
        "one\n"
    )
    put(here, common__tiers_dot_tcc=TIERS)
    assert tcc("lint", "common/tiers.tcc").code == 0


def test_a_fragment_through_another_one(tcc, here):
    put(here, a_dot_tcc='include "b.tcc"\n' + GOOD.format(n=0), c_dot_tcc="let z = x\n",
        b_dot_tcc='include "c.tcc"\nlet x = y\n', tcc_dot_toml="")  # fmt: skip
    code, out, _ = tcc("lint", "--format", "concise", "c.tcc")
    assert (code, out.split(":")[0]) == (1, "b.tcc")


def test_declared_fragments_may_have_links(tcc, here):
    put(here, parts__link_dot_tcc='link wan : home { device "eth0" }\n')
    assert tcc("lint", "parts/link.tcc").code == 1
    put(here, tcc_dot_toml='fragments = ["parts/*"]\n')
    forget()
    assert tcc("lint", "parts/link.tcc").code == 0
    put(here, a_dot_tcc='include "parts/link.tcc"\nprofile hom { role host }\n')
    out = tcc("lint", "parts/link.tcc").out
    assert "unknown-profile" in out


# ---------------------------------------------------------------- many files


@pytest.mark.slow
def test_many_files_in_their_order_whatever_the_processes(tcc, here):
    many(here, 80, bad=(3, 41, 79))
    alone = tcc("lint", "--jobs", "1", "--no-cache")
    shared = tcc("lint", "--jobs", "2", "--no-cache")
    assert alone == shared
    assert alone.code == 1
    lines = [line for line in alone.out.splitlines() if line.startswith("site")]
    assert [line.split(":")[0] for line in lines] == ["site03.tcc", "site41.tcc", "site79.tcc"]
    for form in ("json", "sarif", "github", "junit", "concise"):
        again = [tcc("lint", "--format", form, "--jobs", jobs, "--no-cache") for jobs in "12"]
        assert again[0] == again[1]


def test_one_file_starts_nothing_and_caches_nothing(tcc, here, monkeypatch):
    many(here, 1)
    put(here, tcc_dot_toml="")
    monkeypatch.delattr("os.fork")
    assert tcc("lint", "--jobs", "8", "site00.tcc").code == 0
    assert not (here / "cache").exists()


def test_the_cache_gives_the_same_and_sees_every_change(tcc, here):
    many(here, 40, bad=(5,))
    first = tcc("lint")
    assert len(entries(here)) == 40
    assert tcc("lint") == first
    (here / "site06.tcc").write_text(BAD.format(n=6))
    code, out, _ = tcc("lint", "--format", "concise")
    assert (code, out.count("\n")) == (1, 2)
    assert len(entries(here)) == 41


def test_an_included_file_counts(tcc, here):
    many(here, 40)
    put(here, common__tiers_dot_tcc=TIERS, sites__a_dot_tcc=SITE)
    assert tcc("lint").code == 0
    put(here, common__tiers_dot_tcc=TIERS.replace("phones", "phones, 99999"))
    assert tcc("lint").code == 1
    put(here, common__tiers_dot_tcc=TIERS)
    assert tcc("lint").code == 0


def test_values_count(tcc, here):
    policy = "param up : rate\n" + GOOD.replace("5mbit", "up")
    for n in range(20):
        (here / f"s{n}.tcc").write_text(policy.format(n=n))
    put(here, v_dot_json='{"up": "9mbit"}', tcc_dot_toml='vars = ["v.json"]\n')
    assert tcc("lint").code == 0
    put(here, v_dot_json='{"up": "9kbit"}')
    forget()
    assert tcc("lint").code == 1


def test_an_include_that_is_missing_is_not_remembered(tcc, here):
    many(here, 20)
    put(here, a_dot_tcc='include "b.tcc"\n' + GOOD.format(n=0))
    assert tcc("lint").code == 1
    put(here, b_dot_tcc="let x = 5mbit\n")
    assert tcc("lint").code == 0


def test_the_directory_is_the_users_alone(tcc, here):
    many(here, 20)
    tcc("lint")
    for path in (here / "cache/tcc/lint", *(here / "cache/tcc/lint").glob("??")):
        assert stat.S_IMODE(path.stat().st_mode) == 0o700
    assert all(stat.S_IMODE(path.stat().st_mode) == 0o600 for path in entries(here))
    assert all(isinstance(json.loads(path.read_text()), dict) for path in entries(here))


def test_a_directory_that_others_can_write_is_not_used(tcc, here):
    folder = here / "cache/tcc/lint"
    folder.mkdir(parents=True)
    folder.chmod(0o777)
    many(here, 20)
    assert tcc("lint").code == 0
    assert entries(here) == []
    folder.rmdir()
    (here / "elsewhere").mkdir()
    folder.symlink_to(here / "elsewhere")
    assert tcc("lint").code == 0
    assert list((here / "elsewhere").iterdir()) == []


@pytest.mark.parametrize("spoil", [b"", b"{", b"[]", b'{"found": [[1]]}', b"\xff\0"])
def test_a_spoiled_entry_is_no_entry(tcc, here, spoil):
    many(here, 20, bad=(1,))
    first = tcc("lint")
    for path in entries(here):
        path.write_bytes(spoil)
    assert tcc("lint") == first


def test_what_nobody_reads_goes(tcc, here):
    many(here, 20)
    tcc("lint")
    old = time.time() - 40 * 86400
    for path in (*entries(here), here / "cache/tcc/lint/pruned"):
        os.utime(path, (old, old))
    (here / "site00.tcc").write_text(GOOD.format(n=99))
    before = set(entries(here))
    tcc("lint")
    assert len(before - set(entries(here))) == 1  # of the text that is no more
    assert len(entries(here)) == 20


@pytest.mark.slow
def test_runs_at_once_do_not_disturb_each_other(here):
    many(here, 60, bad=(7,))
    environment = os.environ | {"XDG_CACHE_HOME": str(here / "cache")}
    command = [sys.executable, "-m", "tcc", "lint", "--format", "concise", "--jobs", "2", "."]
    runs = [
        subprocess.Popen(command, cwd=here, env=environment, stdout=subprocess.PIPE, text=True)
        for _ in range(4)
    ]
    said = {run.communicate(timeout=120)[0] for run in runs}
    assert len(said) == 1
    assert said.pop().startswith("site07.tcc:1:")
    assert len(entries(here)) == 60
    assert not list((here / "cache/tcc/lint").glob("??/tmp*"))


@pytest.mark.slow
def test_ctrl_c_leaves_no_process(here):
    many(here, 2000)
    environment = os.environ | {"XDG_CACHE_HOME": str(here / "cache")}
    command = [sys.executable, "-m", "tcc", "lint", "--jobs", "2", "--no-cache", "."]
    run = subprocess.Popen(command, cwd=here, env=environment, start_new_session=True)
    children = Path(f"/proc/{run.pid}/task/{run.pid}/children")
    until = time.monotonic() + 60
    while not (started := children.read_text().split()) and time.monotonic() < until:
        time.sleep(0.01)
    run.send_signal(signal.SIGINT)
    assert run.wait(timeout=60) == 130
    assert started
    assert not any(Path(f"/proc/{child}").exists() for child in started)


def test_findings_survive_as_json():
    texts = [path.read_text(errors="replace") for path in (ROOT / "tests/errors").glob("*.tcc")]
    found = [item for text in texts for item in api.lint(api.load(Source("a.tcc", text)))]
    assert len(found) > 50
    assert any(item.fixes for item in found)
    assert [decode(json.loads(json.dumps(encode(item)))) for item in found] == found


def test_where_the_cache_is(monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", "/somewhere")
    assert cache.directory() == Path("/somewhere/tcc/lint")
    monkeypatch.setenv("XDG_CACHE_HOME", "relative")  # which the specification says to ignore
    monkeypatch.setenv("HOME", "/home/somebody")
    assert cache.directory() == Path("/home/somebody/.cache/tcc/lint")
