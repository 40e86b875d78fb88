"""The engine against traces recorded from the kernel, compiled and interpreted."""

from __future__ import annotations

import gzip
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tcc.engine import replay
from tests.engine import traffic

ROOT = Path(__file__).parents[2]
TRACES = [
    str(ROOT / "tests" / "data" / name)
    for name in ("cake-vectors.json.gz", "cake-traffic-vectors.json.gz")
]


def run(arguments, engine=""):
    return subprocess.run(
        [sys.executable, "-m", *arguments],
        capture_output=True, text=True, check=False, cwd=ROOT,
        env=os.environ | {"TCC_ENGINE": engine},
    )  # fmt: skip


@pytest.mark.parametrize("engine", ["", pytest.param("interpreted", marks=pytest.mark.slow)])
def test_the_kernels_traces_are_reproduced(engine):
    result = run(["tcc.engine.replay", *TRACES], engine)
    assert (result.returncode, result.stderr) == (0, "")
    assert result.stdout.startswith("116 scenarios, 0 differ")


@pytest.fixture
def shaper():
    document = json.loads(gzip.decompress(Path(TRACES[0]).read_bytes()))
    return next(s for s in document["scenarios"] if s["name"] == "shaper-spacing") | {
        "flows": [{"tin": 0, "slot": 1, "rec": 0}]
    }


@pytest.mark.parametrize(
    ("place", "value", "message"),
    [
        (("steps", 5, "watchdog"), 7, "step 5 (deq at 1000000000): watchdog: the trace has 7"),
        (("steps", 0, "rc"), "cn", "step 0 (enq at 1000000000): rc: the trace has 'cn'"),
        (("steps", 6, "adj_len"), 1, "step 6 (deq at 1001000000): adj_len: the trace has 1"),
        (("final", "tnp"), 5, "final: tnp: the trace has 5, the engine 1005000000"),
        (("final", "tins", 0, "bytes"), 5, "final, tin 0: bytes: the trace has 5"),
        (("flows", 0, "rec"), 5, "final, tin 0 slot 1: rec: the trace has 5"),
    ],
)
def test_a_difference_is_found_and_named(shaper, place, value, message, tmp_path):
    target = shaper
    for key in place[:-1]:
        target = target[key]
    target[place[-1]] = value
    path = tmp_path / "trace.json"
    path.write_text(json.dumps({"scenarios": [shaper]}))
    result = run(["tcc.engine.replay", str(path)])
    assert result.returncode == 1
    assert message in result.stdout
    assert "1 scenarios, 1 differ" in result.stdout


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (None, "No such file"),
        (b"{", "not JSON"),
        (b"\xff\xfe", "not JSON"),
        (b"\x1f\x8b\x08", "gzip"),
        (b"\x1f\x8babcdefghijk", "gzip"),
        (b"{}", "no list of scenarios"),
        (b"3", "no list of scenarios"),
        (b'{"scenarios": [4]}', "a scenario is not an object"),
        (b'{"scenarios": [{}]}', "no config"),
        (b'{"scenarios": [{"config": {}, "steps": [1]}]}', "a step is not an object"),
        (b'{"scenarios": [{"config": {"mpu": 1, "rate_mpu": -1}, "steps": []}]}', "mpu is -1"),
        (b'{"scenarios": [{"config": {"flags": ["x"]}, "steps": []}]}', "unknown flag x"),
        (b'{"scenarios": [{"config": {"rate_bps": "x"}, "steps": []}]}', "invalid literal"),
        (b'{"scenarios": [{"config": {}, "steps": [{"op": "jump"}]}]}', "unknown kind 'jump'"),
        (b'{"scenarios": [{"config": {}, "steps": [{"op": "enq", "t": 1}]}]}', "no 'len'"),
        (b'{"scenarios": [{"config": {}, "steps": [{"op": "deq", "t": 1, "q": 9}]}]}', "step 0"),
        (
            b'{"scenarios": [{"config": {}, "steps": [{"op": "enq", "t": 1, "id": 1, "len": -1,'
            b' "hash": 1}]}]}',
            "step 0",
        ),
        (
            b'{"scenarios": [{"config": {}, "steps": [{"op": "enq", "t": 1, "id": 1, "len": 9,'
            b' "hash": 1, "raw": "zz"}]}]}',
            "step 0",
        ),
    ],
)
@pytest.mark.parametrize("engine", ["", "interpreted"])
def test_what_cannot_be_read_is_said_without_a_traceback(content, message, engine, tmp_path):
    path = tmp_path / "trace.json"
    if content is not None:
        path.write_bytes(content)
    result = run(["tcc.engine.replay", str(path)], engine)
    assert result.returncode == 2
    assert message in result.stderr
    assert "Traceback" not in result.stderr


@pytest.mark.slow
def test_random_traffic_is_the_same_compiled_interpreted_and_in_another_process():
    here = [traffic.digest(seed) for seed in range(40)]
    for engine in ("", "interpreted"):
        result = run(["tests.engine.traffic", "0", "40"], engine)
        assert result.returncode == 0, result.stderr
        assert [line.split()[-1] for line in result.stdout.splitlines()] == here


@pytest.mark.slow
def test_a_file_that_unpacks_to_fill_the_machine_is_refused(tmp_path):
    bomb = tmp_path / "bomb.json.gz"
    with gzip.open(bomb, "wb", compresslevel=1) as file:
        for _ in range(replay.LARGEST >> 20):
            file.write(bytes(1 << 20))
        file.write(b"0")
    assert bomb.stat().st_size < 2 << 20
    with pytest.raises(replay.UnreadableError, match="unpacks to more than 256 MiB"):
        replay.read(str(bomb))
