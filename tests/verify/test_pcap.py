"""Recordings: what Wireshark's programs make of them, against what the run itself counted."""

import json
import os
import signal
import struct
import subprocess
import sys
import time
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tcc import api, plugin
from tcc.cli.main import run
from tcc.source import Source
from tcc.verify.pcap import frames
from tcc.verify.scenario import Recording, Scenario
from tests.verify.packets import fields, program, tshark

POLICY = """
link wan {
    device "eth0"
    framing ethernet
    role router
    egress { bandwidth 5mbit; tiers diffserv4; fairness per-host; ack-filter on }
    ingress { bandwidth 10mbit; tiers diffserv4; fairness per-host }
}
workload busy {
    tcp upload 2 flows ecn from 2 hosts
    tcp download 2 flows
    udp upload 1 flow 400kbit each dscp cs1
    voip 1 call
    ping as probe
}
objective "busy" { under busy for 1s rtt 20ms; require egress goodput >= 1mbit }
"""
ZERO = 946_684_800
"""2000-01-01 00:00:00 UTC, in seconds since 1970."""


def scenario(text: str = POLICY) -> Scenario:
    made, found = api.scenarios(api.load(Source("x.tcc", text)), "reference")
    assert [one for one in found if one.severity.name == "ERROR"] == []
    return made[0]


def record(made: Scenario, path: Path, packets: int = 10**6) -> Any:
    order = Recording(str(path), str(path), 1, packets)
    return plugin.verifier("reference").measure(replace(made, recording=order), 1)


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Scenario, Any]:
    """A file, what it is of, and what the run measured."""
    path, made = tmp_path_factory.mktemp("pcap") / "busy.pcapng", scenario()
    return path, made, record(made, path)


def test_a_recorded_run_is_the_same_run(recorded: tuple[Path, Scenario, Any]):
    _, made, measured = recorded
    assert plugin.verifier("reference").measure(made, 1) == replace(measured, recorded=None)


def test_capinfos_is_content(recorded: tuple[Path, Scenario, Any]):
    path, _, measured = recorded
    said = subprocess.run(
        [program("capinfos"), "-M", path], capture_output=True, text=True, check=True
    ).stdout
    values = dict(line.split(":", 1) for line in said.splitlines() if ":" in line)
    assert int(values["Number of packets"]) == measured.recorded.kept == measured.recorded.seen
    assert values["Strict time order"].strip() == "True"
    assert values["File timestamp precision"].strip() == "nanoseconds (9)"
    assert values["Number of interfaces in file"].strip() == "4"
    assert "busy" in values["Capture comment"]
    for name in ("wan egress", "wan egress dropped", "wan ingress", "wan ingress dropped"):
        assert f"Name = {name}\n" in said


@pytest.mark.parametrize("direction", ["egress", "ingress"])
def test_counts_are_those_of_the_run(recorded: tuple[Path, Scenario, Any], direction: str):
    """What left the qdisc, in packets and bytes, what it dropped, what it marked."""
    path, made, measured = recorded
    one = measured.directions[direction]
    begin = ZERO + made.warmup // 10**9
    crossed = fields(
        path, "frame.time_epoch", "frame.len", "ip.dsfield.ecn", "frame.comment",
        where=f'frame.interface_name == "wan {direction}"',
    )  # fmt: skip
    timely = [row for row in crossed if float(row[0]) > begin]
    assert len(timely) == one.packets
    assert sum(int(row[1]) for row in timely) == one.octets
    marked = [row for row in timely if row[2] == "3"]
    assert len(marked) == one.marks
    assert (one.marks > 0) == (direction == "egress")
    said = [row for row in timely if "; ECN CE set by CAKE's AQM" in row[3]]
    assert said == marked
    dropped = fields(
        path, "frame.time_epoch", "frame.comment",
        where=f'frame.interface_name == "wan {direction} dropped"',
    )  # fmt: skip
    assert Counter(row[1].split("; ")[1].split(",")[0] for row in dropped) == one.reasons
    real = [row for row in dropped if float(row[0]) > begin and "ack_filter" not in row[1]]
    assert len(real) == one.drops
    assert one.reasons["congested" if direction == "ingress" else "ack_filter"] > 0


def test_comments_add_up_to_what_the_tins_counted(recorded: tuple[Path, Scenario, Any]):
    """Every packet that came to a tin left it, was dropped, or is still there."""
    path, _, measured = recorded
    tins = measured.directions["egress"].tins
    comments = [row[0] for row in fields(
        path, "frame.comment", where='frame.interface_name == "wan egress"')]  # fmt: skip
    left = Counter(comment.split(",")[0].removeprefix("tin ") for comment in comments)
    assert set(left) == {"Bulk", "Best Effort", "Voice"}
    for name, tin in tins.items():
        gone = left[name] + tin["drops"] + tin["ack_drops"]
        assert 0 <= tin["sent_packets"] - gone <= tin["backlog_bytes"] // 60
    waits = [float(comment.split("ms in the queue")[0].rsplit(" ", 1)[1]) for comment in comments]
    assert max(waits) > 1
    hosts = {part for comment in comments for part in comment.split(", ") if "host" in part}
    assert len(hosts) == 3, "two hosts of the uploads, one of all else"


def test_conversations_carry_the_goodput(recorded: tuple[Path, Scenario, Any]):
    """Payload on the wire is what arrived, but for what is repeated or still under way."""
    path, made, measured = recorded
    begin = ZERO + made.warmup // 10**9
    rows = tshark(path, "-q", "-z", f"conv,tcp,frame.time_epoch > {begin} and tcp.len > 0 and not "
                  'frame.interface_name contains "dropped"')  # fmt: skip
    found = {}
    for row in rows:
        words = row.split()
        if len(words) > 4 and words[1] == "<->":
            client = words[0] if words[0].startswith("10.") else words[2]
            count, octets, unit = int(words[-5]), int(words[-4]), words[-3]
            assert unit == "kB"
            found[int(client.split(":")[1]) - 10_000] = octets * 1000 - 66 * count
    for number, (flow, one) in enumerate(zip(made.flows, measured.flows, strict=True)):
        if flow.kind == "tcp":
            assert one.payload * 0.9 < found[number] < one.payload * 1.1
    assert len(found) == 4


def test_checksums_are_right(recorded: tuple[Path, Scenario, Any]):
    """tshark checks those of packets that are whole; payload that was left out is of zeros."""
    path, _, _ = recorded
    plain = tshark(
        path, "-o", "ip.check_checksum:TRUE", "-o", "tcp.check_checksum:TRUE",
        "-T", "fields", "-e", "ip.checksum.status", "-e", "tcp.checksum.status",
        "-Y", "tcp.len == 0",
    )  # fmt: skip
    assert set(plain) == {"1\t1"}
    assert len(plain) > 500
    for data, length in packets_of(path)[::7]:
        header = 14 + (data[14] & 15) * 4
        whole = data[header:] + bytes(length - len(data))
        protocol = data[23]
        if protocol != frames.ICMP:
            whole = data[26:34] + struct.pack("!HH", protocol, len(whole)) + whole
        assert added(whole) == 0xFFFF
        assert added(data[14:header]) == 0xFFFF


def added(data: bytes) -> int:
    """Return the ones' complement sum of 16-bit words, carry by carry (RFC 1071 section 4.1)."""
    total = 0
    for (word,) in struct.iter_unpack("!H", data + bytes(len(data) % 2)):
        total += word
        total = (total & 0xFFFF) + (total >> 16)
    return total


def packets_of(path: Path) -> list[tuple[bytes, int]]:
    """Return the bytes and the whole length of each packet of a pcapng file."""
    data, at, found = path.read_bytes(), 0, []
    while at < len(data):
        kind, length = struct.unpack_from("<II", data, at)
        assert struct.unpack_from("<I", data, at + length - 4) == (length,)
        if kind == 6:
            captured, whole = struct.unpack_from("<II", data, at + 20)
            found.append((data[at + 28 : at + 28 + captured], whole))
        at += length
    return found


def test_protocols_marks_and_ports(recorded: tuple[Path, Scenario, Any]):
    path, _, _ = recorded
    there = Counter(
        (row[0], row[1], row[2] or row[3])
        for row in fields(path, "ip.proto", "ip.dsfield.dscp", "udp.dstport", "icmp.type",
                          where='frame.interface_name == "wan egress" and not tcp')
    )  # fmt: skip
    assert set(there) == {("17", "8", "5201"), ("17", "46", "2112"), ("1", "0", "8")}
    back = {row[0] for row in fields(
        path, "icmp.type", where='frame.interface_name == "wan ingress" and icmp')}  # fmt: skip
    assert back == {"0"}


@pytest.mark.slow
def test_super_packets_are_one_frame_where_they_are_not_split(tmp_path: Path):
    text = (
        'link wan { device "eth0"; framing ethernet; role host; '
        "egress { bandwidth 100mbit; gso keep } }\n"
        'objective "one" { under tcp_nup 1 flow for 1s; require egress goodput >= 1mbit }\n'
    )
    measured = record(scenario(text), tmp_path / "keep.pcapng")
    rows = fields(tmp_path / "keep.pcapng", "frame.len", "ip.len", "tcp.len", "frame.comment",
                  where='frame.interface_name == "wan egress"')  # fmt: skip
    large = [row for row in rows if "super-packet" in row[3]]
    assert len(large) > 100
    for length, total, payload, comment in large:
        count = int(comment.split("super-packet of ")[1].split()[0])
        assert int(payload) == count * 1448
        assert int(length) == int(total) + 14 == int(payload) + 66
        assert f"{count * 1514} bytes on their own" in comment
    assert measured.recorded.kept == measured.recorded.seen


@pytest.mark.parametrize(
    ("shaping", "said"),
    [
        ("qdisc tbf { burst 4KiB; latency 25ms; inner bfifo }", "by overflow of the queue"),
        ("qdisc tbf { burst 4KiB; latency 500ms; inner fq_codel }", "by fq_codel's AQM"),
        ("memory 64KiB; rtt 10s", "by overflow of the queue"),
    ],
)
def test_it_is_said_who_dropped(tmp_path: Path, shaping: str, said: str):
    text = (
        f'link wan {{ device "eth0"; framing ethernet; egress {{ bandwidth 5mbit; {shaping} }} }}\n'
        'objective "full" { under tcp_nup 2 flows for 1s; require egress goodput >= 1mbit }\n'
    )
    made = scenario(text)
    measured = record(made, tmp_path / "x.pcapng")
    assert plugin.verifier("reference").measure(made, 1) == replace(measured, recorded=None)
    reasons = measured.directions["egress"].reasons
    rows = fields(tmp_path / "x.pcapng", "frame.comment",
                  where='frame.interface_name == "wan egress dropped"')  # fmt: skip
    assert len(rows) == sum(reasons.values()) > 0
    assert said in {row[0].removeprefix("dropped ").split(";")[0] for row in rows}


@pytest.mark.slow
def test_several_queues_and_a_host_that_is_ahead_keep_the_order(tmp_path: Path):
    text = (
        'link wan { device "eth0"; framing ethernet; role host;'
        " egress { bandwidth 100mbit; qdisc cake_mq } }\n"
        "testbed four { queues 4; nic 1gbit }\n"
        'objective "mq" { on four; under tcp_nup 4 flows for 1s;'
        " require egress goodput >= 1mbit }\n"
    )
    made = scenario(text)
    measured = record(made, tmp_path / "mq.pcapng")
    assert plugin.verifier("reference").measure(made, 1) == replace(measured, recorded=None)
    times = [float(row[0]) for row in fields(tmp_path / "mq.pcapng", "frame.time_relative")]
    assert times == sorted(times)
    assert measured.recorded.kept == len(times) > 10_000


# ------------------------------------------------------------------ the command


def written(folder: Path, text: str = POLICY) -> str:
    path = folder / "x.tcc"
    path.write_text(text)
    return str(path)


def verify(*arguments: str) -> int:
    return run(["verify", *arguments, "--no-mend"], "tcc")


@pytest.mark.slow
def test_the_same_seed_writes_the_same_bytes(tmp_path: Path):
    """Compiled and interpreted, in this process and in others; the first seed is recorded."""
    file = written(tmp_path)
    names = ("one", "two", "slow")
    for name, more in zip(names, (["--jobs", "1"], ["--repeat", "2", "--jobs", "2"]), strict=False):
        assert verify(file, "--pcap", str(tmp_path / f"{name}.pcapng"), *more) == 0
    words = ["verify", file, "--no-mend", "--pcap", str(tmp_path / "slow.pcapng")]
    subprocess.run(
        [sys.executable, "-c", "from tcc.cli.main import main; main()", *words],
        env={**os.environ, "TCC_ENGINE": "interpreted"}, check=True, capture_output=True,
    )  # fmt: skip
    one, two, slow = ((tmp_path / f"{name}.pcapng").read_bytes() for name in names)
    assert one == two
    assert one == slow
    assert not list(tmp_path.glob(".*"))


def test_each_objective_has_a_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    again = 'objective "again" { under busy for 1s rtt 20ms; require egress goodput >= 1mbit }\n'
    assert verify(written(tmp_path, POLICY + again), "--pcap", str(tmp_path / "out.pcapng")) == 0
    assert capsys.readouterr().err.splitlines() == [
        f"{tmp_path}/out-1.pcapng: busy", f"{tmp_path}/out-2.pcapng: again"
    ]  # fmt: skip
    assert (tmp_path / "out-1.pcapng").stat().st_size > 100_000
    assert (tmp_path / "out-2.pcapng").stat().st_size > 100_000


def test_a_file_is_bounded_and_says_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    out = tmp_path / "out.pcapng"
    assert verify(written(tmp_path), "--pcap", str(out), "--pcap-packets", "100") == 0
    said = capsys.readouterr().err
    assert said.startswith(f"{out}: the first 100 of ")
    assert len(tshark(out)) == 100
    told = subprocess.run(
        [program("capinfos"), "-c", "-M", out], capture_output=True, text=True, check=True
    )
    assert "100" in told.stdout


@pytest.mark.slow
def test_a_measurement_is_compared_with_a_recorded_prediction(tmp_path: Path):
    text = POLICY.replace("under busy", "under rrul")
    file, run_ = written(tmp_path, text), str(tmp_path / "run.flent.gz")
    verify(file, "--flent", run_)
    out = tmp_path / "out.pcapng"
    assert verify(file, "--from", run_, "--pcap", str(out)) == 0
    assert len(tshark(out, "-c", "100")) == 100


def test_where_it_cannot_be_written_nothing_is_run(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    file = written(tmp_path)
    (tmp_path / "folder.pcapng").mkdir()
    for path, reason in (
        (tmp_path / "nowhere" / "x.pcapng", "No such file or directory"),
        (tmp_path / "folder.pcapng", "not an ordinary file"),
    ):
        assert verify(file, "--pcap", str(path)) == 2
        told = capsys.readouterr()
        assert f"error[pcap-file]: {path}: {reason}" in told.err
        assert told.out == ""


def test_a_full_disk_is_told_and_leaves_what_was_there(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
):
    """The file may not grow beyond a limit that the system sets."""
    import resource

    file, out = written(tmp_path), tmp_path / "out.pcapng"
    out.write_bytes(b"before")
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, before[1]))
    try:
        assert verify(file, "--pcap", str(out), "--jobs", "1") == 2
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
        signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
    assert f"{out}: File too large" in capsys.readouterr().err
    assert out.read_bytes() == b"before"
    assert not list(tmp_path.glob(".*"))


@pytest.mark.slow
@pytest.mark.parametrize("more", [["--jobs", "1"], ["--repeat", "2", "--jobs", "2"]])
def test_an_interrupted_run_keeps_what_it_has(tmp_path: Path, more: list[str]):
    file = written(tmp_path, POLICY.replace("for 1s", "for 1h"))
    out = tmp_path / "out.pcapng"
    words = ["verify", file, "--no-mend", "--pcap", str(out), *more]
    with subprocess.Popen(
        [sys.executable, "-c", "from tcc.cli.main import main; main()", *words],
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    ) as process:  # fmt: skip
        deadline = time.monotonic() + 60
        while not any(one.stat().st_size > 10**5 for one in tmp_path.glob(".out*")):
            assert time.monotonic() < deadline
            time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        assert process.wait(60) == 130
    times = [float(row[0]) for row in fields(out, "frame.time_relative")]
    assert len(times) > 100
    assert times == sorted(times)
    assert not list(tmp_path.glob(".out*"))


def test_what_is_not_predicted_is_not_recorded(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
):  # fmt: skip
    file, out = written(tmp_path), tmp_path / "out.pcapng"
    assert verify(file, "--pcap", str(out), "--verifier", "kernel") == 2
    assert "error[pcap-verifier]" in capsys.readouterr().err
    for words in (["--pcap", "out.pcap"], ["--pcap", "-"], ["--pcap-packets", "5"]):
        assert verify(file, *words) == 2
    assert verify(file, file, "--pcap", str(out)) == 2
    assert not out.exists()


def test_json_is_the_same_with_and_without(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    file = written(tmp_path)
    verify(file, "--json")
    plain = json.loads(capsys.readouterr().out)
    verify(file, "--json", "--pcap", str(tmp_path / "out.pcapng"))
    assert json.loads(capsys.readouterr().out) == plain
