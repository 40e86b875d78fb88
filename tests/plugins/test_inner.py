"""sfq, fq_codel and the FIFOs without a kernel: bytes, comparison, findings."""

import struct
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tcc.facts import DeviceFacts, Facts
from tcc.netlink.kinds import decode_options
from tcc.plugin import qdisc
from tcc_plugins.bfifo import Bfifo, BfifoSettings
from tcc_plugins.fq_codel import FqCodel, FqCodelSettings
from tcc_plugins.pfifo import Pfifo, PfifoSettings
from tcc_plugins.sfq import Sfq, SfqSettings, as_stored
from tests.plugins.lowered import link, lower_text, settings_of


def inner(block: str, clauses: str = "", facts: Facts | None = None):
    text = f"bandwidth 50mbit; {clauses}qdisc tbf {{ inner {block} }}"
    return settings_of(link(text), facts).inner.settings


def test_sfq_is_sent_in_its_second_form():
    """struct tc_sfq_qopt_v1: 20 bytes of v0, depth, headdrop, 44 bytes of RED that stay 0."""
    settings = SfqSettings(
        limit=300, perturb=10, quantum=3000, divisor=512, flows=64, depth=100, headdrop=True
    )
    payload = Sfq().netlink(settings)
    assert payload == struct.pack("=IiIIIII", 3000, 10, 300, 512, 64, 100, 1) + bytes(44)
    assert len(payload) == 72


@pytest.mark.parametrize(
    ("asked", "kept"),
    [
        # sch_sfq: flows up to the divisor, depth up to 127, limit up to depth x flows,
        # flows up to the limit.
        (SfqSettings(flows=70_000, divisor=65_536), {"flows": 127}),
        (SfqSettings(flows=2000, divisor=1024, limit=5000), {"flows": 1024}),
        (SfqSettings(depth=200), {"depth": 127}),
        (SfqSettings(limit=20_000), {"limit": 127 * 128}),
        (SfqSettings(limit=10, flows=128), {"flows": 10}),
    ],
)
def test_sfq_keeps_less(asked, kept):
    stored = as_stored(asked)
    assert {name: getattr(stored, name) for name in kept} == kept
    assert Sfq().differences(asked, stored) == []


def test_sfq_reads_the_first_form():
    assert Sfq().read(struct.pack("=IiIII", 1514, 0, 127, 1024, 128)) == SfqSettings()


@pytest.mark.parametrize(
    ("block", "code", "words"),
    [
        ("sfq { limit 1 }", "value-out-of-range", "1"),
        ("sfq { divisor 1000 }", "sfq-divisor", "1000"),
        ("sfq { quantum 2MiB }", "value-out-of-range", "2MiB"),
        ("sfq { depth 128 }", "value-out-of-range", "128"),
        ("sfq { perturb 1500ms }", "sfq-perturb-seconds", "1500ms"),
        ("sfq { limit 20000 }", "sfq-limit-cut", "20000"),
        ("fq_codel { flows 65537 }", "value-out-of-range", "65537"),
        ("fq_codel { limit 0 }", "value-out-of-range", "0"),
        ("fq_codel { quantum 100B }", "value-out-of-range", "100B"),
        ("pfifo { limit 0 }", "fifo-limit-below-frame", "0"),
    ],
)
def test_findings(block, code, words):
    _, found = lower_text(link(f"bandwidth 50mbit; qdisc tbf {{ inner {block} }}"))
    assert found == [(code, words)]


def test_defaults_follow_the_device():
    """quantum is MTU and header (psched_mtu()); bfifo's limit is txqueuelen of those."""
    jumbo = Facts(devices=(DeviceFacts(name="eth0", mtu=9000),))
    assert inner("sfq", facts=jumbo).quantum == 9014
    assert inner("fq_codel", facts=jumbo).quantum == 9014
    assert inner("sfq") == SfqSettings()
    assert inner("fq_codel") == FqCodelSettings()
    assert inner("pfifo") == PfifoSettings(1000)


def test_fq_codel_sends_all():
    settings = FqCodelSettings(limit=500, flows=64, ecn=False, ce_threshold=1000)
    assert dict(decode_options("fq_codel", FqCodel().netlink(settings))) == {
        "LIMIT": 500, "FLOWS": 64, "QUANTUM": 1514, "INTERVAL": 100_000, "TARGET": 5_000, "ECN": 0,
        "MEMORY_LIMIT": 33_554_432, "DROP_BATCH_SIZE": 64, "CE_THRESHOLD": 1000,
        "CE_THRESHOLD_SELECTOR": 0, "CE_THRESHOLD_MASK": 0,
    }  # fmt: skip
    without = decode_options("fq_codel", FqCodel().netlink(FqCodelSettings()))
    assert "CE_THRESHOLD" not in dict(without)


def dumped(settings: FqCodelSettings) -> bytes:
    """Return what the kernel dumps: times go through a clock of 1024 ns."""

    def through(us: int) -> int:
        return ((us * 1000 >> 10) * 1024) // 1000

    threshold = settings.ce_threshold
    return FqCodel().netlink(
        replace(
            settings,
            target=through(settings.target),
            interval=through(settings.interval),
            ce_threshold=None if threshold is None else through(threshold),
        )
    )


@given(
    target=st.integers(0, 2**32 - 1),
    interval=st.integers(0, 2**32 - 1),
    threshold=st.none() | st.integers(0, 2**32 - 1),
)
def test_fq_codel_times_survive_the_kernels_clock(target, interval, threshold):
    settings = FqCodelSettings(target=target, interval=interval, ce_threshold=threshold)
    assert FqCodel().differences(settings, FqCodel().read(dumped(settings))) == []


def test_fq_codel_default_target_is_dumped_as_4999():
    assert dict(decode_options("fq_codel", dumped(FqCodelSettings())))["TARGET"] == 4999
    assert FqCodel().read(dumped(FqCodelSettings())) == FqCodelSettings()


def test_rtt_sets_fq_codel():
    found = inner("fq_codel", "rtt 30ms; memory 1MiB; ")
    assert (found.interval, found.target, found.memory_limit) == (30_000, 1_500, 2**20)


@pytest.mark.parametrize(("plugin", "settings"), [
    (Bfifo(), BfifoSettings(65_536)), (Pfifo(), PfifoSettings(65_536)),
])  # fmt: skip
def test_fifo_is_a_number(plugin, settings):
    assert plugin.netlink(settings) == (65_536).to_bytes(4, "little")
    assert plugin.read(plugin.netlink(settings)) == settings
    assert plugin.command(settings) == ["limit", "65536"]
    other = type(settings)(1)
    assert [one.name for one in plugin.differences(settings, other)] == ["limit"]


@pytest.mark.parametrize("kind", ["sfq", "fq_codel", "bfifo", "pfifo"])
def test_not_a_root(kind):
    assert qdisc(kind).inner_only
