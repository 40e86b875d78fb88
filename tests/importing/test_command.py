"""`tcc import`: exit codes, what it prints where, and this machine's own qdiscs."""

import subprocess
import sys
from pathlib import Path

import pytest

DATA = Path(__file__).parents[1] / "data" / "import"


def tcc(*words: str, stdin: str = "") -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "tcc", "import", *words]
    return subprocess.run(command, input=stdin, capture_output=True, text=True, check=False)


def plain(text: str) -> str:
    """Return text without the columns of the layout."""
    return " ".join(text.split())


@pytest.mark.slow
def test_what_is_only_suspicious_is_exit_0_and_what_is_lost_exit_1():
    done = tcc(str(DATA / "ipv4-only.sh"))
    assert done.returncode == 0
    assert "note[import-suspicious]" in done.stderr
    assert 'device "eth0"' in plain(done.stdout)
    lost = tcc(str(DATA / "htb-and-police.sh"))
    assert lost.returncode == 1
    assert "warning[import-lost]" in lost.stderr
    assert "bandwidth 2mbit" in plain(lost.stdout)
    assert "warning[import-double]" in tcc(str(DATA / "tins-twice.sqm")).stderr


def test_standard_input_and_a_file(tmp_path: Path):
    target = tmp_path / "p.tcc"
    text = (DATA / "uci-commands.sh").read_text()
    done = tcc("-", "-o", str(target), stdin=text)
    assert (done.returncode, done.stdout) == (0, "")
    assert "bandwidth 45mbit" in plain(target.read_text())


def test_nothing_to_import():
    done = tcc("-", stdin="echo hello\n")
    assert (done.returncode, done.stdout) == (1, "")
    assert "nothing that shapes was found" in done.stderr


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--from", "dd-wrt", "-"], "there are live, tc, "),
        (["no/such/file"], "no/such/file"),
        (["--from", "tc-json", "-"], "not JSON"),
        (["--from", "sqm", "--sqm", "1.0", "-"], "sqm-scripts 1.0 is not known"),
    ],
)
def test_wrong_usage(words: list[str], said: str):
    done = tcc(*words)
    assert done.returncode == 2
    assert said in done.stderr


@pytest.mark.kernel
def test_what_is_live_is_imported(netns):
    """tbf, an ifb and a redirect for IPv4 alone, made by tc itself."""
    space = netns.new()
    space.run("ip", "link", "add", "v0", "type", "veth", "peer", "name", "v1")
    for words in (
        "tc qdisc add dev v0 root handle 1: tbf rate 10mbit burst 20000 limit 60000",
        "tc qdisc add dev v0 handle ffff: ingress",
        "ip link add name ifb0 type ifb",
        "ip link set ifb0 up",
        "tc qdisc add dev ifb0 root handle 1: tbf rate 50mbit burst 50000 limit 200000",
        "tc filter add dev v0 parent ffff: protocol ip u32 match u32 0 0 "
        "action mirred egress redirect dev ifb0",
    ):
        space.run(*words.split())
    done = tcc("--from", "live", "--netns", space.name)
    assert "IPv6 comes in unshaped" in done.stderr
    said = plain(done.stdout)
    for words in ("bandwidth 10mbit", "bandwidth 50mbit", "burst 20000B", "burst 50000B"):
        assert words in said
