"""Mistakes made on purpose: the share that lint finds of those put into the correct policies.

Each family is one mistake as people make it, applied by text replacement wherever it can be.
The correct policies are silent; what counts is a warning or error of a code that the mistake is
owed, and no other. What is not
found is right often enough that a finding would be false: 285kbit may be meant.
"""

import re
import sys
from collections.abc import Callable
from pathlib import Path

from tcc import api
from tcc.diagnostics import Severity
from tcc.source import Source

ROOT = Path(__file__).parents[2]
LEAST = 80
"""Per cent that must be found over all families."""

RATE = re.compile(r"(bandwidth\s+)([0-9.]+)(mbit)")
EGRESS = re.compile(r"(egress\s*\{[^}]*?bandwidth\s+)([0-9.]+mbit)")
INGRESS = re.compile(r"(ingress\s*\{[^}]*?bandwidth\s+)([0-9.]+mbit)")
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


def one_more_link(text: str, tag: str) -> str:
    """Shape the first device, or a VLAN on it, by a second link."""
    device = re.search(r'^ +device +"([a-z0-9-]{1,12})"', text, re.MULTILINE)
    if not device or "objective" in text or not EGRESS.search(text):
        return text  # an objective would have to say which link it is about
    name = device[1] + tag
    return f'{text}link v {{ device "{name}"; framing raw; egress {{ bandwidth 5mbit }} }}\n'


FAMILIES: dict[str, Callable[[str], str]] = {
    "kbit for mbit": lambda text: RATE.sub(r"\1\2kbit", text, count=1),
    "bits and bytes mixed up (Mbps)": lambda text: RATE.sub(r"\1\2Mbps", text, count=1),
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
}  # fmt: skip


OWED: dict[str, tuple[str, ...]] = {
    "kbit for mbit": (
        "bandwidth-implausible",
        "directions-swapped",
        "bounds-exclude-rate",
    ),
    "bits and bytes mixed up (Mbps)": ("number-unit",),
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
    "a clause misspelt": ("unknown-clause",),
    "a preset misspelt": ("unknown-value",),
    "more goodput than the line has": ("objective-rate-above-line",),
    "a latency below the path's": ("objective-latency-below-path",),
}
"""The findings that each mistake is owed; others do not count."""


def found(path: Path, text: str, owed: tuple[str, ...]) -> bool:
    """Whether lint finds what a mistake is owed."""
    built = api.load(Source(str(path), text))
    return any(item.code in owed and item.severity >= Severity.WARNING for item in api.lint(built))


def main() -> int:
    """Make each mistake in each policy that has room for it; print the shares found."""
    policies = {path: path.read_text() for path in sorted((ROOT / "tests/clean").glob("*.tcc"))}
    made = caught = 0
    for name, mistake in FAMILIES.items():
        bad = {path: mistake(text) for path, text in policies.items()}
        bad = {path: text for path, text in bad.items() if text != policies[path]}
        hits = sum(found(path, text, OWED[name]) for path, text in bad.items())
        made, caught = made + len(bad), caught + hits
        share = f"{100 * hits // len(bad)}%" if bad else "never applied"
        print(f"{name:36} {hits:3} of {len(bad):3}  {share}")
        if "-v" in sys.argv:
            print(
                *(
                    f"    not found: {p.stem}"
                    for p, t in bad.items()
                    if not found(p, t, OWED[name])
                ),
                sep="\n",
            )
        if not bad:
            return 1
    share = 100 * caught // made
    print(f"{len(FAMILIES)} families, {made} policies with a mistake: {caught} found, {share}%")
    return 0 if share >= LEAST else 1


if __name__ == "__main__":
    sys.exit(main())
