"""Wrong policies are found, and what is said of them is what helps.

`wrong/NAME.txt` and `impossible/NAME.txt` are what people read: verdicts with where it went and
what mends it, or the arithmetic. `--update-golden` rewrites them; that a mend is true is checked
by making the change by hand.
"""

import re
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

HERE = Path(__file__).parent
TCC = [sys.executable, "-c", "from tcc.cli.main import main; main()"]
WRONG = sorted((HERE / "wrong").glob("*.tcc"))
IMPOSSIBLE = sorted((HERE / "impossible").glob("*.tcc"))


def verify(*arguments: str, cwd: Path = HERE) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*TCC, "verify", *arguments], capture_output=True, text=True, check=False, cwd=cwd
    )


def said(done: subprocess.CompletedProcess[str]) -> str:
    """Return findings, and the verdicts of each objective without the tables below them."""
    blocks = re.split(r"\n(?=\S)", done.stdout.strip()) if done.stdout.strip() else []
    heads = [block.split("\n\n")[0] for block in blocks]
    return "\n".join([*filter(None, (done.stderr.strip(), *heads)), f"exit {done.returncode}", ""])


def compare(request: pytest.FixtureRequest, policy: Path) -> None:
    golden = policy.with_suffix(".txt")
    text = said(verify(f"{policy.parent.name}/{policy.name}"))
    if request.config.getoption("--update-golden"):
        golden.write_text(text)
    assert text == golden.read_text()


@pytest.mark.parametrize("policy", WRONG, ids=lambda path: path.stem)
def test_a_wrong_policy_is_found(policy: Path, request: pytest.FixtureRequest):
    compare(request, policy)


@pytest.mark.parametrize("policy", IMPOSSIBLE, ids=lambda path: path.stem)
def test_arithmetic_refuses(policy: Path, request: pytest.FixtureRequest):
    compare(request, policy)


@pytest.mark.parametrize("policy", IMPOSSIBLE, ids=lambda path: path.stem)
def test_what_is_refused_says_so_with_an_error_and_no_verdict(policy: Path):
    done = verify(f"impossible/{policy.name}")
    assert (done.returncode, done.stdout) == (2, "")
    assert re.search(r"error\[objective-[a-z-]+\]", done.stderr)


@pytest.mark.parametrize(
    ("name", "before", "after"),
    [
        ("rate-above-line", "bandwidth 45mbit", "bandwidth 38mbit"),
        ("fifo-under-tbf", "inner bfifo", "inner fq_codel"),
        ("fifo-under-tbf", "latency 25ms", "latency 5ms"),
        ("starved-download", "bandwidth 1mbit;", "bandwidth 1mbit; ack-filter on;"),
        ("washed-before-tier", "dscp wash", "dscp keep"),
        ("burst-too-small", "burst 1000B", "burst 8KiB"),
        ("one-queue", "qdisc cake_mq", "qdisc cake"),
    ],
)  # fmt: skip
def test_the_change_that_is_named_mends_it(name: str, before: str, after: str, tmp_path: Path):
    text = (HERE / "wrong" / f"{name}.tcc").read_text()
    assert before in text
    (tmp_path / "p.tcc").write_text(text.replace(before, after))
    done = verify("p.tcc", cwd=tmp_path)
    assert done.returncode == 0, done.stdout


def test_what_arithmetic_allows_is_close_to_what_comes_out(tmp_path: Path):
    """A tier beside a flood gets its tin's quarter of 10 Mbit/s and no more, as was claimed."""
    text = (HERE / "impossible" / "tier-above-tin.tcc").read_text()
    for bound, code in (("2.2mbit", 0), ("2.5mbit", 1)):
        (tmp_path / "p.tcc").write_text(text.replace("5mbit }", f"{bound} }}"))
        assert verify("p.tcc", "--no-mend", cwd=tmp_path).returncode == code


def test_a_rate_is_refused_just_above_what_framing_leaves(tmp_path: Path):
    """1448 of 1554 bytes: 9.317 Mbit/s of 10, and 30 ms of the path in 10 s on top."""
    text = (HERE / "impossible" / "goodput-above-framing.tcc").read_text()
    (tmp_path / "p.tcc").write_text(text.replace("9.9mbit", "9.32mbit"))
    assert verify("p.tcc", "--no-mend", cwd=tmp_path).returncode == 1
