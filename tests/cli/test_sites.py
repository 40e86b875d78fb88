"""`tcc generate` for a table of sites: folders, summary, and nothing outside of them."""

import csv
import filecmp
import subprocess
import sys
from pathlib import Path

import pytest

from tcc import api
from tcc.cli.generate import digest
from tcc.diagnostics import Diagnostic, Severity, has_errors
from tcc.fleet import SitesError, is_table, read_sites
from tcc.passes import Given
from tcc.plan.state import FileItem
from tcc.source import Source
from tcc.tree_of_files import Folder, PathError

pytestmark = pytest.mark.slow  # `make test` runs them

POLICY = """\
param up : rate
param port : device = "wan"
link wan { device port; framing ethernet; egress { bandwidth up } }
"""


def generate(folder: Path, table: str, *words: str, out: str = "out"):
    (folder / "p.tcc").write_text(POLICY)
    (folder / "sites.csv").write_text(table)
    command = [sys.executable, "-m", "tcc", "generate", "openwrt", "p.tcc", "--vars", "sites.csv"]
    return subprocess.run(
        [*command, "-o", out, *words], cwd=folder, capture_output=True, text=True, check=False
    )


def test_each_site_has_a_folder_and_a_line(tmp_path: Path):
    done = generate(tmp_path, "site,up,port\nhq,18mbit,eth0.2\nbranch-1,1.9995mbit,\n")
    assert done.returncode == 0, done.stderr
    assert "2 sites: 2 written" in done.stdout
    assert "option upload '18000'" in (tmp_path / "out/hq/etc/config/sqm").read_text()
    assert "option interface 'eth0.2'" in (tmp_path / "out/hq/etc/config/sqm").read_text()
    assert "option interface 'wan'" in (tmp_path / "out/branch-1/etc/config/sqm").read_text()
    summary = (tmp_path / "out/summary.csv").read_text().splitlines()
    assert summary[0] == "site,files,errors,warnings,notes,found"
    assert summary[1].startswith("hq,5,0,0,0,")
    assert summary[2].startswith("branch-1,5,0,0,1,note[sqm-rate-rounded]")


def test_a_site_that_cannot_be_expressed_is_refused_and_the_others_are_written(tmp_path: Path):
    done = generate(tmp_path, "site,up\na,900bit\nb,9mbit\nc,nine\n")
    assert done.returncode == 1
    assert "3 sites: 1 written (5 files), 2 refused" in done.stdout
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == ["b", "summary.csv"]
    lines = (tmp_path / "out/summary.csv").read_text().splitlines()
    assert "error[sqm-cannot]" in lines[1]
    assert "error[param-value]" in lines[3]


def test_any_number_of_processes_writes_the_same(tmp_path: Path):
    table = "site,up\n" + "".join(f"s{number},{number + 1}mbit\n" for number in range(200))
    for jobs in ("1", "2"):
        assert generate(tmp_path, table, "--jobs", jobs, out=f"out{jobs}").returncode == 0
    files = [str(path.relative_to(tmp_path / "out1")) for path in (tmp_path / "out1").rglob("*")
             if path.is_file()]  # fmt: skip
    assert len(files) == 200 * 5 + 1
    same, different, odd = filecmp.cmpfiles(
        tmp_path / "out1", tmp_path / "out2", files, shallow=False
    )
    assert (len(same), different, odd) == (len(files), [], [])


BRANCH = (Path(__file__).parents[2] / "docs/examples/branch.tcc").read_text()
MIXED = (
    BRANCH.replace("match dscp af4x", "match dscp af4x; match udp port p..p")
    + """
param p : count = 5004
param d : duration = 30ms
let half = 50% of up
link spare { device "spare0"; framing ethernet; tiers diffserv4; egress { bandwidth half; rtt d } }
"""
)


@pytest.mark.parametrize("policy", [BRANCH, MIXED], ids=["branch", "mixed"])
def test_a_site_is_what_it_is_alone(policy: str, tmp_path: Path):
    """Nothing is kept from one site to the next that depends on a site's values."""
    sites = [
        {"site": f"s{number}", "up": f"{10_000 + 7 * number}kbit", "down": f"{40 + number}mbit",
         "port": ("wan", "eth0.2", "wan-of-a-long-n")[number % 3]}
        | ({"p": str(5000 + number), "d": f"{20 + number % 4}ms"} if policy is MIXED else {})
        for number in range(24)
    ]  # fmt: skip
    sites[5]["up"] = "900bit"
    sites[6]["up"] = "five"
    table = [",".join(sites[0]), *(",".join(site.values()) for site in sites)]
    (tmp_path / "p.tcc").write_text(policy)
    (tmp_path / "sites.csv").write_text("\n".join(table) + "\n")
    command = [sys.executable, "-m", "tcc", "generate", "openwrt", "p.tcc", "--vars", "sites.csv"]
    subprocess.run([*command, "-o", "out", "--jobs", "1"], cwd=tmp_path, capture_output=True,
                   check=False)  # fmt: skip
    with (tmp_path / "out/summary.csv").open(newline="") as file:
        summary = {line["site"]: line for line in csv.DictReader(file)}
    for values in sites:
        folder = tmp_path / "out" / values["site"]
        files, found = _alone(policy, {key: one for key, one in values.items() if key != "site"})
        assert _files_below(folder) == files
        worst = sorted(found, key=lambda item: -item.severity)
        said = [f"{item.severity}[{item.code}]: {item.message}" for item in worst]
        line = summary[values["site"]]
        assert line["found"] == "; ".join(said)
        assert int(line["files"]) == len(files)
        assert int(line["errors"]) == sum(item.severity is Severity.ERROR for item in found)
        assert int(line["warnings"]) == sum(item.severity is Severity.WARNING for item in found)
    assert sum(line["files"] != "0" for line in summary.values()) == len(sites) - 2


def _alone(policy: str, values: dict[str, str]) -> tuple[dict[str, bytes], list[Diagnostic]]:
    built = api.load(Source("p.tcc", policy), Given(values), complete=True)
    found = list(built.found)
    if has_errors(found):
        return {}, found
    settings = {"policy-sha256": digest(built)}
    state, more = api.lower(built, "openwrt", None, settings)
    found = list(dict.fromkeys([*found, *more]))
    if has_errors(found):
        return {}, found
    return {place.at: item.text.encode() for place, item in state.items()
            if isinstance(item, FileItem)}, found  # fmt: skip


def _files_below(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes()
            for path in folder.rglob("*") if path.is_file()}  # fmt: skip


@pytest.mark.parametrize(
    "name", ["..", ".", "../x", "/etc", "a/b", "-rf", ".hidden", "a b", "x" * 65, "ä", "a\\b"]
)
def test_a_name_that_is_no_folder_is_refused(name: str, tmp_path: Path):
    done = generate(tmp_path, f"site,up\n{name},9mbit\n")
    assert done.returncode == 2
    assert "sites.csv:2: the site" in done.stderr
    assert not (tmp_path / "out").exists()


def test_two_sites_that_differ_only_in_case_are_one_folder_elsewhere(tmp_path: Path):
    done = generate(tmp_path, "site,up\nHQ,9mbit\nhq,9mbit\n")
    assert done.returncode == 2
    assert "the site `hq` is on line 2 already" in done.stderr


@pytest.mark.parametrize("where", ["hq", "hq/etc", "hq/etc/config"])
def test_nothing_is_written_through_a_link(where: str, tmp_path: Path):
    """What lies in the output directory may have been put there by anybody."""
    victim = tmp_path / "victim"
    victim.mkdir()
    link = tmp_path / "out" / where
    link.parent.mkdir(parents=True)
    link.symlink_to(victim)
    done = generate(tmp_path, "site,up\nhq,9mbit\n")
    assert done.returncode == 2
    assert "is a link or a file" in done.stderr
    assert list(victim.iterdir()) == []


def test_a_link_in_the_place_of_a_file_is_replaced_and_not_followed(tmp_path: Path):
    target = tmp_path / "target"
    target.write_text("mine")
    folder = tmp_path / "out"
    folder.mkdir()
    (folder / "file").symlink_to(target)
    with Folder(folder) as open_folder:
        open_folder.put("file", b"ours")
    assert target.read_text() == "mine"
    assert (folder / "file").read_bytes() == b"ours"


def test_files_appear_together_or_not_at_all(tmp_path: Path):
    with Folder(tmp_path) as folder:
        with pytest.raises(PathError):
            folder.put_together("hq", [("a/b", b"1", 0o644), ("a/../../c", b"2", 0o644)])
        assert list(tmp_path.iterdir()) == []
        folder.put_together("hq", [("a/b", b"1", 0o600), ("c", b"2", 0o755)])
        folder.put_together("hq", [("a/d", b"3", 0o644), ("c", b"4", 0o755)])
    assert _files_below(tmp_path / "hq") == {"a/b": b"1", "a/d": b"3", "c": b"4"}
    assert (tmp_path / "hq/a/b").stat().st_mode & 0o777 == 0o600
    assert [path.name for path in tmp_path.iterdir()] == ["hq"]


@pytest.mark.parametrize("path", ["../x", "a/../../x", "", "a//b", "a/./b", "a\0b"])
def test_a_path_that_leaves_the_folder_is_refused(path: str, tmp_path: Path):
    with Folder(tmp_path) as folder, pytest.raises(PathError):
        folder.put(path, b"")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("site,up,up\nx,1mbit,1mbit\n", ":1: a column is there twice"),
        ("site,up\nx\n", ":2: 1 cells below 2 names"),
    ],
)
def test_a_table_that_is_none(text: str, said: str, tmp_path: Path):
    path = tmp_path / "t.csv"
    path.write_text(text)
    with pytest.raises(SitesError, match=said):
        list(read_sites(str(path)))


def test_what_a_table_is(tmp_path: Path):
    path = tmp_path / "t.csv"
    path.write_text("up,many\n18mbit,7\n")
    assert not is_table(str(path))
    assert not is_table(str(tmp_path / "none.csv"))


def test_many_sites_take_a_back_end_and_a_directory(tmp_path: Path):
    (tmp_path / "p.tcc").write_text(POLICY)
    (tmp_path / "sites.csv").write_text("site,up\nhq,9mbit\n")
    command = [sys.executable, "-m", "tcc", "generate", "openwrt", "p.tcc", "--vars", "sites.csv"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "many sites are written with a BACKEND and -o DIR" in done.stderr
