"""`tcc status` on this machine's kernel: rates, drift, forms, and what it does in trouble."""

import json
import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import jsonschema
import pytest
from prometheus_client.openmetrics.parser import text_string_to_metric_families
from prometheus_client.parser import text_string_to_metric_families as older_families

from tcc.status.model import json_schema
from tests.apply.ingress_world import POLICY, World

ROOT = Path(__file__).parents[2]
BOTH = POLICY.format("wan")
SENDER = """
import socket, sys, time
one = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
end = time.monotonic() + float(sys.argv[2])
while time.monotonic() < end:
    one.sendto(b"x" * 1000, (sys.argv[1], 9))
    time.sleep(0.001)
"""


@pytest.fixture
def world(netns, tmp_path):
    return World(netns, tmp_path / "state")


@pytest.fixture
def status(world, tmp_path):
    """Run `tcc status`, or start it."""

    def run(*words, start=False, netns=world.here.name):
        command = [sys.executable, "-m", "tcc", "status", *words, "--netns", netns]
        env = {**os.environ, "TCC_STATE_DIR": str(tmp_path / "state")}
        if start:
            return subprocess.Popen(
                command, cwd=ROOT, env=env, text=True, stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
            )  # fmt: skip
        return subprocess.run(
            command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False,
            cwd=ROOT, env=env,
        )  # fmt: skip

    return run


def document(done):
    found = json.loads(done.stdout)
    jsonschema.validate(found, json_schema())
    return found


def test_where_nothing_is_there_is_nothing_to_tell(status):
    done = status("--interval", "0s")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == "Nothing shapes here.\n\nNothing was applied here.\n"


def test_what_was_applied_is_told_by_link_and_direction(world, status):
    world.apply(BOTH)
    found = document(status("--json", "--interval", "0s"))
    assert found["drift"]["state"] == "none"
    assert [
        (one["link"], one["direction"], one["device"], one["on"], one["root"]["bandwidth_bit_s"])
        for one in found["shapers"]
    ] == [
        ("", "egress", "wan", "wan", 30_000_000),
        ("", "ingress", "wan", "ifb-wan", 20_000_000),
    ]  # the link's name is the command's to record
    assert found["shapers"][1]["redirect"]["state"] == "ok"


def test_numbers_are_those_of_tc(world, status):
    """The kernel sends packets of its own: until tc says the same before and after."""
    world.apply(BOTH)
    world.here.run(sys.executable, "-c", SENDER, "10.8.0.2", "0.3")
    for _ in range(5):
        shown = world.here.json("tc", "-s", "-j", "qdisc", "show")
        found = document(status("--json", "--interval", "0s"))
        if world.here.json("tc", "-s", "-j", "qdisc", "show") == shown:
            break
    theirs = {(one["dev"], one.get("parent", "root")): one for one in shown}
    compared = 0
    for shaper in found["shapers"]:
        for one in (shaper["root"], *shaper["parts"]):
            told = theirs[shaper["on"], one["at"]]
            assert (one["sent_bytes"], one["sent_packets"]) == (told["bytes"], told["packets"])
            assert one["dropped_packets"] == told["drops"]
            compared += told["packets"]
    assert compared > 100


def test_a_rate_is_what_passed_in_the_interval(world, status):
    world.apply(BOTH)
    sender = subprocess.Popen(
        ["ip", "netns", "exec", world.here.name, sys.executable, "-c", SENDER, "10.8.0.2", "20"]
    )
    try:
        time.sleep(0.5)
        found = document(status("--json", "--interval", "2s"))
    finally:
        sender.kill()
        sender.wait()
    assert 1.9e9 < found["interval_ns"] < 4e9
    root = found["shapers"][0]["root"]
    assert 100 < root["packets_s"] < 1100  # a packet each ms at most
    size = 1000 + 8 + 20 + 14  # UDP, IPv4, Ethernet
    assert abs(root["rate_bit_s"] / 8 / size - root["packets_s"]) < 0.02 * root["packets_s"]


def test_drift_is_listed_and_is_the_exit_code(world, status):
    world.apply(BOTH)
    words = "tc qdisc change dev wan root handle 1: tbf rate 5mbit burst 9k limit 50k"
    world.here.run(*words.split())
    done = status("--interval", "0s")
    assert done.returncode == 1
    assert "wan: rate 30mbit is now 5mbit" in done.stdout
    assert status("--metrics").stdout.count("\ntcc_drifted 1\n") == 1


def test_a_qdisc_that_somebody_replaced_is_drift(world, status):
    world.apply(BOTH)
    world.here.run(*"tc qdisc replace dev wan root handle 77: pfifo".split())  # noqa: SIM905
    found = document(status("--json", "--interval", "0s"))
    assert found["drift"]["state"] == "drifted"
    assert {
        "device": "wan",
        "at": "root",
        "what": "",
        "wanted": "tbf 1:",
        "found": "pfifo 77:",
    } in (found["drift"]["changes"])


def test_an_ifb_that_is_gone_is_said_to_lose_everything(world, status):
    world.apply(BOTH)
    world.here.run("ip", "link", "delete", "ifb-wan")
    done = status("--interval", "0s")
    assert done.returncode == 1
    assert "everything that comes in is lost" in done.stdout


def test_an_ifb_made_anew_does_not_pass_for_the_old_one(world, status):
    world.apply(BOTH)
    world.here.run("ip", "link", "delete", "ifb-wan")
    world.here.run(*"ip link add ifb-wan type ifb".split())  # noqa: SIM905
    world.here.run(*"ip link set ifb-wan up".split())  # noqa: SIM905
    assert "everything that comes in is lost" in status("--interval", "0s").stdout


def test_an_ifb_that_is_down_is_seen_by_the_counters(world, status):
    world.apply(BOTH)
    world.here.run(*"ip link set ifb-wan down".split())  # noqa: SIM905
    sender = subprocess.Popen(
        ["ip", "netns", "exec", world.there.name, sys.executable, "-c", SENDER, "10.8.0.1", "20"]
    )
    try:
        time.sleep(0.5)
        done = status("--interval", "1s")
    finally:
        sender.kill()
        sender.wait()
    assert done.returncode == 1  # up: yes is now no
    assert "PACKETS ARE REDIRECTED AND NONE ARRIVES" in done.stdout


def test_both_parsers_take_the_metrics(world, status):
    world.apply(BOTH)
    text = status("--metrics").stdout
    families = {one.name: one for one in text_string_to_metric_families(text)}
    assert families["tcc_qdisc_sent_bytes"].type == "counter"
    assert families["tcc_qdisc_sent_bytes"].unit == "bytes"
    assert families["tcc_redirect_ok"].samples[0].value == 1
    older = {sample.name for one in older_families(text) for sample in one.samples}
    newer = {sample.name for one in families.values() for sample in one.samples}
    assert older == newer


def test_a_file_is_written_whole_and_readable(world, status, tmp_path):
    world.apply(BOTH)
    file = tmp_path / "tcc.prom"
    assert status("--metrics", "-o", str(file)).returncode == 0
    assert file.read_text().endswith("# EOF\n")
    assert file.stat().st_mode & 0o777 == 0o644
    assert [one.name for one in tmp_path.iterdir() if one.name.endswith(".prom")] == ["tcc.prom"]


def test_a_folder_that_is_not_there_is_said(status):
    done = status("--metrics", "-o", "/nonexistent/tcc.prom")
    assert done.returncode == 2
    assert "/nonexistent/tcc.prom" in done.stderr
    assert "Traceback" not in done.stderr


def fetch(address, accept="application/openmetrics-text"):
    request = Request(address, headers={"Accept": accept})
    with urlopen(request, timeout=10) as answer:
        return answer.headers["Content-Type"], answer.read().decode()


def test_metrics_are_served_on_loopback(world, status):
    world.apply(BOTH)
    with status("--listen", "127.0.0.1:0", start=True) as server:
        try:
            line = server.stderr.readline()
            address = line.split()[-1]
            assert address.startswith("http://127.0.0.1:")
            kind, text = fetch(address)
            assert kind.startswith("application/openmetrics-text; version=1.0.0")
            assert len(list(text_string_to_metric_families(text))) > 8
            assert fetch(address, "text/plain")[0].startswith("text/plain; version=0.0.4")
            with pytest.raises(HTTPError, match="404"):
                fetch(address.replace("/metrics", "/etc"))
            port = int(address.rpartition(":")[2].split("/")[0])
            with socket.create_connection(("127.0.0.1", port)) as rude:
                rude.send(b"\x00\xff nonsense\r\n\r\n")
                rude.recv(100)
            assert fetch(address)[1].endswith("# EOF\n")  # it is still there
        finally:
            server.send_signal(signal.SIGINT)
        assert server.wait(10) == 0


@pytest.mark.parametrize(
    "words", ["nowhere.example:9469", "127.0.0.1", "127.0.0.1:99999", "9" * 5000]
)
def test_an_address_that_is_none_is_wrong_usage(status, words):
    done = status("--listen", words)
    assert done.returncode == 2
    assert "Traceback" not in done.stderr


def test_following_as_json_is_a_document_a_line(world, status):
    world.apply(BOTH)
    with status("--follow", "--json", "--interval", "200ms", start=True) as following:
        try:
            lines = [json.loads(following.stdout.readline()) for _ in range(3)]
        finally:
            following.send_signal(signal.SIGINT)
        assert following.wait(10) == 0
    assert lines[0]["interval_ns"] is None
    for one in lines[1:]:
        jsonschema.validate(one, json_schema())
        assert 1.9e8 < one["interval_ns"] < 2e9


def test_a_device_by_name_and_one_that_is_not_there(world, status):
    world.apply(BOTH)
    found = document(status("ifb-wan", "--json", "--interval", "0s"))
    assert [one["on"] for one in found["shapers"]] == ["ifb-wan"]
    done = status("eth7", "--interval", "0s")
    assert done.returncode == 2
    assert "eth7" in done.stderr


def test_the_schema_is_the_published_one():
    done = subprocess.run(
        [sys.executable, "-m", "tcc", "status", "--schema"],
        capture_output=True, text=True, check=True, cwd=ROOT,
    )  # fmt: skip
    assert json.loads(done.stdout) == json.loads((ROOT / "docs/status.schema.json").read_text())
    jsonschema.Draft202012Validator.check_schema(json.loads(done.stdout))


def test_a_damaged_state_is_unknown_and_no_traceback(world, status, tmp_path):
    world.apply(BOTH)
    [owned] = (tmp_path / "state").glob("*/owned")
    owned.write_bytes(b"\xff garbage")
    done = status("--interval", "0s")
    assert done.returncode == 1
    assert "cannot be told" in done.stdout
    assert "Traceback" not in done.stderr
