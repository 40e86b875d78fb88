"""The assembled network: what comes out, that it repeats, that nothing is lost track of."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from tcc.engine.results import mean_opinion
from tcc.engine.simulation import Path as Beyond
from tcc.engine.simulation import Simulation
from tcc.engine.workloads import add_workload
from tests.engine.networks import DIFFSERV4, MS, SECOND, cake, lossy, shaped, unshaped


def figures(seed: int) -> list[tuple[int, ...]]:
    """Run a bit of everything; return all that was counted."""
    network = Simulation(seed)
    path = Beyond(20 * MS, loss=2**32 // 1000, jitter=2 * MS)
    network.link(cake(network, 20_000_000, DIFFSERV4), cake(network, 50_000_000, DIFFSERV4), path)
    for cc in ("cubic", "reno", "bbr"):
        network.add_tcp("up", cc, ecn=cc == "cubic")
        network.add_tcp("down", cc)
    network.add_udp("up", 1_000_000)
    network.add_ping(20 * MS, keep=100)
    network.add_voip()
    result = network.run(3 * SECOND, warmup=1 * SECOND)
    return [
        (one.payload, one.drops, one.offered, one.lost, *one.series, *one.samples)
        for one in result.flows
    ] + [(result.events, result.segments, result.egress.octets)]


def test_the_same_seed_gives_the_same_result_and_another_does_not():
    assert figures(7) == figures(7)
    assert figures(7) != figures(8)


def test_every_packet_is_accounted_for():
    network = shaped(20_000_000, 20 * MS)
    for _ in range(4):
        network.add_tcp("up", payload=2_000_000)
    result = network.run(10 * SECOND)
    for one in result.flows:
        assert one.payload == 2_000_000
        assert one.finished is not None
        assert one.offered == -(-2_000_000 // 1448) + one.details["retransmits"]
    assert result.egress.drops == sum(one.drops for one in result.flows)
    assert result.packets_in_use == 0
    assert network.options.used == 0


def test_a_ping_takes_the_round_trip_and_nothing_else():
    network = Simulation()
    network.link(unshaped(network), unshaped(network), Beyond(33 * MS))
    network.add_ping(100 * MS, keep=5)
    result = network.run(1 * SECOND)
    assert result.flows[0].samples == (33 * MS,) * 5
    assert result.flows[0].up.greatest == 16_500_000
    assert result.flows[0].lost == 1  # one is on its way still


def test_a_loaded_ping_waits_for_one_packet_under_cake():
    network = shaped(10_000_000, 20 * MS)
    network.add_tcp("up")
    network.add_ping(10 * MS)
    ping = network.run(5 * SECOND, warmup=1 * SECOND).flows[1]
    assert ping.round_trip.greatest <= 20 * MS + 2 * 1514 * 8 * SECOND // 10_000_000


def test_a_finite_transfer_over_a_lossy_path_arrives_whole():
    network = lossy(10_000_000, 30 * MS, 0.03, seed=5)
    network.add_tcp("up", payload=1_000_003)
    network.add_tcp("down", payload=999_999)
    result = network.run(60 * SECOND)
    assert [one.payload for one in result.flows] == [1_000_003, 999_999]
    assert all(one.details["retransmits"] > 0 for one in result.flows)


def test_ecn_marks_take_the_place_of_drops():
    network = shaped(10_000_000, 40 * MS)
    network.add_tcp("up", ecn=True)
    network.add_tcp("up", ecn=True)
    result = network.run(10 * SECOND)
    assert result.egress.marks > 10
    assert result.egress.drops == 0
    assert all(one.details["retransmits"] == 0 for one in result.flows)


def test_a_udp_sender_on_the_shaping_host_blocks_instead_of_losing():
    network = Simulation(local=True)
    network.link(cake(network, 5_000_000), unshaped(network), Beyond(10 * MS))
    network.add_udp("up", 20_000_000, payload=1470)
    result = network.run(5 * SECOND, warmup=1 * SECOND)
    # 93 datagrams of 2304 bytes fill the default buffer (net.core.wmem_default)
    assert network.flows[0].sender.memory == 93 * 2304
    assert result.flows[0].goodput == pytest.approx(5_000_000 * 1470 / 1512, rel=0.01)


def test_nat_hides_hosts_from_host_fairness():
    def shares(*, nat: bool) -> list[int]:
        network = shaped(20_000_000, 20 * MS, nat=nat)
        for host in (0, 1, 1, 1):
            network.add_tcp("up", host=host, server=host)
        return [one.goodput for one in network.run(10 * SECOND, warmup=2 * SECOND).flows]

    alone, *others = shares(nat=False)
    assert alone == pytest.approx(sum(others), rel=0.1)
    alone, *others = shares(nat=True)
    assert alone < 0.6 * sum(others)


def test_ctrl_c_reports_what_was_measured():
    network = shaped(100_000_000, 20 * MS)
    network.add_tcp("up")
    timer = threading.Timer(0.5, signal.raise_signal, [signal.SIGINT])
    timer.start()
    try:
        result = network.run(3600 * SECOND, interval=60 * SECOND)
    finally:
        timer.cancel()
    assert result.interrupted
    assert 0 < result.measured < 3600 * SECOND
    assert result.flows[0].payload > 0


@pytest.mark.parametrize(
    ("delay", "lost", "mos"),
    [(0, 0, 4409), (150, 0, 4322), (400, 0, 3110), (20, 2, 4202)],
)
def test_mean_opinion_is_the_e_models(delay, lost, mos):
    # R = 93.2 - Id - Ie,eff; G.107 annex B: R 93.2 is MOS 4.41
    assert mean_opinion(delay * MS, lost, 100) == pytest.approx(mos, abs=60)


def test_rrul_has_flents_marks_and_streams():
    network = shaped(20_000_000, 20 * MS, tins=DIFFSERV4)
    made = add_workload(network, "rrul", stop=3 * SECOND)
    streams = [(one.direction, one.dscp) for one in made if one.kind == "tcp"]
    assert sorted(streams) == sorted(
        (way, mark) for way in ("up", "down") for mark in (0, 8, 40, 46)
    )
    assert sorted(one.dscp for one in made if one.kind == "ping") == [0, 0, 8, 46]
    result = network.run(3 * SECOND)
    assert all(one.payload > 0 for one in result.flows if one.kind == "tcp")
    assert [one.offered for one in result.flows if one.kind == "ping"] == [15] * 4


def test_a_web_page_is_there_soon_beside_bulk_uploads():
    network = shaped(20_000_000, 20 * MS)
    add_workload(network, "tcp_nup", flows=4)
    pages = add_workload(network, "web", start=SECOND, stop=3 * SECOND)
    result = network.run(5 * SECOND)
    for watch, one in zip(pages, result.flows[-len(pages) :], strict=True):
        assert one.payload in (50_000, 20_000, 10_000, 5_000)
        # 50 kB are 35 segments: 10, 20, then the rest, three round trips and their queueing
        assert one.finished is not None
        assert one.finished - watch.start < 100 * MS


def test_the_ack_filter_thins_out_acknowledgements_and_tcp_goes_on():
    def acknowledgements(mode: int) -> tuple[int, int, int]:
        network = Simulation()
        up = cake(network, 500_000, ack_filter=mode)
        network.link(up, cake(network, 50_000_000), Beyond(20 * MS, upstream=0))
        network.add_tcp("down")
        result = network.run(5 * SECOND, warmup=1 * SECOND)
        filtered = result.egress.drops_by_reason.get("ack_filter", 0)
        return result.flows[0].goodput, filtered, result.egress.drops

    plain, none, _ = acknowledgements(0)
    better, filtered, dropped = acknowledgements(1)
    assert none == 0
    assert filtered > 1000
    assert dropped == 0
    # 500 kbit/s carries 946 acknowledgements of 66 bytes a second, of two segments each: 22 Mbit/s
    assert plain < 23_000_000
    assert better > 40_000_000


def test_the_interpreter_gets_what_compiled_code_gets():
    script = (
        "from tests.engine.networks import *\n"
        "network = shaped(10_000_000, 20 * MS, tins=DIFFSERV4)\n"
        "for cc in ('cubic', 'reno', 'bbr'):\n"
        "    network.add_tcp('up', cc, ecn=cc == 'reno')\n"
        "network.add_udp('down', 500_000)\n"
        "network.add_voip(keep=50)\n"
        "result = network.run(SECOND)\n"
        "print(result.events, [(f.payload, f.drops, f.samples, f.details) for f in result.flows])\n"
    )

    def run(engine: str) -> str:
        environment = {**os.environ, "TCC_ENGINE": engine}
        return subprocess.run(
            [sys.executable, "-c", script],
            check=True,
            capture_output=True,
            text=True,
            cwd=Path(__file__).parents[3],
            env=environment,
        ).stdout

    assert run("interpreted") == run("")


def test_short_times_show_no_more_than_the_line_carries():
    """What waited behind a hole when the measured time began had come before it."""
    shares = []
    for seed in range(1, 41):
        network = Simulation(seed)
        ends = [cake(network, 10_000_000) for _ in range(2)]
        network.link(*ends, Beyond(40 * MS, loss=2**32 // 300))
        for _ in range(2):
            network.add_tcp("up")
        result = network.run(SECOND // 2, warmup=2 * SECOND)
        for one in result.flows:
            assert sum(one.series) == one.payload
        shares.append(sum(one.goodput for one in result.flows) / (10_000_000 * 1448 / 1514))
    assert max(shares) <= 1
    assert sum(shares) / len(shares) > 0.85


def test_marks_are_of_the_measured_time():
    """The parts of a run add up to the whole."""

    def marks(duration: int, warmup: int) -> int:
        network = shaped(10_000_000, 20 * MS)
        for _ in range(4):
            network.add_tcp("up", ecn=True)
        return network.run(duration, warmup).egress.marks

    before, after, whole = marks(SECOND, 0), marks(2 * SECOND, SECOND), marks(3 * SECOND, 0)
    assert before > 0
    assert after > 0
    assert before + after == whole
