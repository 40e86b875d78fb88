"""The experiments' models at points that can be worked out or read elsewhere."""

import json
import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import pytest

from tcc.engine.host import profiles
from tcc.engine.host.build import spread_service, visit_costs
from tcc.experiments import mq_rate_adjust, udp_backpressure, udp_flood

POLICIES = Path(__file__).parents[2] / "docs" / "experiments"
SENDERS = profiles.host(udp_backpressure.HOST)
FLOODED = profiles.host(udp_flood.HOST)
SECOND = 1_000_000_000


def test_back_pressure_fills_the_shaper_exactly():
    """500 Mbit/s of 1512-byte packets carry 486.1 Mbit/s of 1470-byte payload."""
    run = udp_backpressure.simulate(SENDERS, "sfq", 100, 1)
    assert abs(run.total() - Fraction(500 * 1470, 1512)) < Fraction(1, 10)
    assert max(run.payload) - min(run.payload) < min(run.payload) // 1000


def test_back_pressure_drops_in_inverse_proportion_to_its_interval():
    """The RFC's own table for sfq: 9.28, 1.1 and 0.13 per cent."""
    slow, fast = (udp_backpressure.simulate(SENDERS, "sfq", ms, 1).drops() for ms in (1000, 10))
    assert 5 < fast / slow * 9 / 8 < 100
    assert Fraction(8) < fast < Fraction(11)
    assert Fraction(11, 100) < slow < Fraction(15, 100)


def test_the_same_seed_gives_the_same_senders():
    once, again, other = (
        udp_backpressure.simulate(SENDERS, "bfifo", 100, seed) for seed in (3, 3, 4)
    )
    assert once == again != other


@pytest.mark.parametrize(
    ("kernel", "rate", "sent"),
    [
        # (1 - 0.746 (453 + 862) / 1000) / (1000 - 862) per ns, and so on: by hand
        ("llist", 746_000, 137_609),
        ("llist+dd", 760_000, 336_260),
        ("llist", 600_000, 600_000),
        ("llist+dd", 900_000, 0),
        ("baseline-busylock", 1_000_000, 467_945),
    ],
)
def test_closed_form_by_hand(kernel: str, rate: int, sent: int):
    assert abs(udp_flood.closed_form(FLOODED, kernel, rate) - sent) < 1000


@pytest.mark.slow
@pytest.mark.parametrize("rate", [700_000, 780_000])
def test_engine_agrees_with_the_closed_form_where_nothing_was_fitted(rate: int):
    run = udp_flood.simulate(FLOODED, udp_flood.Case("llist+dd", rate, 12), 1)
    wanted = udp_flood.closed_form(FLOODED, "llist+dd", rate) / 1_000_000
    assert abs(run.rate(10) - wanted) < wanted / 20


@pytest.mark.slow
def test_the_first_run_of_the_thread_was_fitted_to_nothing():
    """1.39 Mpps for 10 s: 322,540 packets sent, 13,601,075 dropped, 2 kpps pass in the end."""
    run = udp_flood.simulate(FLOODED, udp_flood.FIRST_RUN, 1)
    assert abs(sum(run.dropped) - 13_601_075) < 13_601_075 // 20
    assert 200_000 < sum(run.sent) < 400_000
    assert Fraction(1, 1000) < run.rate(4) < Fraction(6, 1000)


def test_memory_is_the_document_s_to_the_byte():
    """20187 packets of 768 bytes, the first that pass the limit of 15140 KiB."""
    run = udp_flood.simulate(FLOODED, udp_flood.Case("llist", 746_000, 1), 1)
    assert run.most_used == 20187 * 768 == 15_503_616


def test_what_lasts_goes_on_as_its_second_half():
    assert udp_flood.lasting([9, 8, 5, 5], 2) == 27
    assert udp_flood.lasting([9, 8, 5, 5], 4) == 27 + 4 * 5


def test_a_visit_costs_what_the_profile_says():
    vm, router = (profiles.host(name) for name in (mq_rate_adjust.VM, mq_rate_adjust.ROUTER))
    assert visit_costs(vm, 1) == (17_000, 91_000)
    assert visit_costs(vm, 3) == (17_000, 61_000)
    assert visit_costs(router, 1) == (124_000, 124_000)
    assert visit_costs(router, 8) == (0, 0)
    assert visit_costs({}, 1) == (0, 0)


def test_processors_share_the_work_of_the_queues_that_carry_traffic():
    assert spread_service(29_060, 8, 8) == 29_060
    assert spread_service(27_000, 8, 4) == 13_500
    assert spread_service(27_000, 8, 99) == 27_000


def test_the_router_sends_a_packet_for_each_scan():
    """Four queues, 7168 visits of 124 ns and 22 us for each packet of 1448 bytes: 50.9 Mbit/s."""
    run = mq_rate_adjust.router(profiles.host(mq_rate_adjust.ROUTER), "net-next", "be", 1)
    wanted = Fraction(4 * 1448 * 8 * 1000, 7168 * 124 + 22_000)
    assert abs(run.goodput - wanted) < wanted / 50


@pytest.mark.parametrize(("visit", "packets"), [(24_400, 5), (36_600, 3), (44_000, 1)])
def test_as_many_packets_for_a_scan_as_begin_within_the_interval(visit: int, packets: int):
    """After a scan of 99.9 us packets of 22 us begin at 100, 122, 144, 166, 188 us: five."""
    router = profiles.host(mq_rate_adjust.ROUTER)
    run = mq_rate_adjust.router(router, "net-next", "ds4", 1, visit)
    took = 4096 * visit // 1000 + packets * 22_000  # ns
    wanted = Fraction(4 * packets * 1448 * 8 * 1000, took)
    assert abs(run.goodput - wanted) < wanted / 50


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(path.stem for path in POLICIES.glob("*.tcc")))
def test_each_experiment_is_a_policy_that_holds(name: str):
    command = [sys.executable, "-m", "tcc", "verify", "--no-mend", "--json"]
    done = subprocess.run(
        [*command, str(POLICIES / f"{name}.tcc")], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    for objective in json.loads(done.stdout)["objectives"]:
        hosts = [run["host"] for run in objective["runs"]]
        assert all(hosts)
