"""`tbf` without a kernel: lowering, bytes against those of tc, buckets, findings."""

import ast
import re
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tcc.facts import DeviceFacts, Facts
from tcc.netlink.kinds import decode_options
from tcc_plugins.sfq import SfqSettings
from tcc_plugins.tbf import Tbf, TbfSettings
from tcc_plugins.tbf.settings import size_of, ticks_of, time_of
from tests.plugins.lowered import link, lower_one, lower_text, settings_of
from tests.plugins.tbf_cases import OPTIONS

DATA = Path(__file__).parents[1] / "data"
PLAIN = TbfSettings(rate=6_250_000, limit=328_884, burst=16_384)

# Names of the capture's cases, and the same as (bandwidth, block, framing).
CAPTURED = {
    "50mbit burst16k lat50": ("50mbit", "burst 16KiB; latency 50ms", ""),
    "1gbit burst 5000B": ("1gbit", "burst 5000B; latency 50ms", ""),
    "10gbit burst 1600B": ("10gbit", "burst 1600B; latency 50ms", ""),
    "34gbit (<2^32 B/s)": ("34gbit", "burst 64KiB; latency 5ms", ""),
    "40gbit (>2^32 B/s)": ("40gbit", "burst 64KiB; latency 5ms", ""),
    "40gbit burst 1600": ("40gbit", "burst 1600B; latency 5ms", ""),
    "peakrate": ("50mbit", "burst 16KiB; latency 50ms; peak 100mbit; mtu 1540B", ""),
    "overhead+mpu": ("50mbit", "burst 16KiB; latency 50ms", "framing { overhead 32B; mpu 64B }"),
    "linklayer atm": ("50mbit", "burst 16KiB; latency 50ms", "framing pppoa-llc"),
    "limit": ("50mbit", "burst 16KiB; limit 100000B", ""),
    "fraction 1.5mbit": ("1.5mbit", "burst 16KiB; latency 50ms", ""),
    "rate Mibit": ("10Mibit", "burst 16KiB; latency 50ms", ""),
    "rate upper MBIT": ("10MBIT", "burst 16KiB; latency 50ms", ""),
    "rate bps(bytes)": ("10MB/s", "burst 16KiB; latency 50ms", ""),
    "rate int (tc: bit/s)": ("8000000bit", "burst 16KiB; latency 50ms", ""),
    "rate digit string": ("8000000bit", "burst 16KiB; latency 50ms", ""),
    "burst string": ("50mbit", "burst 16KiB; latency 50ms", ""),
    "latency int 50": ("50mbit", "burst 16KiB; latency 50ms", ""),
    "latency no-unit string": ("50mbit", "burst 16KiB; latency 50us", ""),
    "latency 1.5s": ("50mbit", "burst 16KiB; latency 1.5s", ""),
    "8kbit slow": ("8kbit", "burst 1600B; latency 500ms", ""),
}


def captured() -> dict[str, dict[str, object]]:
    """Return what tc sent in each case of the capture, by attribute."""
    text = (DATA / "tc-bytes/tbf.txt").read_text()
    found = re.findall(r"^===== (.*)\n tc .*\n    sent: (\[.*\])$", text, re.MULTILINE)
    return {name: dict(ast.literal_eval(pairs)) for name, pairs in found}


def test_capture_is_whole():
    assert captured().keys() == CAPTURED.keys()


def shaped(bandwidth: str, block: str, framing: str = "") -> str:
    return link(f"bandwidth {bandwidth}; qdisc tbf {{ {block} }}", framing)


@pytest.mark.parametrize("name", CAPTURED)
def test_sends_what_tc_sends(name):
    """Each attribute but the rate tables and what describes them (cell_log, cell_align).

    tc works out the ticks from whole microseconds of a rate cut to 32 bits; the kernel
    uses BURST and PBURST instead, so ours are exact, rounded up, and less than 1 us more.
    """
    theirs = captured()[name]
    ours = dict(decode_options("tbf", Tbf().netlink(settings_of(shaped(*CAPTURED[name])))))
    assert set(ours) == {key for key in theirs if key not in ("RTAB", "PTAB")}
    for key in set(ours) - {"PARMS"}:
        assert ours[key] == theirs[key]
    parms, expected = ours["PARMS"], theirs["PARMS"]
    assert parms["limit"] == expected["limit"]
    for side, prefix in (("rate", "rate"), ("peak", "peakrate")):
        for field in ("linklayer", "overhead", "mpu", "rate"):
            assert parms[f"{prefix}_{field}"] == expected[side][field]
    if "RATE64" not in theirs:
        assert 0 <= parms["buffer"] - expected["buffer"] <= 16
        assert 0 <= parms["mtu"] - expected["mtu"] <= 16


def test_example_of_the_kernels_arithmetic():
    """500 Mbit/s is exactly 16 ns per byte; 1512 bytes cost 24192 ns."""
    settings = replace(PLAIN, rate=62_500_000)
    assert time_of(1512, 62_500_000, settings) == 24_192
    assert ticks_of(20_480, 62_500_000, settings) == 20_480 * 16 // 64


@pytest.mark.parametrize(
    ("settings", "shown"),
    [
        # What tc showed of the kernel's buckets, in the capture: bytes = rate x ticks.
        (replace(PLAIN, overhead=18, mpu=64), 16_400),
        (replace(PLAIN, linklayer=2), 18_125),
        (replace(PLAIN, rate=1_250_000_000, burst=1600), 1_250),
        (replace(PLAIN, rate=5_000_000_000, burst=65_536), 65_000),
    ],
)
def test_buckets_are_dumped_as_recorded(settings, shown):
    """tc prints whole microseconds of the rate, so a microsecond's bytes are the precision."""
    microseconds = ticks_of(settings.burst, settings.rate, settings) * 64 // 1000
    assert microseconds * settings.rate // 1_000_000 == shown


RATES = st.integers(1, 2**40)


@given(
    rate=RATES,
    burst=st.integers(1, 2**31),
    overhead=st.integers(0, 2**16 - 1),
    mpu=st.integers(0, 2**16 - 1),
    linklayer=st.sampled_from([1, 2]),
)
def test_largest_bucket_that_dumps_alike(rate, burst, overhead, mpu, linklayer):
    """What is read from a dump dumps the same, and holds at least what the original held."""
    settings = replace(PLAIN, rate=rate, overhead=overhead, mpu=mpu, linklayer=linklayer)
    ticks = time_of(burst, rate, settings) >> 6
    if ticks >= 2**32:
        return
    size = size_of(ticks, rate, settings)
    assert size >= burst
    assert ticks_of(size, rate, settings) == ticks


@given(
    rate=RATES,
    limit=st.integers(0, 2**32 - 1),
    burst=st.integers(1, 2**32 - 1),
    peak=st.integers(0, 2**40),
    mtu=st.integers(1, 2**32 - 1),
    overhead=st.integers(0, 2**16 - 1),
    mpu=st.integers(0, 2**16 - 1),
    linklayer=st.sampled_from([1, 2]),
)
def test_bytes_are_read_back(rate, limit, burst, peak, mtu, overhead, mpu, linklayer):
    settings = TbfSettings(rate, limit, burst, peak, mtu if peak else 0, overhead, mpu, linklayer)
    assert Tbf().read(Tbf().netlink(settings)) == settings


@pytest.mark.parametrize(
    ("block", "limit"),
    [
        ("burst 16KiB; latency 50ms", 6_250_000 // 20 + 16_384),
        ("burst 16KiB; latency 1999ns", 6 + 16_384),  # whole microseconds, as tc
        ("burst 16KiB; latency 50ms; peak 100mbit; mtu 2000B", 328_884),
        ("burst 200KiB; latency 50ms; peak 51mbit; mtu 2000B", 318_750 + 2_000),
        ("burst 16KiB; limit 100000B", 100_000),
        ("burst 16KiB", 328_884),  # 50 ms when nothing is said
    ],
)
def test_limit_from_latency(block, limit):
    assert settings_of(shaped("50mbit", block)).limit == limit


@pytest.mark.parametrize(
    ("bandwidth", "burst"),
    [("1mbit", 1514 + 125), ("50mbit", 1514 + 6_250), ("900mbit", 1514 + 112_500)],
)
@pytest.mark.parametrize("block", ["", "burst auto; "])
def test_automatic_burst(bandwidth, burst, block):
    """A frame and a millisecond of the rate, which is sqm's figure at 900 Mbit/s."""
    assert settings_of(shaped(bandwidth, block + "inner sfq")).burst == burst


def test_automatic_burst_knows_the_device():
    jumbo = Facts(devices=(DeviceFacts(name="eth0", mtu=9000),))
    assert settings_of(shaped("1mbit", "inner sfq"), jumbo).burst == 9014 + 125


def test_overhead_is_relative_to_what_tbf_counts():
    """ethernet adds 38 bytes to an IP packet, of which the link-layer header is 14."""
    assert settings_of(shaped("50mbit", "", "framing ethernet")).overhead == 24
    ppp = Facts(devices=(DeviceFacts(name="eth0", hard_header=0),))
    assert settings_of(shaped("50mbit", "", "framing ethernet"), ppp).overhead == 38


def test_policy_for_senders_that_wait():
    """The sizing rule: 16 senders x ceil(212992 / 2304) = 1488 packets; fewer lose nearly all."""
    text = link(
        "bandwidth 500mbit; qdisc tbf { burst 20KiB; inner sfq }; backpressure udp { senders 16 }",
        "role host",
    )
    lowered = lower_one(text)
    assert lowered.found == ()
    assert lowered.settings.inner.settings.limit == 1488
    assert lowered.settings.inner.settings.depth >= 93


@pytest.mark.parametrize(
    ("inner", "limit"),
    [("bfifo", 1488 * 1514), ("pfifo", 1488)],
)
def test_room_in_a_fifo(inner, limit):
    text = link(
        f"bandwidth 500mbit; qdisc tbf {{ inner {inner} }}; backpressure udp {{ senders 16 }}",
        "role host",
    )
    settings = settings_of(text)
    found = settings.inner.settings.limit
    assert found >= limit
    assert settings.limit == found  # tbf writes its own limit into a FIFO when it changes


def test_latency_gives_the_inner_queue_its_limit():
    """328884 bytes are 218 packets of 1514, rounded up; a limit that was given stays."""
    assert settings_of(shaped("50mbit", "burst 16KiB; latency 50ms; inner sfq")).inner.settings == (
        SfqSettings(limit=218)
    )
    given = settings_of(shaped("50mbit", "burst 16KiB; latency 50ms; inner sfq { limit 9 }"))
    assert given.inner.settings.limit == 9
    assert settings_of(shaped("50mbit", "burst 16KiB; inner sfq")).inner.settings.limit == 127


def test_inner_qdisc_says_what_tbf_cannot():
    settings = settings_of(
        link("bandwidth 50mbit; tiers diffserv4; fairness per-host; ack-filter on; gso auto; "
             "qdisc tbf { inner cake }", "role router")
    )  # fmt: skip
    inner = settings.inner.settings
    assert (inner.diffserv, inner.flow_mode, inner.nat, inner.ack_filter, inner.split_gso,
            inner.rate) == (1, 5, True, 1, True, 0)  # fmt: skip


def test_fairness_brings_a_fair_queue():
    assert settings_of(
        link("bandwidth 50mbit; fairness per-flow; qdisc tbf")
    ).inner.kind == "fq_codel"  # fmt: skip
    old = Facts(qdiscs=("tbf", "sfq"))
    assert settings_of(
        link("bandwidth 50mbit; fairness per-flow; qdisc tbf"), old
    ).inner.kind == "sfq"  # fmt: skip


def test_sysctl_only_where_the_kernel_has_it():
    text = link(
        "bandwidth 1mbit; qdisc tbf { inner sfq }; backpressure udp { interval 100ms }", "role host"
    )
    [lowered], found = lower_text(text)
    assert ("backpressure-unavailable", "udp") in found
    patched = Facts(sysctls={"net.ipv4.udp_backpressure_interval": "0"})
    lowered = lower_one(text, patched)
    assert lowered.sysctls == {"net.ipv4.udp_backpressure_interval": "100"}
    assert lowered.found == ()


def test_no_option_of_the_kernels_cases_is_missing():
    words = {word.split()[0] for _, block, _, _ in OPTIONS for word in block.split("; ")}
    assert words | {"inner"} >= set(Tbf.words) - {"peakrate"}


SENDERS = "backpressure udp { senders 16 }"


@pytest.mark.parametrize(
    ("policy", "codes"),
    [
        (link("qdisc tbf { inner sfq }"), ["tbf-needs-bandwidth"]),
        (link("bandwidth unlimited; qdisc tbf { inner sfq }"), ["tbf-needs-bandwidth"]),
        (link("bandwidth 5mbit within 1mbit..9mbit; qdisc tbf { inner sfq }"), ["tbf-bounds"]),
        (link("bandwidth 5mbit; qdisc tbf"), ["tbf-one-queue"]),
        (shaped("50mbit", "burst 1513B; inner sfq"), ["tbf-burst-below-frame"]),
        (shaped("50mbit", "burst 1514B; inner sfq"), ["tbf-burst-short"]),
        (shaped("500mbit", "burst 5263B; inner sfq"), ["tbf-burst-short"]),
        (shaped("500mbit", "burst 5264B; inner sfq"), []),
        (shaped("50mbit", "burst 200KiB; inner sfq"), ["tbf-burst-long"]),
        (shaped("8bit", "burst 2000B; inner sfq"), ["value-out-of-range"]),
        (shaped("50mbit", "burst 16KiB; peak 50mbit; inner sfq"), ["tbf-peak-below-rate"]),
        (shaped("50mbit", "burst 16KiB; peak 60mbit; mtu 99B; inner sfq"), ["tbf-mtu-below-frame"]),
        (shaped("50mbit", "mtu 1500B; inner sfq"), ["tbf-mtu-without-peak"]),
        (shaped("50mbit", "latency 1ms; limit 9KiB; inner sfq"), ["tbf-latency-and-limit"]),
        (shaped("50mbit", "burst 16KiB; limit 9KiB; inner bfifo"), ["tbf-limit-below-burst"]),
        (shaped("50mbit", "burst 16KiB; limit 9KiB; inner sfq"), []),
        (shaped("50mbit", "inner tbf"), ["tbf-inner-kind"]),
        (shaped("50mbit", "inner cake_mq"), ["tbf-inner-kind"]),
        (shaped("50mbit", "inner sfq", "framing pppoe-ptm"), ["qdisc-cannot-express"]),
        (shaped("50mbit", "inner sfq", "framing ipoa-vcmux"), ["qdisc-cannot-express"]),
        (shaped("50mbit", "inner bfifo { limit 1513B }"),
         ["tbf-limit-below-burst", "fifo-limit-below-frame"]),
        (link("bandwidth 1mbit; qdisc tbf { inner sfq }; backpressure udp { senders 4 }"),
         ["backpressure-unavailable"]),
        (link("bandwidth 1mbit; qdisc tbf { inner sfq }; backpressure udp", "role host"),
         ["backpressure-unavailable"]),
        (link(f"bandwidth 1mbit; qdisc tbf {{ inner fq_codel }}; {SENDERS}", "role host"),
         ["backpressure-unavailable"]),
        (link("bandwidth 1mbit; qdisc tbf { inner sfq }; "
              "backpressure udp { senders 4; sndbuf 1MiB }", "role host"),
         ["backpressure-unavailable"]),
        (link(f"bandwidth 1mbit; qdisc tbf {{ inner sfq {{ limit 1487 }} }}; {SENDERS}",
              "role host"), ["backpressure-limit"]),
        (link(f"bandwidth 500mbit; qdisc tbf {{ latency 5ms; inner sfq }}; {SENDERS}",
              "role host"), ["backpressure-latency"]),
        (link("bandwidth 1mbit; qdisc tbf { inner sfq }", direction="ingress"),
         ["tbf-ingress-uncharged"]),
    ],
)  # fmt: skip
def test_findings(policy, codes):
    _, found = lower_text(policy)
    assert [code for code, _ in found] == codes


@pytest.mark.parametrize(
    "clause",
    ["tiers diffserv4", "fairness per-host", "fairness triple-isolate", "ack-filter on",
     "dscp wash", "memory 4MiB", "mark mask 0xff", "gso split", "rtt 20ms"],
)  # fmt: skip
def test_what_no_inner_queue_can_do_is_said_at_its_words(clause):
    text = link(f"bandwidth 50mbit; {clause}; qdisc tbf {{ inner sfq }}")
    lowered, found = lower_text(text)
    assert found == [("qdisc-cannot-express", clause.split(" ", 1)[1])]
    assert lowered[0].settings is None
    preferred = lower_one(text.replace(clause, f"prefer {clause}"))
    assert preferred.settings is not None
    assert [str(item.severity) for item in preferred.found] == ["warning"]


@pytest.mark.parametrize("clause", ["tiers besteffort", "ack-filter off", "dscp keep", "gso keep"])
def test_what_a_plain_queue_does_anyway(clause):
    text = link(f"bandwidth 50mbit; {clause}; qdisc tbf {{ inner sfq }}")
    assert lower_one(text).found == ()


def test_tiers_without_tins():
    text = link("bandwidth 50mbit; qdisc tbf { inner sfq }") + "tier voice { match dscp ef }\n"
    _, found = lower_text(text)
    assert [code for code, _ in found] == ["qdisc-cannot-express"]
