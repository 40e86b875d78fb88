"""flent's data files: what the real flent makes of ours, and what we make of others'."""

import bz2
import gzip
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from tcc import api
from tcc.cli.main import cli
from tcc.diagnostics import Diagnostic
from tcc.source import Source
from tcc.verify.flent.against import match, measured_run
from tcc.verify.flent.names import test_of as flent_test_of
from tcc.verify.flent.reading import LARGEST_FILE, LARGEST_TEXT, DataFile, read_file
from tcc.verify.scenario import Scenario

LINK = """
link wan {
    device "eth0"
    framing ethernet
    egress { bandwidth 4mbit; tiers diffserv4 }
    ingress { bandwidth 8mbit; tiers diffserv4 }
}
"""
UPLOADS = (
    'objective "two ways up" { under tcp_nup 2 flows for 4s rtt 20ms;'
    " require ping induced-latency p95 <= 100ms }\n"
)
RRUL = 'objective "all at once" { under rrul for 4s rtt 20ms; require egress goodput >= 1mbit }\n'


def tcc(*arguments: str) -> Result:
    return CliRunner().invoke(cli, list(arguments), standalone_mode=False)


def scenarios(text: str) -> list[Scenario]:
    made, found = api.scenarios(api.load(Source("x.tcc", LINK + text)), "reference")
    assert [one for one in found if one.severity.name == "ERROR"] == []
    return list(made)


def predicted(folder: Path, text: str, name: str = "x.flent.gz") -> tuple[dict[str, Any], Path]:
    """Return the document and the data file of one run."""
    policy, out = folder / "x.tcc", folder / name
    policy.write_text(LINK + text)
    done = tcc("verify", str(policy), "--no-mend", "--jobs", "1", "--json", "--flent", str(out))
    assert done.exception is None, done.output
    return json.loads(done.stdout), out


# ------------------------------------------------------------------ what is written


def test_names_are_those_of_flents_tests():
    (rrul, be, up, down, both, calls) = scenarios(
        RRUL
        + 'objective "be" { under rrul_be for 1s; require egress goodput >= 1mbit }\n'
        + UPLOADS
        + 'objective "down" { under tcp_ndown 1 flow for 1s; require ingress goodput >= 1mbit }\n'
        + 'objective "both" { under tcp_ndown 1 flow + tcp_nup 2 flows + voip for 1s;'
        + " require ingress goodput >= 1mbit }\n"
        + 'objective "calls" { under voip 2 flows for 1s; require voip latency max <= 1s }\n'
    )
    marks = ("BE", "BK", "CS5", "EF")
    assert flent_test_of(rrul).series == (
        *(f"TCP upload {mark}" for mark in marks),
        *(f"TCP download {mark}" for mark in marks),
        "Ping (ms) UDP EF", "Ping (ms) UDP BK", "Ping (ms) UDP BE", "Ping (ms) ICMP",
    )  # fmt: skip
    assert flent_test_of(be).series[3:5] == ("TCP upload BE4", "TCP download BE")
    assert flent_test_of(up) == (
        "tcp_nup", ("TCP upload::1", "TCP upload::2", "Ping (ms) ICMP"), {"upload_streams": "2"},
    )  # fmt: skip
    assert flent_test_of(down).name == "tcp_ndown"
    assert flent_test_of(both) == (
        "rrul_be_nflows",
        ("TCP download BE::1", "Ping (ms) ICMP", "TCP upload BE::1", "TCP upload BE::2",
         "Ping (ms) ICMP::2", "Ping (ms) VoIP"),
        {"upload_streams": "2", "download_streams": "1"},
    )  # fmt: skip
    assert flent_test_of(calls) == ("ping", ("Ping (ms) VoIP", "Ping (ms) VoIP::2"), {})


def test_what_is_written_is_what_was_measured(tmp_path: Path):
    document, path = predicted(tmp_path, UPLOADS)
    (objective,) = document["objectives"]
    found = json.loads(gzip.decompress(path.read_bytes()))
    series = objective["runs"][0]["series"]
    assert found["x_values"] == [round(0.2 * at, 1) for at in range(1, 21)]
    for number, name in enumerate(("TCP upload::1", "TCP upload::2")):
        rates = [octets * 8 / 0.2 / 1e6 for octets in series["flows"][number]["payload"]]
        assert found["results"][name] == pytest.approx(rates, abs=1e-6)
    goodput = sum(one["goodput"] for one in objective["runs"][0]["flows"]) / 1e6
    total = found["results"]["TCP upload sum"]
    assert sum(total) / len(total) == pytest.approx(goodput, abs=1e-5)
    pings = [None if one is None else one / 1e6 for one in series["flows"][2]["round_trip"]["mean"]]
    assert found["results"]["Ping (ms) ICMP"] == pings
    assert found["metadata"]["NAME"] == "tcp_nup"
    assert "predicted by tcc" in found["metadata"]["NOTE"]
    assert "emergent, seed 1" in found["metadata"]["NOTE"]


def test_several_objectives_are_several_files(tmp_path: Path):
    document, _ = predicted(tmp_path, UPLOADS + RRUL, "x.flent")
    assert len(document["objectives"]) == 2
    names = [json.loads((tmp_path / f"x-{number}.flent").read_text())["metadata"]["NAME"]
             for number in (1, 2)]  # fmt: skip
    assert names == ["tcp_nup", "rrul"]
    assert not (tmp_path / "x.flent").exists()


def test_the_same_run_gives_the_same_file(tmp_path: Path):
    (tmp_path / "again").mkdir()
    _, one = predicted(tmp_path, UPLOADS)
    _, other = predicted(tmp_path / "again", UPLOADS)
    assert one.read_bytes() == other.read_bytes()


def test_a_name_that_flent_would_not_know_is_refused(tmp_path: Path):
    policy = tmp_path / "x.tcc"
    policy.write_text(LINK + UPLOADS.replace("4s", "200ms"))
    done = CliRunner().invoke(cli, ["verify", str(policy), "--flent", str(tmp_path / "x.json")])
    assert done.exit_code == 2
    assert "end in .flent.gz or .flent" in done.output


# ------------------------------------------------------------------ the real flent


@pytest.fixture(scope="module")
def fonts(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder in which matplotlib keeps what it has found out about fonts."""
    return tmp_path_factory.mktemp("fonts")


def flent(folder: Path, fonts: Path, *arguments: str) -> str:
    """Run flent in a folder of its own; a machine without it fails, and is told what to do."""
    found = shutil.which(
        "flent", path=f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    )
    if found is None:
        pytest.fail("no flent is installed: make -B dev, or pip install flent matplotlib", False)
    done = subprocess.run(
        [found, *arguments],
        capture_output=True, text=True, check=False, cwd=folder,
        env={**os.environ, "HOME": str(folder), "MPLBACKEND": "agg", "MPLCONFIGDIR": str(fonts)},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "Traceback" not in done.stderr
    return done.stdout


@pytest.mark.slow
def test_flent_prints_our_figures(tmp_path: Path, fonts: Path):
    """The means that flent prints, to two digits, are the goodputs and round trips of the run."""
    document, path = predicted(tmp_path, RRUL)
    (objective,) = document["objectives"]
    lines = flent(tmp_path, fonts, "-f", "summary", str(path)).splitlines()
    row = re.compile(r" (.+?) +: +([0-9.]+) +([0-9.]+|N/A) +([0-9.]+|N/A) (\S+) +(\d+)$")
    printed = {found[1]: found for line in lines if (found := row.match(line))}
    assert any("all at once" in line for line in lines)
    flows = objective["runs"][0]["flows"]
    (scenario,) = scenarios(RRUL)
    for name, about, one in zip(
        flent_test_of(scenario).series, objective["flows"], flows, strict=True
    ):
        mean, unit, points = float(printed[name][2]), printed[name][5], int(printed[name][6])
        if about["kind"] == "tcp":
            assert (unit, points) == ("Mbits/s", 20)
            assert mean == pytest.approx(one["goodput"] / 1e6, abs=0.006)
        else:
            assert unit == "ms"
            assert mean == pytest.approx(one["round_trip"]["mean"] / 1e6, rel=0.01)
    ups = sum(one["goodput"] for about, one in zip(objective["flows"], flows, strict=True)
              if about["direction"] == "egress")  # fmt: skip
    assert float(printed["TCP upload sum"][2]) == pytest.approx(ups / 1e6, abs=0.006)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("text", "plots"),
    [(RRUL, ("all_scaled", "ping_cdf")), (UPLOADS, ("totals",))],
)
def test_flent_plots_it(tmp_path: Path, fonts: Path, text: str, plots: tuple[str, ...]):
    _, path = predicted(tmp_path, text)
    for plot in plots:
        picture = tmp_path / f"{plot}.png"
        flent(tmp_path, fonts, "-p", plot, "-o", str(picture), str(path))
        assert picture.read_bytes().startswith(b"\x89PNG")
        assert picture.stat().st_size > 10_000  # axes alone take less


# ------------------------------------------------------------------ what others measured


def as_measured(**changes: Any) -> dict[str, Any]:
    """Return a test of 20 s between two times 5 s of pings alone, as flent makes them.

    Two uploads of 1 and 2 Mbit/s that take until second 10 to get there, pings of 30 ms without
    load and of 40 ms with it.
    """
    times = [round(0.2 * at, 1) for at in range(151)]

    def loaded(rate: float) -> list[float | None]:
        return [
            None if not 5 <= time <= 25 else rate * (0.5 if time < 9 else 1.0) for time in times
        ]

    found = {
        "version": 4,
        "metadata": {
            "NAME": "tcp_nup", "TITLE": "attic", "LENGTH": 20, "TOTAL_LENGTH": 30,
            "FLENT_VERSION": "2.1.1",
        },
        "x_values": times,
        "results": {
            "TCP upload::1": loaded(1.0),
            "TCP upload::2": loaded(2.0),
            "TCP upload::2::tcp_cwnd": loaded(9.0),
            "TCP upload sum": loaded(3.0),
            "Ping (ms) ICMP": [40.0 if 5 < time <= 25 else 30.0 for time in times],
        },
        "raw_values": {},
    }  # fmt: skip
    return {**found, **changes}


def stored(folder: Path, found: Any, name: str = "run.flent.gz") -> Path:
    path = folder / name
    data = json.dumps(found).encode()
    packed = {".gz": gzip.compress, ".bz2": bz2.compress}.get(path.suffix, bytes)(data)
    path.write_bytes(packed)
    return path


@pytest.mark.parametrize("name", ["run.flent", "run.flent.gz", "run.flent.bz2"])
def test_a_measurement_is_read(tmp_path: Path, name: str):
    data = read_file(str(stored(tmp_path, as_measured(), name)))
    assert isinstance(data, DataFile)
    assert (data.test, data.version, data.length, data.total) == ("tcp_nup", "2.1.1", 20, 30)


def test_a_measurement_by_hand(tmp_path: Path):
    """The load runs from second 5 to 25; two seconds of warm-up: until 9 of 18 s it is half.

    So 10 of the 90 values after second 7 are half, and the mean is 85/90 of the rate.
    """
    data = read_file(str(stored(tmp_path, as_measured())))
    (scenario,) = scenarios(UPLOADS)
    assert isinstance(data, DataFile)
    assert match([scenario], data) is scenario
    run = measured_run(scenario, data, 1)
    assert run.measured.duration == 18_000_000_000
    one, two, ping = run.measured.flows
    halves = sum(1 for time in data.times if 7 < time < 9)
    assert halves == 9
    assert one.goodput == pytest.approx(1e6 * (90 - halves / 2) / 90, abs=1)
    assert two.goodput == pytest.approx(2 * one.goodput, abs=2)
    assert ping.round_trip.median == 40_000_000
    assert run.scenario.rtt == 30_000_000
    assert [(one.measured, one.holds) for one in run.verdicts] == [(10_000_000, True)]
    series = run.measured.series
    assert series is not None
    first, _, pings = series.flows
    assert first.payload == (12_500,) * 9 + (25_000,) * 81  # 0.5 and 1 Mbit/s for 200 ms
    assert pings.round_trip is not None
    assert (pings.round_trip.samples, set(pings.round_trip.mean)) == ((1,) * 90, {40_000_000})


def test_prediction_and_measurement_side_by_side(tmp_path: Path):
    policy = tmp_path / "x.tcc"
    policy.write_text(LINK + UPLOADS)
    path = stored(tmp_path, as_measured())
    done = tcc("verify", str(policy), "--no-mend", "--from", str(path))
    assert done.return_value == 1  # 2.9 of the predicted 3.7 Mbit/s
    assert "flent: measured, tcp_nup by flent 2.1.1: attic" in done.stdout
    assert re.search(r"egress goodput +3\.\d+mbit +2\.85mbit +outside the band", done.stdout)
    assert re.search(r"TCP upload::1 +1\.\d+mbit +950kbit +\+\d+\.\d%", done.stdout)
    assert re.search(r"Ping \(ms\) ICMP, added median +[\d.]+ms +10ms", done.stdout)


def test_prediction_and_measurement_on_a_page(tmp_path: Path):
    policy, page = tmp_path / "x.tcc", tmp_path / "x.html"
    policy.write_text(LINK + UPLOADS)
    path = stored(tmp_path, as_measured())
    tcc("verify", str(policy), "--no-mend", "--from", str(path), "--report", str(page))
    text = page.read_text(encoding="utf-8")
    assert "<h1>Predicted and measured</h1>" in text
    charts = json.loads(re.findall(r'<script id="data"[^>]*>(.*?)</script>', text)[0])
    (goodput,) = [one for one in charts if one["key"] == "o0-egress-goodput"]
    unit = {"Mbit/s": 1e6, "kbit/s": 1e3}[goodput["unit"]]
    rates = [value * unit / 1000 for value in goodput["lines"][1]["values"]]
    assert rates == [1.5e6] * 9 + [3e6] * 81


def test_our_own_file_is_inside_the_bands(tmp_path: Path):
    _, path = predicted(tmp_path, UPLOADS.replace("4s", "10s"))
    policy = tmp_path / "x.tcc"
    done = tcc("verify", str(policy), "--no-mend", "--from", str(path))
    assert done.return_value == 0, done.stdout
    as_json = tcc("verify", str(policy), "--no-mend", "--from", str(path), "--json")
    document = json.loads(as_json.stdout)
    assert [one["verifier"] for one in document["objectives"]] == ["reference", "flent"]
    assert document["objectives"][1]["runs"][0]["basis"] == "measured"


def refused(folder: Path, path: Path, text: str = UPLOADS) -> str:
    policy = folder / "x.tcc"
    policy.write_text(LINK + text)
    done = tcc("verify", str(policy), "--no-mend", "--from", str(path))
    assert done.return_value == 2, done.output
    return done.output


def test_a_measurement_of_another_load(tmp_path: Path):
    path = stored(tmp_path, as_measured())
    more = refused(tmp_path, path, UPLOADS.replace("2 flows", "4 flows"))
    assert "error[flent-other-load]" in more
    assert "no series `TCP upload::3`, `TCP upload::4`" in more
    fewer = refused(tmp_path, path, UPLOADS.replace("2 flows", "1 flow"))
    assert "it has 1 transfers more" in fewer
    other = refused(tmp_path, path, RRUL + UPLOADS.replace("tcp_nup 2 flows", "rrul_be"))
    assert "it is of `tcp_nup`, and the objectives are of rrul, rrul_be" in other


BAD = {
    "not JSON": (b"{", "it is not JSON"),
    "not text": (b"\xff\xfe", "it is not JSON"),
    "a list": (b"[]", "not an object"),
    "deep": (b"[" * 100_000, "no program of good will"),
    "a number": (b'{"a":' + b"9" * 5000 + b"}", "no program of good will"),
    "cut gzip": (gzip.compress(bytes(range(256)) * 9)[:-30], "it is cut short"),
    "bad gzip": (gzip.compress(b"{}" * 99)[:12] + b"x" * 40, "compression is broken"),
    "cut bzip2": (bz2.compress(b"{}" * 99)[:-9], "it is cut short"),
    "bad bzip2": (b"BZh9" + b"x" * 40, "compression is broken"),
    "empty": (b"", "it is not JSON"),
}


@pytest.mark.parametrize("name", BAD)
def test_files_that_hold_nothing(tmp_path: Path, name: str):
    data, words = BAD[name]
    path = tmp_path / "bad.flent.gz"
    path.write_bytes(data)
    text = refused(tmp_path, path)
    assert "error[flent-unreadable]" in text
    assert words in text


@pytest.mark.slow
def test_bombs_end_at_the_bound(tmp_path: Path):
    path = tmp_path / "bomb.flent.gz"
    zeros = b"0" * (1 << 20)
    with gzip.open(path, "wb", compresslevel=1) as file:
        for _ in range((LARGEST_TEXT >> 20) + 9):
            file.write(zeros)
    assert path.stat().st_size < 1 << 20
    assert "unpacks to more than 128 MiB" in refused(tmp_path, path)
    path.write_bytes(b"")
    os.truncate(path, LARGEST_FILE + 1)
    assert "larger than 32 MiB" in refused(tmp_path, path)


NAN, HUGE = float("nan"), 1e300


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"version": 5}, "its format is not one of"),
        ({"version": [4]}, "its format is not one of"),
        ({"metadata": []}, "no `metadata`"),
        ({"results": None}, "no `results`"),
        ({"x_values": None}, "no `x_values`"),
        ({"x_values": []}, "no `x_values`"),
        ({"x_values": ["0"] * 151}, "not all numbers"),
        ({"x_values": [NAN] * 151}, "not all numbers"),
        ({"x_values": [True] * 151}, "not all numbers"),
        ({"x_values": [1] * 151}, "do not ascend"),
        ({"x_values": [-1, *range(150)]}, "do not ascend"),
        ({"results": {"TCP upload::1": 5}}, "has not 151 values"),
        ({"results": {"TCP upload::1": [1.0]}}, "has not 151 values"),
        ({"results": {"\x1b[31m": [1.0]}}, "`\\x1b[31m` has not"),
        ({"results": {"a": ["x"] * 151}}, "something else than numbers"),
        ({"results": {"a": [HUGE] * 151}}, "something else than numbers"),
        ({"results": {"a": [[]] * 151}}, "something else than numbers"),
        ({"results": {str(at): [] for at in range(2001)}}, "more than 2000 series"),
    ],
)
def test_wrong_shapes(tmp_path: Path, changes: dict[str, Any], words: str):
    found = read_file(str(stored(tmp_path, as_measured(**changes))))
    assert isinstance(found, Diagnostic)
    assert (found.code, words in found.message) == ("flent-unreadable", True), found.message


@pytest.mark.parametrize(
    "metadata", [{}, {"NAME": 5}, {"LENGTH": "20"}, {"LENGTH": -1, "TOTAL_LENGTH": NAN}]
)
def test_metadata_may_lack_anything(tmp_path: Path, metadata: dict[str, Any]):
    found = read_file(str(stored(tmp_path, as_measured(metadata=metadata))))
    assert isinstance(found, DataFile)
    assert (found.length, found.total) == (None, 30.0)
    (scenario,) = scenarios(UPLOADS)
    assert measured_run(scenario, found, 1).measured.duration == 28_000_000_000


def test_a_file_that_is_not_there(tmp_path: Path):
    assert "cannot read it: No such file" in refused(tmp_path, tmp_path / "no.flent.gz")


def test_series_that_are_empty_are_compared_as_nothing(tmp_path: Path):
    nothing = {name: [None] * 151 for name in ("TCP upload::1", "TCP upload::2", "Ping (ms) ICMP")}
    found = read_file(str(stored(tmp_path, as_measured(results=nothing))))
    assert isinstance(found, DataFile)
    (scenario,) = scenarios(UPLOADS)
    run = measured_run(scenario, found, 1)
    assert [one.goodput for one in run.measured.flows] == [0, 0, 0]
    assert run.scenario.rtt == scenario.rtt
    assert run.verdicts == ()
