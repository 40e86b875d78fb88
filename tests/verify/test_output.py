"""What `tcc verify` prints for programs, and how it ends."""

import json
import os
import pty
import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from xml.etree import ElementTree

import jsonschema
import pytest

pytestmark = pytest.mark.slow

TCC = [sys.executable, "-c", "from tcc.cli.main import main; main()"]
POLICY = """\
link wan {
    device "eth0"
    framing ethernet
    egress { bandwidth 10.0005mbit; tiers besteffort }
}
objective "holds" {
    under tcp_nup 1 flow for 2s rtt 20ms
    require egress utilisation >= 80%
}
objective "misses, 100% sure" {
    under tcp_nup 1 flow for 2s rtt 20ms
    require egress goodput <= 1mbit
    require ping induced-latency p99 <= 20ms
}
"""
LONG = POLICY.replace("for 2s", "for 1000000s")


def verify(*arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*TCC, "verify", *arguments], capture_output=True, text=True, check=False, cwd=cwd
    )


@pytest.fixture
def here(tmp_path: Path) -> Path:
    (tmp_path / "p.tcc").write_text(POLICY)
    (tmp_path / "long.tcc").write_text(LONG)
    return tmp_path


def test_the_document_is_what_its_schema_says(here: Path):
    schema = json.loads(verify("--schema", cwd=here).stdout)
    jsonschema.Draft202012Validator.check_schema(schema)
    done = verify("p.tcc", "--json", "--repeat", "2", cwd=here)
    document = json.loads(done.stdout)
    jsonschema.validate(document, schema)
    assert (done.returncode, document["version"]) == (1, 1)
    assert [one["holds"] for one in document["objectives"]] == [True, False]
    (advice,) = document["objectives"][1]["advice"]
    assert (advice["requirement"], advice["direction"]) == (0, "egress")


def test_the_schema_refuses_what_it_does_not_name(here: Path):
    schema = json.loads(verify("--schema", cwd=here).stdout)
    document = json.loads(verify("p.tcc", "--json", "--no-mend", cwd=here).stdout)
    document["objectives"][0]["runs"][0]["flows"][0]["goodput"] = 1.5
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(document, schema)


def test_github_points_at_the_requirement(here: Path):
    done = verify("p.tcc", "--format", "github", "--no-mend", cwd=here)
    lines = done.stdout.splitlines()
    assert lines[0] == "::notice file=p.tcc,line=6,title=holds::held"
    assert lines[1].startswith(
        "::error file=p.tcc,line=12,title=misses%2C 100%25 sure::"
        "egress goodput <= 1mbit: measured 9."
    )
    assert (len(lines), done.returncode) == (2, 1)


def test_junit_counts_verdicts(here: Path):
    done = verify("p.tcc", "--format", "junit", "--no-mend", cwd=here)
    root = ElementTree.fromstring(done.stdout)
    assert (root.get("tests"), root.get("failures")) == ("3", "1")
    assert [suite.get("failures") for suite in root] == ["0", "1"]
    (failure,) = root.iter("failure")
    assert "goodput <= 1mbit" in failure.get("message", "")
    first, *rest = (failure.text or "").strip().splitlines()
    assert first == failure.get("message")
    assert rest
    assert "\\x0a" not in done.stdout


def test_seeds_give_an_interval(here: Path):
    done = verify("p.tcc", "--repeat", "3", "--no-mend", "--jobs", "2", cwd=here)
    assert re.search(r"held +egress utilisation >= 80% .*95% sure: \S+ \.\. \S+", done.stdout)


def test_a_bound_inside_the_interval_is_noise(here: Path):
    document = json.loads(verify("p.tcc", "--json", "--repeat", "3", "--no-mend", cwd=here).stdout)
    row = document["objectives"][1]["requirements"][0]
    low, high = map(whole, row["interval"])
    assert low < high - 1
    text = POLICY.replace("goodput <= 1mbit", f"goodput <= {(low + high) // 2}bit")
    (here / "p.tcc").write_text(text)
    document = json.loads(verify("p.tcc", "--json", "--repeat", "3", "--no-mend", cwd=here).stdout)
    assert document["objectives"][1]["requirements"][0]["noisy"] is True


def whole(value: int | str) -> int:
    """Return an exact number without its fraction."""
    if isinstance(value, int):
        return value
    upper, lower = value.split("/")
    return int(upper) // int(lower)


def test_a_target_rounds_and_its_limits_are_found(here: Path):
    """sqm counts whole kbit/s: 10000500 bit/s become 10 Mbit/s, 0.995 of which TCP fills."""
    done = verify("p.tcc", "--target", "openwrt", "--json", "--no-mend", cwd=here)
    assert "sqm-rate-rounded" in done.stderr
    document = json.loads(done.stdout)
    framed = document["objectives"][0]["runs"][0]["directions"]["egress"]["framed"]
    assert document["target"] == "openwrt"
    assert framed * 8 // 2 <= 10_000_000 + 1538 * 8


def test_a_target_that_cannot_refuses(here: Path):
    (here / "p.tcc").write_text(POLICY.replace("10.0005mbit", "900bit"))
    done = verify("p.tcc", "--target", "openwrt", cwd=here)
    assert (done.returncode, done.stdout) == (2, "")
    assert "sqm-cannot" in done.stderr


@pytest.mark.parametrize("option", ["--target", "--verifier"])
def test_unknown_names_are_usage(option: str, here: Path):
    done = verify("p.tcc", option, "nobody", cwd=here)
    assert done.returncode == 2
    assert "`nobody`" in done.stderr


def computed(process: int) -> float:
    """Return the seconds of CPU that a process has used."""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def workers(process: int) -> list[int]:
    """Return the processes that a process started."""
    return [
        int(pid) for pid in Path(f"/proc/{process}/task/{process}/children").read_text().split()
    ]


def is_measuring(process: int, jobs: int) -> bool:
    """Whether all workers, or the process itself, have long been at it."""
    if jobs == 1:
        return computed(process) > 4
    return sum(computed(one) > 1 for one in workers(process)) == jobs


def interrupted(here: Path, *arguments: str) -> tuple[int, str]:
    """Start a run that would take hours, send the signal of Ctrl-C, return code and output."""
    process = subprocess.Popen(
        [*TCC, "verify", "long.tcc", *arguments],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=here,
    )  # fmt: skip
    give_up = time.monotonic() + 120  # a busy machine takes its time
    while not is_measuring(process.pid, int(arguments[1])) and time.monotonic() < give_up:
        time.sleep(0.1)
    process.send_signal(signal.SIGINT)
    out, said = process.communicate(timeout=60)
    assert said.endswith("interrupted: 0 of 2 runs came to their end\n")
    return process.returncode, out


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_ctrl_c_prints_what_was_measured(jobs: str, here: Path):
    code, out = interrupted(here, "--jobs", jobs)
    assert code == 130
    assert "(interrupted) after 2s of warm-up" in out
    assert "utilisation >= 80%" in out


def test_ctrl_c_while_changes_are_tried_keeps_what_was_measured(here: Path):
    text = POLICY.replace("goodput <= 1mbit", "sojourn p99 <= 20ms").replace(
        "tiers besteffort", "tiers besteffort; rtt 900ms"
    )
    (here / "p.tcc").write_text(text.replace("1 flow for 2s", "4 flows for 40s"))
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [*TCC, "verify", "p.tcc"], stdout=subprocess.PIPE, stderr=theirs, text=True, cwd=here
    )
    os.close(theirs)
    shown = b""
    while b"trying" not in shown:
        shown += os.read(ours, 4096)
    process.send_signal(signal.SIGINT)
    out, _ = process.communicate(timeout=60)
    os.close(ours)
    assert process.returncode == 130
    assert "MISSED  egress sojourn p99 <= 20ms" in out


def test_what_the_engine_has_no_model_for_is_refused(here: Path):
    (here / "p.tcc").write_text(
        POLICY.replace("under tcp_nup", "on bed\n    under tcp_nup")
        + "testbed bed { queues 1000 }\n"
    )
    done = verify("p.tcc", cwd=here)
    assert done.returncode == 2
    assert "error[not-built-yet]" in done.stderr


def test_files_without_objectives_pass_when_asked(here: Path):
    (here / "bare.tcc").write_text(POLICY[: POLICY.index("objective")])
    assert verify("bare.tcc", cwd=here).returncode == 2
    assert verify("bare.tcc", "--if-any", cwd=here).returncode == 0
    assert verify("bare.tcc", "p.tcc", "--if-any", "--no-mend", cwd=here).returncode == 1
    assert verify("bare.tcc", "p.tcc", "--json", cwd=here).returncode == 2


def test_progress_on_a_terminal_only(here: Path):
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [*TCC, "verify", "p.tcc", "--no-mend"], stdout=subprocess.DEVNULL, stderr=theirs, cwd=here
    )
    os.close(theirs)
    shown = b""
    while True:
        try:
            more = os.read(ours, 4096)
        except OSError:
            break
        if not more:
            break
        shown += more
    process.wait()
    os.close(ours)
    assert b"2 of 2 runs" in shown
    assert "runs" not in verify("p.tcc", "--no-mend", cwd=here).stderr
