"""Names of ifb devices: within the kernel's limit, and never one for two."""

from hypothesis import given
from hypothesis import strategies as st

from tcc.facts import DeviceFacts, Facts
from tcc.lower.ifb import ifb_name, is_ours
from tests.plugins.lowered import lower_text

NAMES = st.text(
    st.characters(blacklist_characters="/", blacklist_categories=("Cc", "Cs", "Zs", "Zl", "Zp")),
    min_size=1,
    max_size=15,
).filter(lambda name: len(name.encode()) <= 15)


@given(NAMES)
def test_the_kernel_takes_every_name(name):
    made = ifb_name(name)
    assert len(made.encode()) <= 15  # IFNAMSIZ holds 16 with the closing zero
    assert made == ifb_name(name)
    assert made.isascii()


@given(st.lists(NAMES, min_size=2, max_size=50, unique=True))
def test_two_devices_have_two(names):
    assert len({ifb_name(name) for name in names}) == len(names)


def test_two_usb_adapters_of_one_maker_have_two():
    # sqm-scripts#88: ifb4 and the name, cut to 15 bytes, is the same for both
    one, other = "enxa0cec812eb2b", "enxa0cec812eb2c"
    assert ("ifb4" + one)[:15] == ("ifb4" + other)[:15]
    assert ifb_name(one) != ifb_name(other)
    assert ifb_name(one).endswith("eb2b")


def test_a_short_name_is_readable():
    assert ifb_name("pppoe-wan") == "ifb-pppoe-wan"
    assert ifb_name("12345678901") == "ifb-12345678901"


def test_a_pattern_does_not_take_our_own_device():
    devices = (
        DeviceFacts(name="eth0"),
        DeviceFacts(name="ifb-eth0", kind="ifb"),
        DeviceFacts(name="ifb-strange", kind="bridge"),
    )
    policy = 'link all { device matching "*"; egress { bandwidth 9mbit; qdisc cake } }'
    lowered, _ = lower_text(policy, Facts(devices=devices))
    assert [one.wish.device.name for one in lowered] == ["eth0", "ifb-strange"]
    assert is_ours(devices[1])
