"""The moments of a row: what is taken and what is refused, and what the engine does at them."""

from __future__ import annotations

import json
import re
from copy import deepcopy
from typing import Any

import pytest

from tcc.experiments.kernel_tcp import build
from tcc.experiments.kernel_tcp_moments import measured
from tcc.experiments.kernel_tcp_report import report

MARKS = (0, 8, 40, 46)
ROW = {
    "kind": "rrul", "qdisc": "cake_ds3", "rate_mbit": 100.0, "rtt_ms": 10.0, "flows": 8,
    "cc": "cubic", "ecn": 2, "seconds": 1,
}  # fmt: skip


def starts() -> dict[str, Any]:
    """Return moments of four pairs that begin at ticks 40 to 43 and 51 to 54."""
    streams = []
    for number, dscp in enumerate(MARKS):
        tick = 40_000 + 1000 * number
        common = {"dscp": dscp, "connects_us": 29_700 + 54 * number, "turns_us": [54_013]}
        streams += [
            common | {
                "direction": "up", "cookie_us": tick - 300, "words_us": [tick + 2, tick + 3],
                "begins_us": tick + 11_013,
            },
            common | {
                "direction": "down", "cookie_us": tick + 3, "words_us": [tick + 5, tick + 6],
                "begins_us": tick + 8,
            },
        ]  # fmt: skip
    return {"pings_us": [[361, 20_361, 43_024], [463]], "streams": streams}


def test_what_is_sent_is_sent_at_those_moments():
    simulation = build(ROW | {"starts": starts()}, 1)
    pings = [(one.start, one.dscp) for one in simulation.flows if one.kind == "ping"]
    # each goes on where its last was due, and what it sent before is sent once
    assert pings == [(40_361_000, 0), (463_000, 46), (361_000, 0), (20_361_000, 0)]
    streams = [one for one in simulation.flows if one.kind == "tcp" and one.stop is not None]
    assert [(one.start, one.direction, one.dscp) for one in streams] == [
        (51_013_000, "up", 0), (40_008_000, "down", 0),
        (52_013_000, "up", 8), (41_008_000, "down", 0),
        (53_013_000, "up", 40), (42_008_000, "down", 0),
        (54_013_000, "up", 46), (43_008_000, "down", 0),
    ]  # fmt: skip
    words = [one.start for one in simulation.flows if one.kind == "tcp" and one.stop is None]
    assert words[:4] == [40_002_000, 40_003_000, 40_005_000, 40_006_000]
    cookies = [one.start for one in simulation.flows if one.kind == "udp"]
    assert cookies[:2] == [39_700_000, 40_003_000]


def test_seeds_change_no_moment():
    row = ROW | {"starts": starts()}
    first, second = ([one.start for one in build(row, seed).flows] for seed in (1, 2))
    assert first == second


def changed(path: list[str | int], value: object) -> dict[str, Any]:
    """Return moments of which one has another value."""
    made: Any = deepcopy(starts())
    place = made
    for name in path[:-1]:
        place = place[name]
    place[path[-1]] = value
    return made


WRONG = [
    (5, "starts is not an object"),
    ({"streams": []}, "starts.pings_us is missing"),
    (changed(["pings_us"], [[1]]), "starts.pings_us is not a list of 2"),
    (changed(["pings_us", 1], []), "starts.pings_us[1] is empty"),
    (changed(["pings_us", 1], 7), "starts.pings_us[1] is not a list of times"),
    (changed(["pings_us", 0, 2], 7), "starts.pings_us[0] is not in order"),
    (changed(["pings_us", 0, 0], -1), "starts.pings_us[0][0] is not a whole number of micro"),
    (changed(["pings_us", 0, 0], 1.5), "starts.pings_us[0][0] is not a whole number of micro"),
    (changed(["streams"], starts()["streams"][:7]), "starts.streams is not a list of 8"),
    (changed(["streams", 1], "down"), "starts.streams[1] is not an object"),
    (changed(["streams", 1, "direction"], "in"), "starts.streams[1].direction is neither"),
    (changed(["streams", 1, "dscp"], 9), "starts.streams[1].dscp is none of 0, 8, 40, 46"),
    (changed(["streams", 1, "dscp"], 8), "starts.streams has a stream twice"),
    (changed(["streams", 3, "words_us"], [1]), "starts.streams[3].words_us is not a list of 2"),
    (changed(["streams", 3, "begins_us"], None), "starts.streams[3].begins_us is not a whole"),
    (changed(["streams", 3, "begins_us"], 9), "starts.streams[3] is not in order"),
    (changed(["streams", 3, "turns_us"], [2, 1]), "starts.streams[3].turns_us is not in order"),
]


@pytest.mark.parametrize(("field", "reason"), WRONG, ids=[reason for _, reason in WRONG])
def test_other_moments_are_refused_with_their_place_and_a_cure(field, reason, tmp_path, capsys):
    with pytest.raises(ValueError, match=f"^{re.escape(reason)}"):
        measured(field)
    file = tmp_path / "rows.jsonl"
    file.write_text(f"{json.dumps(ROW)}\n{json.dumps(ROW | {'starts': field})}\n")
    assert report(file, seed=1, repeat=1, as_json=False) == 2
    said = capsys.readouterr().err
    assert f"{file}: line 2: {reason}" in said
    assert "leave `starts` out to have the moments drawn" in said
