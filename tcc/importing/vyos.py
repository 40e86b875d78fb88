"""VyOS's `set` commands: its policies of the kinds cake and rate-control."""

import re
from dataclasses import replace
from typing import Final

from tcc.importing.found import Bucket, End, Imported, Kind
from tcc.tcwords.numbers import NumberError, rate_of, size_of, time_of

_VYOS = re.compile(r"set qos policy (cake|rate-control) (\S+) (\S+)(?: (.*))?")
_VYOS_FLOWS: Final = {
    "blind": "flowblind", "src-host": "srchost", "dst-host": "dsthost", "host": "hosts",
    "flow": "flows", "dual-src-host": "dual-srchost", "dual-dst-host": "dual-dsthost",
    "triple-isolate": "triple-isolate",
}  # fmt: skip


def read_vyos(text: str) -> Imported:
    """Return the links of VyOS's `set` commands."""
    imported = Imported()
    policies: dict[str, End] = {}
    redirects: dict[str, str] = {}
    placed: dict[str, str] = {}
    for line in text.splitlines():
        plain = line.replace("'", "").strip()
        match = _VYOS.fullmatch(plain)
        if match:
            kind, name, word, value = match[1], match[2], match[3], match[4] or ""
            fresh = (
                End("tbf", bucket=Bucket(0, 15360, latency=50_000))
                if kind != "cake"
                else (End("cake"))
            )
            _vyos_word(policies.setdefault(name, fresh), word, value, imported)
        elif found := re.fullmatch(
            r"set interfaces \S+ (\S+)(?: vif (\S+))? redirect (\S+)", plain
        ):
            redirects[found[3]] = found[1] + (f".{found[2]}" if found[2] else "")
        elif found := re.fullmatch(r"set qos interface (\S+) egress (\S+)", plain):
            placed[found[1]] = found[2]
        elif plain.startswith("set qos policy "):
            imported.say(Kind.LOST, "kind-unknown", f"{plain.split()[3]} has no counterpart")
    for device, name in placed.items():
        if name in policies:
            owner = redirects.get(device)
            link = imported.link(owner or device)
            link.ends["ingress" if owner else "egress"] = policies[name]
    return imported


def _vyos_word(end: End, word: str, value: str, imported: Imported) -> None:
    try:
        if word == "bandwidth" and value.isdecimal():
            imported.say(
                Kind.SUSPICIOUS, "bits-or-kilobits",
                f"bandwidth {value} without a suffix is {value}kbit to VyOS",
            )  # fmt: skip
            value += "kbit"
        if end.bucket is not None:
            _vyos_bucket(end, word, value)
            return
        said = end.cake
        if word == "bandwidth":
            end.cake = said._replace(rate=rate_of(value))
        elif word == "rtt":
            end.cake = said._replace(rtt=time_of(f"{value}ms"))
        elif (word == "flow-isolation" and value == "nat") or word == "flow-isolation-nat":
            end.cake = said._replace(nat=True)
        elif word == "flow-isolation":
            end.cake = said._replace(flow=_VYOS_FLOWS[value])
        elif word == "ack-filter":
            end.cake = said._replace(
                ack="ack-filter-aggressive" if value == "aggressive" else "ack-filter"
            )
        elif word == "no-split-gso":
            end.cake = said._replace(split=False)
        elif word != "description":
            raise KeyError(word)
    except (NumberError, KeyError):
        imported.say(Kind.LOST, "setting", f"`{word} {value}` of VyOS is not understood")


def _vyos_bucket(end: End, word: str, value: str) -> None:
    bucket = end.bucket
    assert bucket is not None
    if word == "bandwidth":
        end.bucket = replace(bucket, rate=rate_of(value))
    elif word == "burst":
        end.bucket = replace(bucket, burst=size_of(value))
    elif word == "latency":
        end.bucket = replace(bucket, latency=time_of(f"{value}ms"))
