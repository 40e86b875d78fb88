"""CAKE's whole option space, as Hypothesis draws it, and what comes of it on a system."""

from collections.abc import Mapping

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from tcc import api
from tcc.express import said_of
from tcc.importing import Imported, read
from tcc.importing.found import End, FoundLink
from tcc.importing.text import policy_text
from tcc.lower import lower_policy
from tcc.passes import Built
from tcc.plan.state import FileItem
from tcc.source import Source
from tcc.tcwords.cake import FLOWS, MODES, RTTS, CakeSaid

DEVICE = "eth1"
Said = Mapping[str, tuple[str, CakeSaid]]
"""By direction the kind, and the settings in tc's words."""

cakes: SearchStrategy[CakeSaid] = st.builds(
    CakeSaid,
    rate=st.one_of(
        st.just(0),
        st.integers(8, 10**10).map(lambda rate: rate // 8 * 8),
        st.integers(1, 10**6).map(lambda kbit: kbit * 1000),
    ),
    autorate=st.booleans(),
    mode=st.sampled_from(MODES),
    flow=st.sampled_from(FLOWS),
    nat=st.booleans(),
    wash=st.booleans(),
    ingress=st.booleans(),
    ack=st.sampled_from(["no-ack-filter", "ack-filter", "ack-filter-aggressive"]),
    split=st.booleans(),
    rtt=st.one_of(st.sampled_from(sorted(RTTS.values())), st.integers(1, 2**32 - 1)),
    raw=st.booleans(),
    cells=st.sampled_from(["noatm", "atm", "ptm"]),
    overhead=st.one_of(st.sampled_from([0, 8, 22, 30, 34, 38, 42, 44]), st.integers(-34, 256)),
    mpu=st.one_of(st.sampled_from([0, 64, 84]), st.integers(0, 256)),
    memlimit=st.one_of(st.just(0), st.integers(2**16, 2**32 - 1)),
    fwmark=st.one_of(st.just(0), st.integers(1, 2**32 - 1)),
)
links: SearchStrategy[FoundLink] = st.builds(
    lambda ends: FoundLink(DEVICE, {side: End("cake", said) for side, said in ends.items()}),
    st.dictionaries(st.sampled_from(["egress", "ingress"]), cakes, min_size=1),
)


def built(link: FoundLink) -> Built:
    """Return the policy that says what a link has."""
    return api.load(Source("p.tcc", policy_text(Imported([link]), "a test")))


def meaning(policy: Built) -> Said:
    """Return what a policy lowers to."""
    assert policy.policy is not None, policy.found
    lowered, _ = lower_policy(policy.policy, None, {})
    return {
        one.wish.direction: (one.kind, said_of(one)) for one in lowered if one.settings is not None
    }


def files_for(policy: Built, backend: str, **knobs: str) -> dict[str, str]:
    """Return what a back end writes; nothing where the system refuses."""
    state, _ = api.lower(policy, backend, None, knobs)
    return {place.at: item.text for place, item in state.items() if isinstance(item, FileItem)}


def imported_again(files: Mapping[str, str], backend: str) -> Imported:
    """Return what the importer reads in a back end's files."""
    made = Imported()
    for path, kind in SOURCES[backend].items():
        for name, text in files.items():
            if name.startswith(path) or (path.startswith("*") and name.endswith(path[1:])):
                for link in read(kind, text, DEVICE).links:
                    made.link(link.device).ends.update(link.ends)
    return made


SOURCES = {
    "tc-script": {"tc.sh": "tc"},
    "ifupdown": {"etc/network/if-up.d/": "tc"},
    "ifupdown-ng": {"etc/network/interfaces.d/": "ifupdown-ng"},
    "networkd": {"etc/systemd/network/": "networkd", "usr/local/lib/tcc/": "tc"},
    "networkmanager": {"etc/NetworkManager/dispatcher.d/": "tc", "*.keyfile": "networkmanager"},
    "openwrt": {"etc/config/sqm": "sqm"},
    "vyos": {"tcc.vyos": "vyos"},
    "routeros": {"tcc.rsc": "routeros"},
}
