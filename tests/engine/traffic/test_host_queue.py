"""How much a TCP keeps in the queues of its own host, against the real kernel."""

from __future__ import annotations

import json
from pathlib import Path as File

import pytest

from tcc.engine.cake.config import CakeConfig
from tcc.engine.cake.qdisc import Cake
from tcc.engine.fifo import Fifo
from tcc.engine.simulation import Path, Simulation
from tcc.engine.tbf import Pace, TokenBucket
from tests.engine.networks import MS, SECOND

RECORDED = json.loads((File(__file__).parents[2] / "data" / "kernel-local.json").read_text())
RUNS = {f"{run['qdisc']} {run['rate_mbit']}mbit {run['burst']}": run for run in RECORDED["runs"]}
RTT = 10 * MS
START = 90 * MS


def network(run):
    """Return a host that shapes itself, with an upload and a ping."""
    simulation = Simulation(1, local=True)
    simulation.greatest_buffer = 4_009_152  # tcp_rmem of a machine with 512 MiB
    rate = run["rate_mbit"] * 1_000_000 // 8
    if run["qdisc"] == "cake":
        config = CakeConfig(rate=rate, tins=3)
        qdisc = Cake(simulation.pool, simulation.random(8), config)
    else:
        inner = Fifo(simulation.pool, rate // 2 + run["burst"])
        qdisc = TokenBucket(simulation.pool, inner, Pace(rate), run["burst"])
    simulation.link(qdisc, Fifo(simulation.pool, 1 << 40), Path(RTT, upstream=0))
    simulation.add_ping(20 * MS, stop=6 * SECOND, keep=300)
    simulation.add_tcp("up", start=START, established=START - RTT, greeting=RTT)
    return simulation


@pytest.mark.parametrize("name", RUNS)
def test_ping_beside_an_upload_of_the_same_host(name):
    run = RUNS[name]
    result = network(run).run(START + 6 * SECOND)
    ping, upload = result.flows
    samples = sorted(ping.samples)
    for quantile, place in (("p50", len(samples) // 2), ("p95", len(samples) * 95 // 100)):
        induced = run[f"ping_{quantile}_ms"] - run["ping_min_ms"]
        assert (samples[place] - RTT) / MS == pytest.approx(induced, rel=0.1)
    assert upload.payload * 8 / 6_000_000 == pytest.approx(run["goodput_mbit"], rel=0.01)


@pytest.mark.parametrize("name", RUNS)
def test_memory_in_the_queues_of_the_host(name):
    run = RUNS[name]
    simulation = network(run)
    sender = simulation.flows[1].sender
    seen = []
    for step in range(400):
        simulation.schedule.run(START + 2 * SECOND + step * 1_700_000)
        seen.append(sender.queued)
    if run["burst"] == 16384 and run["rate_mbit"] == 50:  # two super-packets of six, always
        assert set(seen) == {19168}
    # ss saw 12 to 25 moments, here are 400
    least, most = run["queued"]
    assert min(seen) == pytest.approx(least, rel=0.2)
    assert max(seen) == pytest.approx(most, rel=0.25)


def test_a_full_queue_turns_a_packet_away_and_nothing_is_lost():
    # pfifo and bfifo answer NET_XMIT_DROP: tcp_write_xmit() keeps the packet and reduces
    simulation = Simulation(1, local=True)
    qdisc = TokenBucket(simulation.pool, Fifo(simulation.pool, 12_000), Pace(1_000_000), 16384)
    simulation.link(qdisc, Fifo(simulation.pool, 1 << 40), Path(RTT))
    for _ in range(4):
        simulation.add_tcp("up")
    result = simulation.run(10 * SECOND)
    assert result.egress.statistics["drops"] > 0
    assert sum(one.details["reductions"] for one in result.flows) > 0
    assert sum(one.details["retransmits"] for one in result.flows) == 0


def test_what_has_left_the_host_is_the_networks():
    # a queue further on drops and delivers packets that no longer count as the host's
    simulation = Simulation(1, local=True)
    free = Fifo(simulation.pool, 1 << 40)
    path = Path(RTT, upstream=0, beyond=20_000_000, beyond_limit=30_000)
    simulation.link(free, Fifo(simulation.pool, 1 << 40), path)
    simulation.add_tcp("up")
    sender = simulation.flows[0].sender
    for step in range(200):
        simulation.schedule.run(SECOND + step * MS)
        assert sender.queued == 0
