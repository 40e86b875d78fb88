"""Arithmetic over quantities: exact, with dimensions, rounded once. Worked by hand."""

import pytest

LINK = 'link wan {{ device "a"; {} }}'


def rate(build, value, before=""):
    return build(before + LINK.format(f"bandwidth {value}")).policy.links[0].egress.bandwidth.rate


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("95% of 40mbit", 38_000_000),
        ("40mbit * 0.95", 38_000_000),
        ("0.95 * 40mbit", 38_000_000),
        ("95% * 40mbit", 38_000_000),
        ("40mbit - 2mbit", 38_000_000),
        ("40mbit + 512kbit", 40_512_000),
        ("40mbit / 4", 10_000_000),
        ("40mbit / 50%", 80_000_000),
        ("min(40mbit, 30mbit, 50mbit)", 30_000_000),
        ("max(40mbit, 30mbit)", 40_000_000),
        ("2 * (40mbit - 2mbit)", 76_000_000),
        ("40mbit - 2mbit - 1mbit", 37_000_000),  # from the left
        ("80mbit / 4 / 2", 10_000_000),
        ("50% of 50% of 40mbit", 10_000_000),
        ("12.5MB/s", 100_000_000),
        ("1mibit", 1_048_576),
        ("0.1mbit + 0.2mbit", 300_000),  # a float would say 300000.00000000006
        ("1bit * 1.5", 2),  # half up
        ("1bit * 2.4", 2),
        ("(1bit / 3) * 3", 1),  # exact until the end
        ("100KB / 8ms", 100_000_000),  # 800 000 bit in 8 ms
        ("1MB / 1s", 8_000_000),
    ],
)
def test_rates(build, value, expected):
    assert rate(build, value) == expected


@pytest.mark.parametrize(
    ("clause", "field", "expected"),
    [
        ("memory 10ms * 100mbit", "memory", 125_000),  # 1 Mbit
        ("memory 100mbit * 10ms", "memory", 125_000),
        ("memory 2 * 64KiB", "memory", 131_072),
        ("rtt 150KB / 12mbit", "rtt", 100_000_000),  # 1.2 Mbit at 12 Mbit/s
        ("rtt 20ms + 1500us", "rtt", 21_500_000),
        ("rtt max(20ms, 30ms) / 2", "rtt", 15_000_000),
    ],
)
def test_other_dimensions(build, clause, field, expected):
    policy = build(LINK.format(f"egress {{ {clause} }}")).policy
    assert getattr(policy.links[0].egress, field) == expected


def test_names_may_be_used_before_they_are_defined(build):
    before = "let a = 95% of b\nlet b = c - 2mbit\nlet c = 42mbit\n"
    assert rate(build, "a", before) == 38_000_000


@pytest.mark.slow
def test_a_long_chain_of_names_needs_no_deep_stack(build):
    names = "".join(f"let a{i} = a{i + 1} + 1bit\n" for i in range(20_000))
    assert rate(build, "a0", names + "let a20000 = 1mbit\n") == 1_020_000


def test_shares_of_shares_are_shares(build):
    assert rate(build, "share * half of 40mbit", "let share = 50%\nlet half = 50%\n") == 10_000_000


def test_counts_and_texts_have_names_too(build):
    built = build(
        "let ports = 5060\nlet far = 5061\nlet code = 46\n"
        'let net = "10.0.0.0/8"\nlet dev = "eth0"\n'
        "link wan { device dev }\n"
        "tier voice { match udp remote port ports..far local subnet net dscp code }\n"
    )
    assert built.policy.links[0].device.name == "eth0"
    [match] = built.policy.tiers[0].matches
    assert (match.remote_ports[0].first, match.remote_ports[0].last) == (5060, 5061)
    assert match.local_addresses == ("10.0.0.0/8",)
    assert match.dscp == (46,)


def test_a_wrong_value_is_said_once_however_often_it_is_used(errors):
    text = "let a = 5mbit / 0\n" + LINK.format("egress { bandwidth a }; ingress { bandwidth a }")
    assert errors(text) == [("division-by-zero", "/")]


def test_dimensions_are_checked_even_without_a_value(errors):
    text = "param up : rate\n" + LINK.format("egress { bandwidth up; rtt up + 1mbit }")
    assert errors(text) == [("dimension-mismatch", "up + 1mbit")]
