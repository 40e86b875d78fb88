"""The engine's counterpart of each qdisc has the parameters that the kernel is sent."""

from dataclasses import replace
from random import Random as Dice

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tcc.engine.cake import config
from tcc.engine.packet import PacketPool
from tcc.engine.random import Random
from tcc.engine.scene import Scene
from tcc.netlink.kinds import CAKE, decode_options
from tcc.plugin import Child, qdisc
from tcc_plugins.cake import Cake, config_of
from tcc_plugins.cake_mq import CakeMq
from tcc_plugins.fq_codel import FqCodelSettings
from tcc_plugins.sfq import SfqSettings
from tcc_plugins.tbf import Tbf, TbfSettings
from tcc_plugins.tbf.settings import ticks_of
from tests.plugins.cake_cases import random_settings


def scene(**more) -> Scene:
    return Scene(PacketPool(), Random(1, 8), **more)


@given(st.integers(0, 2**32))
@settings(max_examples=50, deadline=None)
def test_cake_has_what_is_sent(seed):
    """The engine dumps its configuration as attributes, in the kernel's order."""
    wanted = random_settings(Dice(seed))
    ours = dict(decode_options("cake", Cake().netlink(wanted)))
    by_number = config.dump(config_of(wanted, scene()))
    theirs = {CAKE.by_number[number].name: value for number, value in by_number}
    assert theirs == ours


def test_cake_model_is_made():
    wanted = random_settings(Dice(1))
    model = Cake().model(wanted, scene(max_frame=9014, handle=0x30000))
    assert model.config == config_of(wanted, scene())
    assert (model.mtu, model.handle) == (9014, 0x30000)


def test_split_above_is_the_scenes():
    assert config_of(random_settings(Dice(1)), scene(split_above=3000)).split_above == 3000


def test_cake_mq_has_a_cake_for_each_queue():
    wanted = replace(random_settings(Dice(2)), autorate=False)
    model = CakeMq().model(wanted, scene(queues=4))
    assert [child.config for child in model.children] == [config_of(wanted, scene())] * 4
    assert {child.handle for child in model.children} == {0}


@given(
    rate=st.integers(1_000, 2**37),
    burst=st.integers(600, 2**24),
    overhead=st.integers(0, 500),
    mpu=st.integers(0, 255),
    linklayer=st.sampled_from([1, 2]),
)
@settings(max_examples=50, deadline=None)
def test_tbf_has_the_buckets_that_the_kernel_dumps(rate, burst, overhead, mpu, linklayer):
    wanted = TbfSettings(
        rate, 100_000, burst, rate + 1, 2_000, overhead, mpu, linklayer,
        Child(1, "sfq", SfqSettings(limit=300)),
    )  # fmt: skip
    model = Tbf().model(wanted, scene())
    assert model.depth >> 6 & 0xFFFFFFFF == ticks_of(burst, rate, wanted)
    assert model.peak_depth >> 6 & 0xFFFFFFFF == ticks_of(2_000, rate + 1, wanted)
    assert model.inner.limit == 300


@pytest.mark.parametrize(
    ("kind", "given", "expected"),
    [
        ("sfq", SfqSettings(limit=300, depth=100, flows=64, quantum=3000, headdrop=True),
         {"limit": 300, "depth": 100, "quantum": 3000, "head_drop": True}),
        ("fq_codel", FqCodelSettings(limit=500, memory_limit=4_000_000, ecn=False),
         {"limit": 500, "memory_limit": 4_000_000, "ecn": False}),
        ("bfifo", qdisc("bfifo").read((65_536).to_bytes(4, "little")),
         {"limit": 65_536, "in_bytes": True}),
        ("pfifo", qdisc("pfifo").read((77).to_bytes(4, "little")),
         {"limit": 77, "in_bytes": False}),
    ],
)  # fmt: skip
def test_inner_models(kind, given, expected):
    model = qdisc(kind).model(given, scene())
    assert {name: getattr(model, name) for name in expected} == expected


def test_tbf_without_a_known_inner_holds_the_kernels_fifo():
    model = Tbf().model(TbfSettings(6_250_000, 328_884, 16_384), scene())
    assert (model.inner.limit, model.inner.in_bytes) == (328_884, True)
