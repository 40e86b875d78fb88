"""Hypothesis strategies for policies that are right: as text, in any combination of clauses.

`policies()` draws whole policy files that build without a finding. The smaller strategies
draw the clauses of one block each, as lists of lines, for tests of one part.
"""

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

NAMES = [f"{start}{end}" for start in ("n", "q", "wan-", "x_") for end in ("a1", "b2", "c3", "d4")]
"""Names that no clause takes as a value and no requirement as a word."""


def _of(*words: str) -> SearchStrategy[str]:
    return st.sampled_from(words)


rates = st.one_of(
    st.builds("{}{}".format, st.integers(1, 9999), _of("kbit", "mbit", "Mbit", "kibit", "KB/s")),
    st.builds("{}.{}gbit".format, st.integers(0, 9), st.integers(1, 999)),
    st.builds("{}% of {}mbit".format, st.integers(1, 100), st.integers(1, 1000)),
    st.builds("min({}mbit, {}mbit)".format, st.integers(1, 99), st.integers(1, 99)),
    st.builds("{}mbit - {}kbit".format, st.integers(2, 99), st.integers(1, 999)),
    st.builds("({}mbit + 1kbit) * 0.{}".format, st.integers(2, 99), st.integers(1, 9)),
)
sizes = st.builds("{}{}".format, st.integers(1, 900), _of("B", "KB", "KiB", "MiB"))
durations = st.one_of(
    st.builds("{}{}".format, st.integers(1, 900), _of("us", "ms", "s")),
    st.builds("{}.5ms".format, st.integers(0, 900)),
)
counts = st.integers(1, 64).map(str)
ratios = st.one_of(
    st.integers(0, 100).map("{}%".format),
    st.integers(0, 999).map("0.{:03}".format),
    st.builds("{}.{}%".format, st.integers(0, 99), st.integers(0, 9)),
)
devices = st.text("abcdefghij0123456789-_.", min_size=1, max_size=15).filter(
    lambda name: name not in (".", "..")
)

TIN_MODES = _of("besteffort", "precedence", "diffserv3", "diffserv4", "diffserv8")
FAIRNESS = _of(
    "per-flow", "per-host", "per-source", "per-destination", "none", "flowblind", "hosts",
    "dual-srchost", "triple-isolate",
)  # fmt: skip
DSCPS = st.one_of(
    _of("ef", "cs0", "cs5", "cs7", "af11", "af43", "af4x", "le", "va", "be", "df"),
    st.integers(0, 63).map(str),
)


@st.composite
def bounded_rates(draw: DrawFn) -> str:
    low, rate, high = sorted(draw(st.lists(st.integers(1, 999), min_size=3, max_size=3)))
    return f"{rate}mbit within {low}mbit..{high}mbit"


@st.composite
def tbf_options(draw: DrawFn) -> str:
    lines = ["burst " + draw(st.one_of(sizes, st.just("auto")))]
    lines.append(draw(st.one_of(durations.map("latency {}".format), sizes.map("limit {}".format))))
    if draw(st.booleans()):
        lines.append("inner " + draw(_of("sfq", "bfifo", "pfifo", "fq_codel")))
    return "qdisc tbf { " + "; ".join(lines) + " }"


CAKE_OPTIONS = _of(
    "nat", "wash", "diffserv8", "rtt 20ms", "memlimit 4MiB", "overhead 18B", "mpu 64B"
)

SHAPING = {
    "bandwidth": st.one_of(st.just("unlimited"), rates, bounded_rates()).map("bandwidth {}".format),
    "tiers": TIN_MODES.map("tiers {}".format),
    "fairness": FAIRNESS.map("fairness {}".format),
    "rtt": st.one_of(durations, _of("lan", "metro", "interplanetary")).map("rtt {}".format),
    "ack-filter": _of("off", "on", "aggressive").map("ack-filter {}".format),
    "dscp": _of("keep", "wash").map("dscp {}".format),
    "memory": sizes.map("memory {}".format),
    "mark": st.integers(1, 2**32 - 1).map("mark mask {:#x}".format),
    "gso": st.one_of(
        _of("split", "keep", "auto"),
        rates.map("split when bandwidth <= {}".format),
        sizes.map("split above {}".format),
    ).map("gso {}".format),
    "qdisc": st.one_of(_of("qdisc auto", "qdisc cake", "qdisc cake_mq"), tbf_options()),
    "backpressure": _of(
        "backpressure udp",
        "backpressure udp { senders 16 }",
        "backpressure udp { interval 100ms; senders 4; sndbuf 208KiB }",
    ),
}


@st.composite
def shaping(draw: DrawFn) -> list[str]:
    """Clauses of an `egress` block: each at most once, some of them preferred."""
    chosen = draw(st.lists(st.sampled_from(sorted(SHAPING)), unique=True, max_size=6))
    return [draw(_of("", "", "prefer ")) + draw(SHAPING[word]) for word in chosen]


framings = st.one_of(
    st.builds(
        lambda preset, tags: "framing " + preset + " + vlan" * tags,
        _of("ethernet", "docsis", "pppoe-ptm", "ipoa-vcmux", "raw", "unknown"),
        st.integers(0, 2),
    ),
    st.builds(
        "framing {{ overhead {}B; mpu {}B; cells {} }}".format,
        st.integers(-64, 256),
        st.integers(0, 256),
        _of("none", "atm", "ptm"),
    ),
    st.just("framing { overhead -4B }"),
)
roles = _of("router", "bridge", "host", "router facing hosts", "bridge facing hosts")

CONDITIONS = [
    st.lists(DSCPS, min_size=1, max_size=3).map(lambda words: "dscp " + ", ".join(words)),
    st.builds("mark {:#x}/{:#x}".format, st.just(0x10), _of(0x10, 0xFF, 0x30)),
    st.builds(
        "{} {} port {}..{}".format,
        _of("udp", "tcp"), _of("local", "remote", ""),
        st.integers(0, 1000), st.integers(1000, 65535),
    ),
    _of("protocol icmp", "protocol gre, 99", "protocol 17"),
    st.ip_addresses(v=4).map("local address {}".format),
    st.ip_addresses(v=6).map("remote address {}".format),
    _of("local subnet 10.0.0.0/8, 2001:db8::/32", "remote subnet 192.0.2.0/24"),
    devices.map('device "{}"'.format),
]  # fmt: skip


@st.composite
def matches(draw: DrawFn) -> str:
    kinds = draw(
        st.lists(st.sampled_from(range(len(CONDITIONS))), min_size=1, max_size=3, unique=True)
    )
    if 2 in kinds and 3 in kinds:  # both say the protocol
        kinds.remove(3)
    if (4 in kinds and 6 in kinds) or (5 in kinds and 6 in kinds):  # both say an address
        kinds.remove(6)
    return "match " + " ".join(draw(CONDITIONS[kind]) for kind in kinds)


@st.composite
def tiers(draw: DrawFn, names: list[str]) -> list[str]:
    return [
        f"tier {name} as {draw(_of('bulk', 'voice', 'video', 'tin7'))} "
        f"{{ {'; '.join(draw(st.lists(matches(), min_size=1, max_size=3)))} }}"
        for name in names
    ]


@st.composite
def links(draw: DrawFn, name: str, profile: str | None) -> list[str]:
    head = f"link {name} : {profile} {{" if profile else f"link {name} {{"
    lines = [head, f'    device "{draw(devices)}"']
    if draw(st.booleans()):
        lines.append("    " + draw(framings))
    if draw(st.booleans()):
        lines.append(f"    role {draw(roles)}")
    lines += ["    " + line for line in draw(shaping())]
    for direction in ("egress", "ingress"):
        if draw(st.booleans()):
            lines += [f"    {direction} {{", *draw(shaping()), "    }"]
    lines += draw(tiers(draw(st.lists(_of(*NAMES[8:12]), max_size=2, unique=True))))
    return [*lines, "}"]


@st.composite
def workloads(draw: DrawFn, name: str) -> list[str]:
    parts = []
    for number in range(draw(st.integers(1, 3))):
        kind = draw(_of("tcp", "udp", "voip", "ping"))
        line = {
            "tcp": "tcp {} {} flows",
            "udp": "udp {} {} flows " + draw(rates) + draw(_of(" each", " total")),
            "voip": "voip {1} calls",
            "ping": "ping",
        }[kind].format(draw(_of("upload", "download")), draw(counts))
        for option, strategy in (
            ("dscp", _of("ef", "cs1", "5")),
            ("rtt", durations),
            ("after", durations),
        ):
            if draw(st.booleans()):
                line += f" {option} {draw(strategy)}"
        if kind in ("tcp", "udp") and draw(st.booleans()):
            line += f" from {draw(counts)} hosts payload 1200B"
        if kind == "tcp":
            line += draw(_of("", " cubic", " bbr ecn", " reno"))
        if kind == "ping" and draw(st.booleans()):
            line += f" interval {draw(durations)}"
        parts.append(line + draw(_of("", f" as part-{number}")))
    return [f"workload {name} {{", *parts, "}"]


TESTBED = [
    _of('kernel "linux-7.3"', "kernel llist", 'host "ipq8074a"'),
    counts.map("cpus {}".format),
    counts.map("queues {}".format),
    _of("queue-map hash", "queue-map cpu"),
    rates.map("nic {}".format),
    durations.map("interrupt-interval {}".format),
    st.one_of(st.just("bql auto"), sizes.map("bql max {}".format)),
    counts.map("ring {}".format),
    st.one_of(st.just("defer-limit none"), counts.map("defer-limit {}".format)),
    _of("socket-backpressure none", "socket-backpressure rfc"),
    rates.map("beyond {}".format),
    ratios.map("loss {}".format),
    durations.map("jitter {}".format),
]


@st.composite
def testbeds(draw: DrawFn, name: str) -> list[str]:
    chosen = draw(st.lists(st.sampled_from(range(len(TESTBED))), unique=True, max_size=5))
    return [f"testbed {name} {{", *(draw(TESTBED[index]) for index in chosen), "}"]


def requirements(tier_names: list[str], loads: list[str]) -> SearchStrategy[str]:
    side = _of("", "egress ", "ingress ")
    compare = _of(">=", "<=")
    subject = _of("", "ping ", *(f"{name} " for name in (*tier_names, *loads)))
    return st.one_of(
        st.builds("require {}goodput {} {}".format, side, compare, rates),
        st.builds("require {}throughput median {} {}".format, side, compare, rates),
        st.builds("require {}utilisation {} {}".format, side, compare, ratios),
        st.builds(
            "require {}{} {} {} {}".format,
            subject, _of("latency", "induced-latency", "sojourn"),
            _of("mean", "median", "p95", "p99", "p99.9", "max"), compare, durations,
        ),
        st.builds("require {}loss {} {}".format, subject, compare, ratios),
        st.builds("require marks {} {}".format, compare, counts),
        st.builds("require marks {} {}%".format, compare, st.integers(0, 100)),
        st.builds("require mos {} 3.{}".format, compare, st.integers(0, 9)),
        st.builds("require {} fairness {} {}".format, _of("flow", "host"), compare, ratios),
    )  # fmt: skip


@st.composite
def objectives(
    draw: DrawFn, link: str, loads: list[str], beds: list[str], tier_names: list[str]
) -> list[str]:
    used = draw(st.lists(_of(*loads, "rrul", "tcp_nup"), min_size=1, max_size=2, unique=True))
    under = " + ".join(
        use + (f" {draw(counts)} flows" if draw(st.booleans()) else "") for use in used
    )
    lines = [f'objective "what {draw(counts)} wants" {{', f"    over {link}"]
    if beds and draw(st.booleans()):
        lines.append(f"    on {draw(st.sampled_from(beds))}")
    lines.append(f"    under {under} for {draw(durations)} rtt {draw(durations)}")
    wanted = requirements(tier_names, used)
    lines += ["    " + line for line in draw(st.lists(wanted, min_size=1, max_size=3))]
    return [*lines, "}"]


@st.composite
def policies(draw: DrawFn) -> str:
    """Whole policy files that build without a finding."""
    profile = NAMES[0] if draw(st.booleans()) else None
    link_names = draw(st.lists(_of(*NAMES[1:4]), min_size=1, max_size=3, unique=True))
    tier_names = draw(st.lists(_of(*NAMES[4:8]), max_size=2, unique=True))
    loads = draw(st.lists(_of("load-a", "load-b"), max_size=2, unique=True))
    beds = draw(st.lists(_of("bed-a", "bed-b"), max_size=1))
    lines: list[str] = []
    if profile:
        lines += [f"profile {profile} {{", *draw(shaping()), "}"]
    for name in link_names:
        lines += draw(links(name, profile if draw(st.booleans()) else None))
    lines += draw(tiers(tier_names))
    for name in loads:
        lines += draw(workloads(name))
    for name in beds:
        lines += draw(testbeds(name))
    for _ in range(draw(st.integers(0, 2))):
        lines += draw(objectives(draw(st.sampled_from(link_names)), loads, beds, tier_names))
    return "\n".join(lines) + "\n"
