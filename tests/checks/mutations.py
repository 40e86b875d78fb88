"""Mistakes made on purpose in the correct policies, and what lint is to find of them.

Each family is one mistake as people make it, applied by text replacement wherever it can be.
The correct policies are silent; what counts is a warning or error of a code that the mistake is
owed, and no other. `RIGHT` are the changes that are no mistake in that policy, and `SECRET` those
that leave a policy which somebody else may well mean; both are listed with the reason, and both
must be just what is not found.
"""

import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

from tcc import api
from tcc.diagnostics import Severity
from tcc.source import Source

ROOT = Path(__file__).parents[2]

RATE = re.compile(r"(bandwidth\s+)([0-9.]+)(mbit)")
EGRESS = re.compile(r"(egress\s*\{[^}]*?bandwidth\s+)([0-9.]+[mg]bit)")
INGRESS = re.compile(r"(ingress\s*\{[^}]*?bandwidth\s+)([0-9.]+[mg]bit)")
PER_HOST = re.compile(r"(egress\s*\{[^{}]*?fairness\s+)per-host")
TIER = re.compile(r"^tier (\S+)(?: as (\S+))? \{\s*(match [^;}\n]+)", re.MULTILINE)


def sub(pattern: str, by: str, count: int = 1) -> Callable[[str], str]:
    """Return a mistake that replaces what a pattern matches, at the first place."""
    compiled = re.compile(pattern, re.MULTILINE)
    return lambda text: compiled.sub(by, text, count=count)


def swap_rates(text: str) -> str:
    """Exchange the rates of egress and ingress."""
    up, down = EGRESS.search(text), INGRESS.search(text)
    if not up or not down or up[2] == down[2]:
        return text
    text = EGRESS.sub(rf"\g<1>{down[2]}", text, count=1)
    return INGRESS.sub(rf"\g<1>{up[2]}", text, count=1)


def same_match_twice(text: str) -> str:
    """Add a tier that asks for what the first one has."""
    first = TIER.search(text)
    if not first:
        return text
    tin = "bulk" if (first[2] or first[1]) != "bulk" else "voice"
    return f"{text}tier second as {tin} {{ {first[3]} }}\n"


def one_more_link(text: str, tag: str, pattern: bool = False) -> str:
    """Shape the first device, or a VLAN on it, or all of a pattern, by a second link."""
    device = re.search(r'^ +device +"([a-z0-9-]{1,12})"', text, re.MULTILINE)
    if not device or "objective" in text or not EGRESS.search(text):
        return text  # an objective would have to say which link it is about
    name = f'matching "{device[1][:-1]}*"' if pattern else f'"{device[1]}{tag}"'
    return f"{text}link v {{ device {name}; framing raw; egress {{ bandwidth 5mbit }} }}\n"


def guess_framing(text: str) -> str:
    """Say `conservative` of the only line, if it is too fast to have cells."""
    fast = re.search(r"bandwidth +(?:[0-9.]+gbit|[2-9][0-9]{2}mbit)(?! within)", text)
    if not fast or text.count("framing ") > 1:
        return text
    return re.sub(r"framing +(ethernet|docsis)$", "framing conservative", text, flags=re.MULTILINE)


def one_in_bytes(text: str) -> str:
    """Say MB/s of the only link's egress, if its ingress has a rate in bits."""
    ingress = re.search(r"ingress *{[^}]*bandwidth +[0-9.]+[kmg]bit", text)
    if not ingress or text.count("link ") > 1:
        return text
    return re.sub(r"(egress *{[^}]*bandwidth +[0-9.]+)mbit", r"\1MB/s", text)


FAMILIES: dict[str, Callable[[str], str]] = {
    "kbit for mbit": lambda text: RATE.sub(r"\1\2kbit", text, count=1),
    "bits and bytes mixed up (Mbps)": lambda text: RATE.sub(r"\1\2Mbps", text, count=1),
    "one direction in MB/s": one_in_bytes,
    "no unit": lambda text: RATE.sub(r"\1\2", text, count=1),
    "up and down exchanged": swap_rates,
    "framing and role left out": lambda text: re.sub(
        r"^ +(framing|role)\s+(?!host$)\S.*\n", "", text, flags=re.MULTILINE
    ),
    "role left out, hosts told apart": lambda text: (
        re.sub(r"^ +role +.*\n", "", text, flags=re.MULTILINE) if "per-host" in text else text
    ),
    "ADSL's framing on another line": sub(
        r"framing +(ethernet|docsis|pppoe-ptm|bridged-ptm)$", "framing pppoe-llcsnap"
    ),
    "Ethernet's framing on a PPP session": lambda text: (
        re.sub(r"framing +pppoe-\S+", "framing ethernet", text) if '"pppoe' in text else text
    ),
    "no rate on DSL and cable": sub(
        r"(framing +(?:docsis|pppo\S+|bridged-\S+)\n(?:.*\n)*?.*egress *\{\s*)bandwidth [^;}\n]+;?",
        r"\1",
    ),
    "hosts told apart by the far end": lambda text: (
        PER_HOST.sub(r"\1dual-dsthost", text, count=1)
        if re.search(r"role +(router|bridge)$", text, re.MULTILINE)
        else text
    ),
    "super-packets kept on a slow line": sub(
        r"(bandwidth [0-9]{1,2}(?:\.[0-9])?mbit)(?! within)", r"\1; gso keep"
    ),
    "an AQM for a LAN": sub(
        r"(framing +pppo\S+\n(?:.*\n)*?.*egress *\{\s*)", r"\1rtt 1ms; "
    ),
    "memory for a few packets": sub(r"(bandwidth [0-9]+mbit)(?! within)", r"\1; memory 32KiB"),
    "a role for the wrong side": lambda text: re.sub(
        r'("(?:pppoe-\w+|wwan0|wan)"\n(?:.*\n)*?\s*role +router)$',
        r"\1 facing hosts", text, count=1, flags=re.MULTILINE,
    ),
    "a device shaped twice": lambda text: one_more_link(text, ""),
    "a VLAN on a shaped device": lambda text: one_more_link(text, ".9"),
    "a tier that another one empties": same_match_twice,
    "marks for one tin": sub(r"tiers +diffserv\d", "tiers besteffort; mark mask 0xff"),
    "marks on ingress": sub(r"ingress *\{", "ingress { mark mask 0xff;"),
    "cake_mq on ingress": sub(r"(ingress *\{)(?![^}]*qdisc)", r"\1 qdisc cake_mq;"),
    "autorate on egress": sub(
        r"(egress *\{)(?![^}]*qdisc)", r"\1 qdisc cake { autorate-ingress };"
    ),
    "tbf with tc's example burst": sub(r"burst +\S+(?=;|$)", "burst 1540B"),
    "a bucket of 200 ms": sub(r"burst +\S+(?=;|$)", "burst 8MiB"),
    "a name misspelt": lambda text: (
        re.sub(r"\b(of |bandwidth |min\()([a-z_]{2,})\b", r"\1\2x", text, count=1)
        if "let " in text
        else text
    ),
    "a value left over": lambda text: "let leftover = 5mbit\n" + text,
    "a clause misspelt": sub(r"\bfairness\b", "fairnes"),
    "a preset misspelt": sub(r"framing +(ethernet|docsis)", r"framing \1s"),
    "more goodput than the line has": lambda text: re.sub(
        r"require egress utilisation >= \S+",
        "require egress goodput >= " + (EGRESS.search(text) or ["", "", "1gbit"])[2],
        text, count=1,
    ),
    "a latency below the path's": lambda text: (
        re.sub(r"require ping [a-z-]*latency (\S+) <= \S+", r"require ping latency \1 <= 9us", text)
        if re.search(r"under .* rtt ", text)
        else text
    ),
    "no rate on what comes in": sub(
        r"(ingress\s*\{[^}]*?bandwidth\s+)[0-9.]+[mg]bit(?! within)", r"\1unlimited"
    ),
    "an AQM for a planet": sub(r"(egress *\{)(?![^}]*rtt)", r"\1 rtt 50s;"),
    "a percentage as a factor": sub(r"\b([1-9][0-9])% of", r"0.\1% of"),
    "hosts that NAT hides": lambda text: (
        re.sub(r"(egress *\{)(?![^}]*qdisc)", r"\1 qdisc cake { nonat };", text, count=1)
        if re.search(r"role +router$", text, re.MULTILINE)
        else text
    ),
    "the Web as urgent as calls": lambda text: (
        text + "tier urgent as voice { match tcp remote port 443 }\n"
        if re.search(r"tiers +diffserv[34]", text)
        else text
    ),
    "local and remote exchanged": sub(
        r"local (subnet|address) (192\.168\.|fd)", r"remote \1 \2"
    ),
    "cake_mq between hosts": sub(
        r"(egress *\{)(?![^}]*qdisc)([^}]*fairness per-host)", r"\1 qdisc cake_mq;\2"
    ),
    "a queue of five packets": sub(r"(inner (?:sfq|fq_codel))(?= *\})", r"\1 { limit 5 }"),
    "one clause twice": sub(r"(egress *\{ *)(bandwidth [^;}]+)", r"\1\2; \2"),
    "a waiver of nothing": lambda text: text + "# tcc: allow gso-blocks-line because we said so\n",
    "a pattern over a device": lambda text: one_more_link(text, "", pattern=True),
    "objectives both ways, load one way": lambda text: (
        text.replace("require egress utilisation", "require utilisation")
        if "under   tcp_nup" in text and "ingress" in text
        else text
    ),
    "the loopback device": sub(r'device +"[^"]+"', 'device "lo"'),
    "more than all of a line": sub(r"(bandwidth +)[0-9]+% of", r"\g<1>110% of"),
    "bounds of one rate": sub(
        r"(bandwidth +)([0-9.]+[kmg]bit) within [^;}\n]+[^;} \n]", r"\g<1>\2 within \2..\2"
    ),
    "a guess on a fast line": guess_framing,
    "hosts compared, and one of them": lambda text: (
        re.sub(r" from [0-9]+ hosts?", "", text) if "host fairness" in text else text
    ),
}  # fmt: skip


OWED: dict[str, tuple[str, ...]] = {
    "kbit for mbit": (
        "bandwidth-implausible",
        "directions-swapped",
        "bounds-exclude-rate",
        "objective-latency-below-packet",
        "tbf-latency-below-packet",
        "tbf-burst-long",
        "voice-tin-below-call",
    ),
    "bits and bytes mixed up (Mbps)": ("number-unit",),
    "one direction in MB/s": ("rate-units-mixed", "bounds-exclude-rate"),
    "no unit": ("missing-unit",),
    "up and down exchanged": (
        "directions-swapped",
        "atm-beyond-adsl",
        "bounds-exclude-rate",
    ),
    "framing and role left out": (
        "line-undescribed",
        "fairness-without-role",
    ),
    "role left out, hosts told apart": (
        "fairness-without-role",
        "line-undescribed",
    ),
    "ADSL's framing on another line": (
        "atm-beyond-adsl",
        "framing-not-of-line",
    ),
    "Ethernet's framing on a PPP session": ("framing-not-of-line",),
    "no rate on DSL and cable": ("line-unshaped",),
    "hosts told apart by the far end": ("fairness-turned",),
    "super-packets kept on a slow line": (
        "gso-blocks-line",
        "qdisc-cannot-express",
    ),
    "an AQM for a LAN": (
        "rtt-below-path",
        "duplicate-clause",
    ),
    "memory for a few packets": (
        "memory-below-bdp",
        "qdisc-cannot-express",
        "duplicate-clause",
    ),
    "a role for the wrong side": ("role-not-of-device",),
    "a device shaped twice": ("device-claimed-twice",),
    "a VLAN on a shaped device": ("device-inside-another",),
    "a tier that another one empties": ("tier-unreachable",),
    "marks for one tin": (
        "mark-mask-without-tins",
        "tiers-without-tins",
        "duplicate-clause",
    ),
    "marks on ingress": ("mark-mask-on-ingress",),
    "cake_mq on ingress": ("cake-mq-ingress",),
    "autorate on egress": (
        "cake-autorate-egress",
        "cake-autorate-bounds",
    ),
    "tbf with tc's example burst": ("tbf-burst-short",),
    "a bucket of 200 ms": ("tbf-burst-long",),
    "a name misspelt": ("unknown-name",),
    "a value left over": ("unused-name",),
    "a clause misspelt": ("unknown-clause", "unknown-metric"),
    "a preset misspelt": ("unknown-value",),
    "more goodput than the line has": ("objective-rate-above-line",),
    "a latency below the path's": ("objective-latency-below-path",),
    "no rate on what comes in": (
        "unlimited-never-waits",
        "line-unshaped",
        "objective-without-bandwidth",
    ),
    "an AQM for a planet": ("rtt-above-path", "qdisc-cannot-express", "duplicate-clause"),
    "a percentage as a factor": ("share-implausible",),
    "hosts that NAT hides": ("fairness-behind-nat",),
    "the Web as urgent as calls": ("voice-tier-too-wide", "tier-unreachable"),
    "local and remote exchanged": ("tier-sides-swapped",),
    "cake_mq between hosts": ("cake-mq-fairness",),
    "a queue of five packets": ("tbf-queue-below-window", "backpressure-limit"),
    "one clause twice": ("duplicate-clause",),
    "a waiver of nothing": ("waiver-unused",),
    "a pattern over a device": ("device-claimed-twice",),
    "objectives both ways, load one way": ("objective-above-load",),
    "the loopback device": ("device-is-loopback",),
    "more than all of a line": ("bandwidth-above-whole",),
    "bounds of one rate": ("bounds-leave-no-room",),
    "a guess on a fast line": ("framing-guess-costly",),
    "hosts compared, and one of them": ("objective-fairness-of-one",),
}
"""The findings that each mistake is owed; others do not count."""


RIGHT: dict[str, dict[str, str]] = {
    "up and down exchanged": {
        "uneven-plan": "the plan is faster up than down, so exchanged it is the usual one",
    },
    "framing and role left out": {
        "containers": "the ends of veth pairs add nothing, and that is the default",
        "lab-short-buffers": "the ends of veth pairs add nothing, and that is the default",
        "lab-slow": "two namespaces are no line, whatever they play",
        "options-in-tc-words": "the blocks say overhead, mpu, nat and hosts in tc's words",
        "k8s-nodes-pattern": "the ends of veth pairs add nothing, and that is the default",
        "lab-satellite": "the ends of veth pairs add nothing, and that is the default",
    },
    "super-packets kept on a slow line": {
        "lab-fifo-short": "a tbf cuts what its bucket does not hold, 20 packets at most",
    },
    "hosts that NAT hides": {
        "event-network": "the stage's network is on the hosts' side, where nothing is translated",
        "lab-host-fairness": "flows are told apart there, and not hosts",
    },
    "memory for a few packets": {
        "slow-radio-fqcodel": "1 Mbit/s in 130 ms are 16250 bytes: 32 KiB are enough",
        "adsl-pppoe-llc": "1 Mbit/s in 80 ms are 10000 bytes: 32 KiB are enough",
        "lab-slow": "1 Mbit/s in 100 ms are 12500 bytes: 32 KiB are enough",
    },
    "tbf with tc's example burst": {
        "slow-radio-fqcodel": "1540 bytes hold a frame, and are 12 ms of 1 Mbit/s",
    },
    "more than all of a line": {
        "guest-vlan-isolated": "it faces guests, and the line is not behind it",
        "isp-overprovision": "customers get more than they pay for, since headers count",
    },
}
"""Changes that leave a policy right, by family and policy, with the reason."""

NO_PARAM = "device and rates are parameters without a value"
COUNTED = "the cap of a server may be counted without Ethernet's headers"
SECRET: dict[str, dict[str, str]] = {
    "kbit for mbit": {
        "dns-server-here": "a server may be held to 900 kbit/s",
        "server-cap": "a server may be held to 495 kbit/s",
        "wireguard-server": "a tunnel may be held to 200 kbit/s",
        "docker-host": "a line may have 900 kbit/s",
        "event-network": "the network of a stage may be held to 200 kbit/s",
        "server-git-mirror": "a server may be held to 480 kbit/s",
        "server-web": "a server may be held to 950 kbit/s",
    },
    "up and down exchanged": {
        "ipv6-only-464xlat": "a plan may be twice as fast up as down: one is three times, here",
        "two-crowds-fair": "a plan may be twice as fast up as down: one is three times, here",
        "containers": "containers may send twice as fast as they receive",
        "containers-build-farm": "containers may send twice as fast as they receive",
        "wireguard": "tunnels may be 2.7 times as fast up as down: a plan is, in this corpus",
        "wireguard-client": "tunnels may be 2.5 times as fast up as down",
        "isp-wireless-sectors": "cameras behind a sector may send three times what they receive",
    },
    "framing and role left out": {
        "dns-server-here": COUNTED,
        "server-10g": COUNTED,
        "slow-radio-fqcodel": COUNTED,
        "udp-overload-on-purpose": COUNTED,
        "wg-only-cap": "the cap of a tunnel may be counted without its carrier's headers",
        "kubernetes-node": COUNTED,
        "lab-datacentre": COUNTED,
        "office-many-sites": NO_PARAM,
        "server-backup": COUNTED,
        "server-cap": COUNTED,
        "server-clients-explicit": COUNTED,
        "server-mail-ipv6": COUNTED,
        "udp-server": COUNTED,
        "server-dns": COUNTED,
        "server-git-mirror": COUNTED,
        "server-streaming": COUNTED,
        "server-web": COUNTED,
    },
    "ADSL's framing on another line": {
        "office-many-sites": NO_PARAM,
        "geo-satellite-pep": "ADSL2+ may have 22 Mbit/s down and 2.7 up",
        "slow-radio-fqcodel": "ADSL may have 1 Mbit/s up",
    },
}
"""Mistakes that leave what somebody else may mean, by family and policy, with the reason."""


def found(path: Path, text: str, owed: tuple[str, ...]) -> bool:
    """Whether lint finds what a mistake is owed."""
    built = api.load(Source(str(path), text))
    return any(item.code in owed and item.severity >= Severity.WARNING for item in api.lint(built))


class Tried(NamedTuple):
    """What came of one mistake, made wherever there is room for it."""

    name: str
    made: int
    """Policies with the mistake; those that it leaves right do not count."""
    hits: int
    right: tuple[str, ...]
    secret: tuple[str, ...]
    wrong: tuple[str, ...]
    """What is not as `RIGHT` and `SECRET` say, in words."""

    @property
    def share(self) -> str:
        """Return the share that is found, rounded down."""
        return f"{100 * self.hits // self.made}%" if self.made else "never made"


def policies() -> dict[Path, str]:
    """Return the correct policies by their paths."""
    paths = [*(ROOT / "tests/clean").glob("*.tcc"), *(ROOT / "docs/examples").glob("*.tcc")]
    return {path: path.read_text() for path in sorted(paths, key=lambda path: path.stem)}


def tried(name: str, correct: dict[Path, str]) -> Tried:
    """Make one mistake wherever there is room."""
    bad = {path: FAMILIES[name](text) for path, text in correct.items()}
    bad = {path: text for path, text in bad.items() if text != correct[path]}
    missed = {path.stem for path, text in bad.items() if not found(path, text, OWED[name])}
    right, secret = RIGHT.get(name, {}), SECRET.get(name, {})
    wrong = [f"not found in {stem}" for stem in sorted(missed - right.keys() - secret.keys())]
    wrong += [f"found after all in {stem}" for stem in sorted({*right, *secret} - missed)]
    return Tried(
        name,
        len(bad) - len(missed & right.keys()),
        len(bad) - len(missed),
        tuple(sorted(missed & right.keys())),
        tuple(sorted(missed & secret.keys())),
        tuple(wrong) if bad else ("never made",),
    )


def summary(results: Sequence[Tried]) -> str:
    """Return how many were found of how many."""
    made = sum(result.made for result in results)
    hits = sum(result.hits for result in results)
    secret = sum(len(result.secret) for result in results)
    return (
        f"{len(results)} families, {made} policies with a mistake: {hits} found, "
        f"{100 * hits / made:.1f}%; {secret} cannot be seen, with a reason each"
    )
