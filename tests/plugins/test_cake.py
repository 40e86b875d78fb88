"""`cake` without a kernel: lowering, bytes against those of tc, comparison, words."""

import ast
import re
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tcc.netlink.kinds import decode_options
from tcc_plugins.cake import Cake, CakeOptions, CakeSettings
from tcc_plugins.cake.settings import as_stored, target_of
from tests.plugins.cake_cases import TABLES, WORDS
from tests.plugins.lowered import link, lower_one, lower_text, settings_of

DATA = Path(__file__).parents[1] / "data"
SETTABLE = {
    name.removeprefix("TCA_CAKE_")
    for name, attribute in TABLES["attributes"].items()
    if attribute["settable"]
}


def sent(settings: CakeSettings) -> dict[str, int]:
    return dict(decode_options("cake", Cake().netlink(settings)))


def said(words: str) -> CakeSettings:
    return settings_of(link(f"qdisc cake {{ {words} }}"))


def tc_messages() -> list[tuple[str, list[tuple[str, int]]]]:
    """Return the cases of the capture: name, and the attributes that tc sent."""
    text = (DATA / "tc-bytes/cake.txt").read_text()
    found = re.findall(r"^===== (.*)\n  tc : (\[.*?\])   \[", text, re.MULTILINE)
    return [(name, ast.literal_eval(pairs)) for name, pairs in found]


# The capture's names, where they are not tc's own words.
POLICY_WORDS = {
    "defaults": "", "bandwidth int": "bandwidth 100mbit", "bandwidth 10mbps": "bandwidth 10MB/s",
    "autorate": "autorate-ingress", "autorate False": "", "rtt lan": "lan",
    "rtt interplanetary": "interplanetary", 'rtt "20ms"': "rtt 20ms", "overhead 44": "overhead 44B",
    "overhead -4": "overhead -4B", "overhead 44 mpu 64 noatm": "overhead 44B; mpu 64B; noatm",
    "not raw (+overhead 44)": "overhead 44B", 'ack_filter bad: "filter"': "ack-filter",
    "fwmark": "fwmark 0xff", "memlimit 32mb": "memlimit 32MiB", 'memlimit "32mb"': "memlimit 32MiB",
    "dual-dsthost nat": "dual-dsthost; nat", "bandwidth unlimited": "unlimited", "typo key": "",
}  # fmt: skip


@pytest.mark.parametrize(("name", "theirs"), tc_messages())
def test_sends_what_tc_sends(name, theirs):
    """Every attribute that tc sends for these words, with the same value."""
    ours = sent(said(POLICY_WORDS.get(name, name)))
    assert {key: ours[key] for key, _ in theirs} == dict(theirs)


def test_capture_is_read():
    assert len(tc_messages()) == 37


@pytest.mark.parametrize("words", [words for words, _ in WORDS])
def test_every_attribute_is_sent(words):
    """All 17 settable attributes, RAW when wanted: a change would keep what is absent."""
    settings = said(words)
    assert set(sent(settings)) == SETTABLE - (set() if settings.raw else {"RAW"})


@pytest.mark.parametrize(
    "preset", [(p["keyword"], p["rtt_us"], p["target_us"]) for p in TABLES["rtt_presets"]]
)
def test_rtt_presets(preset):
    word, interval, target = preset
    assert (said(word).interval, said(word).target) == (interval, target)
    by_clause = settings_of(link(f"rtt {word}"))
    assert (by_clause.interval, by_clause.target) == (interval, target)


@pytest.mark.parametrize("word", sorted(set(TABLES["overhead_presets"]) - {"via-ethernet"}))
def test_framing_presets(word):
    row = TABLES["overhead_presets"][word]
    cells = {"none": 0, None: 0, "atm": 1, "ptm": 2}[row["atm"]]
    found = said(word)
    assert (found.overhead, found.atm, found.mpu) == (row["overhead"], cells, row["mpu"] or 0)
    assert found.raw is row["also_sends_raw"]
    if word != "ether-vlan":
        assert settings_of(link("", f"framing {word}")) == found


def test_vlans_add_to_a_preset():
    found = settings_of(link("", "framing ethernet + vlan + vlan"))
    assert (found.overhead, found.mpu, found.atm) == (46, 84, 0)  # tc: ethernet ether-vlan twice


@pytest.mark.parametrize(("rtt", "interval", "target"), [("19us", 19, 1), ("1us", 1, 1)])
def test_target_is_a_twentieth_and_at_least_one(rtt, interval, target):
    found = settings_of(link(f"rtt {rtt}"))
    assert (found.interval, found.target) == (interval, target)


@pytest.mark.parametrize(
    ("rate", "kernel"),
    [("1000bit", 125), ("9bit", 1), ("1kibit", 128), ("1mibit", 131_072), ("1B/s", 1),
     ("1MB/s", 1_000_000), ("1.5mbit", 187_500), ("8000tbit", 10**15)],
)  # fmt: skip
def test_rate_in_bytes_rounded_down(rate, kernel):
    assert settings_of(link(f"bandwidth {rate}")).rate == kernel


def test_rounding_is_explained():
    [bandwidth] = [one for one in lower_one(link("bandwidth 1001bit")).explained
                   if one.clause.startswith("bandwidth")]  # fmt: skip
    assert bandwidth.became == "bandwidth 1000bit"
    assert "rounded down" in bandwidth.because


@pytest.mark.parametrize(
    ("direction", "role", "mode"),
    [
        ("egress", "", "dual-srchost"),
        ("ingress", "", "dual-dsthost"),
        ("egress", "role router", "dual-srchost"),
        ("ingress", "role router", "dual-dsthost"),
        ("egress", "role router facing hosts", "dual-dsthost"),
        ("ingress", "role router facing hosts", "dual-srchost"),
        ("egress", "role bridge", "dual-srchost"),
        ("egress", "role bridge facing hosts", "dual-dsthost"),
        ("egress", "role host", "dual-dsthost"),
        ("ingress", "role host", "dual-srchost"),
    ],
)
def test_hosts_are_told_apart_on_their_side(direction, role, mode):
    found = settings_of(link("fairness per-host", role, direction))
    assert found.flow_mode == TABLES["enums"]["flow"][mode]


@pytest.mark.parametrize(
    ("wish", "mode"),
    [("per-flow", "flows"), ("per-source", "srchost"), ("per-destination", "dsthost"),
     ("none", "flowblind"), *((mode, mode) for mode in TABLES["enums"]["flow"])],
)  # fmt: skip
def test_fairness(wish, mode):
    assert settings_of(link(f"fairness {wish}")).flow_mode == TABLES["enums"]["flow"][mode]


@pytest.mark.parametrize(
    ("role", "nat"),
    [("role router", True), ("role router facing hosts", False), ("role host", False),
     ("role bridge", False), ("", False)],
)  # fmt: skip
def test_only_a_router_towards_the_internet_looks_behind_nat(role, nat):
    assert settings_of(link("bandwidth 1mbit", role)).nat is nat


def test_block_overrides_what_a_role_implies():
    assert settings_of(link("qdisc cake { nonat }", "role router")).nat is False


@pytest.mark.parametrize(
    ("gso", "bandwidth", "split"),
    [("split", "10gbit", True), ("keep", "1mbit", False), ("auto", "1gbit", True),
     ("auto", "1001mbit", False), ("auto", "unlimited", False),
     ("split when bandwidth <= 2gbit", "2gbit", True),
     ("split when bandwidth <= 2gbit", "2001mbit", False)],
)  # fmt: skip
def test_splitting_is_decided_by_the_rate(gso, bandwidth, split):
    assert settings_of(link(f"bandwidth {bandwidth}; gso {gso}")).split_gso is split


def test_splitting_by_default_as_the_kernel():
    assert settings_of(link("bandwidth 10gbit")).split_gso is True


def test_other_clauses():
    found = settings_of(
        link("ack-filter aggressive; dscp wash; memory 4MiB; mark mask 0xff; tiers precedence",
             direction="ingress")
    )  # fmt: skip
    assert (found.ack_filter, found.wash, found.memory, found.fwmark, found.diffserv,
            found.ingress) == (2, True, 4_194_304, 255, 4, True)  # fmt: skip


def test_kernel_defaults_when_nothing_is_said():
    assert settings_of(link("bandwidth unlimited")) == CakeSettings()


def test_bounds_are_kept_for_comparison():
    wanted = settings_of(link("bandwidth 10mbit within 2mbit..30mbit"))
    assert (wanted.rate, wanted.moves) == (1_250_000, (250_000, 3_750_000))
    moved, gone = replace(wanted, rate=3_000_000), replace(wanted, rate=4_000_000)
    assert Cake().differences(wanted, moved) == []
    assert [one.name for one in Cake().differences(wanted, gone)] == ["bandwidth"]


def test_autorate_moves_the_rate_by_itself():
    wanted = CakeSettings(rate=625_000, autorate=True)
    assert Cake().differences(wanted, replace(wanted, rate=119_000)) == []
    off = replace(wanted, rate=119_000, autorate=False)
    assert [one.name for one in Cake().differences(wanted, off)] == [
        "bandwidth", "autorate-ingress",
    ]  # fmt: skip


SETTINGS = st.builds(
    CakeSettings,
    rate=st.integers(0, 2**64 - 1),
    diffserv=st.integers(0, 4),
    flow_mode=st.integers(0, 7),
    nat=st.booleans(),
    wash=st.booleans(),
    ingress=st.booleans(),
    ack_filter=st.integers(0, 2),
    split_gso=st.booleans(),
    interval=st.integers(1, 2**32 - 1),
    target=st.integers(1, 2**32 - 1),
    raw=st.booleans(),
    overhead=st.integers(-(2**15), 2**15 - 1),
    atm=st.integers(0, 2),
    mpu=st.integers(0, 2**16 - 1),
    memory=st.integers(0, 2**32 - 1),
    fwmark=st.integers(0, 2**32 - 1),
    autorate=st.booleans(),
)


@given(SETTINGS)
def test_bytes_are_read_back(settings):
    assert Cake().read(Cake().netlink(settings)) == settings
    assert Cake().differences(settings, settings) == []


@given(SETTINGS, SETTINGS)
def test_difference_of_any_field_is_seen(one, other):
    names = {
        field
        for field in CakeSettings.__slots__
        if getattr(one, field) != getattr(other, field)
        and not (field == "rate" and one.autorate and other.autorate)
    }
    assert len(Cake().differences(one, other)) == len(names)


def test_compares_as_the_kernel_stores():
    """Values that the kernel cuts: recorded in test_cake_kernel.py."""
    asked = CakeSettings(overhead=70_000, mpu=70_000, flow_mode=255, diffserv=257, interval=0)
    kept = CakeSettings(overhead=4464, mpu=4464, flow_mode=63, diffserv=1, interval=1)
    assert as_stored(asked) == kept
    assert Cake().differences(asked, kept) == []


def test_command_order_survives_tc():
    """autorate-ingress after bandwidth, numbers after `raw`: tc reads from left to right."""
    words = list(
        Cake().command(
            CakeSettings(rate=625_000, autorate=True, raw=True, overhead=8, atm=1, mpu=64)
        )
    )
    assert words.index("bandwidth") < words.index("autorate-ingress")
    assert words.index("raw") < words.index("atm") < words.index("mpu")
    assert words[words.index("overhead") + 1] == "8"


def test_command_has_no_presets():
    presets = set(TABLES["overhead_presets"]) - {"raw"}
    presets |= {preset["keyword"] for preset in TABLES["rtt_presets"]}
    for words, _ in WORDS:
        assert not presets & set(Cake().command(said(words)))


def test_all_of_tcs_words_are_there():
    tables = TABLES["enums"]
    words = {
        *tables["diffserv"], *tables["flow"], *tables["atm"], *tables["ack_filter"],
        *TABLES["overhead_presets"], *(preset["keyword"] for preset in TABLES["rtt_presets"]),
        "bandwidth", "unlimited", "autorate-ingress", "rtt", "diffserv", "nat", "nonat", "wash",
        "nowash", "ingress", "egress", "split-gso", "no-split-gso", "memlimit", "fwmark",
        "overhead", "mpu",
    }  # fmt: skip
    assert set(Cake().words) == words
    assert {word.field for word in Cake().words.values()} == set(CakeOptions.__dataclass_fields__)


@pytest.mark.parametrize(
    ("policy", "code", "words"),
    [
        (link("tiers diffserv4; qdisc cake { diffserv3 }"), "qdisc-option-contradicts", None),
        (link("bandwidth 1mbit; qdisc cake { bandwidth 2mbit }"), "qdisc-option-contradicts",
         "2mbit"),
        (link("qdisc cake { ethernet; overhead 10B }"), "cake-framing-twice", "10B"),
        (link("bandwidth 7bit"), "rate-below-byte", "7bit"),
        (link("qdisc cake { bandwidth 0bit }"), "rate-below-byte", "0bit"),
        (link("", "framing { overhead 257B }"), "value-out-of-range", None),
        (link("qdisc cake { mpu 257B }"), "value-out-of-range", None),
        (link("qdisc cake { memlimit 4GiB }"), "value-out-of-range", "4GiB"),
        (link("qdisc cake { rtt 1h; }"), None, None),
        (link("qdisc cake { rtt 2h }"), "value-out-of-range", "2h"),
        (link("bandwidth 504bit"), "cake-rate-below-pace", "504bit"),
        (link("memory 1000B"), "cake-memory-below-packet", "1000B"),
        (link("", "framing { overhead -21B }"), "cake-overhead-wraps", None),
        (link("qdisc cake { autorate-ingress }"), "cake-autorate-egress", None),
        (link("bandwidth 9mbit within 1mbit..10mbit; qdisc cake { autorate-ingress }",
              direction="ingress"), "cake-autorate-bounds", None),
        (link("gso split above 3000B"), "gso-split-above", "split above 3000B"),
        (link("bandwidth 1mbit; qdisc cake; backpressure udp"), "backpressure-unavailable", "udp"),
    ],
)  # fmt: skip
def test_findings(policy, code, words):
    _, found = lower_text(policy)
    assert [item[0] for item in found] == ([code] if code else [])
    if words:
        assert found[0][1] == words


def test_preferring_makes_a_warning():
    lowered = lower_one(link("bandwidth 1mbit; prefer gso split above 3000B"))
    assert lowered.settings.split_gso is True
    assert [str(item.severity) for item in lowered.found] == ["warning"]


def test_target_formula_is_tcs():
    assert [target_of(interval) for interval in (0, 1, 19, 20, 39, 40, 100_000)] == [
        1, 1, 1, 1, 1, 2, 5000,
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("mode", "tier", "missing"),
    [
        ("diffserv3", "video", True),
        ("diffserv3", "voice", False),
        ("diffserv4", "video", False),
        ("diffserv4", "games as tin3", False),
        ("diffserv4", "games as tin4", True),
        ("diffserv8", "games as tin7", False),
        ("besteffort", "video", False),
    ],
)
@pytest.mark.parametrize("inside", [True, False])
def test_tiers_go_to_tins_that_the_mode_has(mode, tier, missing, inside):
    block = f"tier {tier} {{ match dscp af41 }}"
    text = link(f"tiers {mode}", block) if inside else link(f"tiers {mode}") + block + "\n"
    _, found = lower_text(text)
    tin = tier.rpartition(" ")[2]
    assert found == ([("tier-without-tin", tin)] if missing else [])


def test_kernel_puts_a_mark_without_a_tin_into_best_effort():
    """AF41 (34) is the mark of video; diffserv3 has no tin for it."""
    assert TABLES["tins"]["diffserv3"]["dscp_to_index"][34] == 0
