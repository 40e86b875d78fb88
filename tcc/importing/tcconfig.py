"""tcconfig's JSON, as `tcshow` prints it."""

import json
import re
from collections.abc import Mapping
from typing import Any

from tcc.importing.found import End, Imported, Kind
from tcc.importing.tcjson import JsonError
from tcc.tcwords.cake import CakeSaid
from tcc.tcwords.numbers import NumberError, rate_of


def read_tcconfig(text: str) -> Imported:
    """Return the links of tcconfig's JSON, as `tcshow` prints it.

    Raises:
        JsonError: it is no JSON of that form.
    """
    try:
        found = json.loads(text)
    except (ValueError, RecursionError) as problem:
        raise JsonError(f"not JSON: {problem}") from problem
    if not isinstance(found, dict):
        raise JsonError("not what tcshow prints: an object of devices")
    imported = Imported()
    for device, sides in found.items():
        if not isinstance(sides, Mapping):
            continue
        link = imported.link(str(device))
        for word, side in (("outgoing", "egress"), ("incoming", "ingress")):
            rules = sides.get(word)
            if isinstance(rules, Mapping):
                rate = _tcconfig_rate(imported, link.device, rules)
                if rate:
                    link.ends[side] = End("cake", CakeSaid(rate=rate, ingress=side == "ingress"))
        if not link.ends:
            imported.links.remove(link)
    return imported


def _tcconfig_rate(imported: Imported, device: str, rules: Mapping[str, Any]) -> int:
    """Return the rate of the rule for all traffic; the others are lost."""
    best = 0
    for match, rule in rules.items():
        if not isinstance(rule, Mapping):
            continue
        for word in ("delay", "loss", "duplicate", "corrupt", "reorder", "reordering"):
            if word in rule:
                imported.say(Kind.LOST, "emulation", f"{word} on {device}: a policy harms nothing")
        written = str(rule.get("rate", ""))
        if not written:
            continue
        if "network=" in match or "port=" in match:
            imported.say(Kind.LOST, "rule", f"the rate {written} of `{match}` on {device} alone")
            continue
        if re.search(r"[bB]?ps$", written):
            imported.say(
                Kind.SUSPICIOUS, "bits-or-bytes",
                f"{written} on {device}: tcconfig means bits, and tc would read bytes",
            )  # fmt: skip
        best = max(best, _bits(written))
    return best


def _bits(written: str) -> int:
    number = re.match(r"([0-9.]+)\s*([KMGTkmgt]?)(i?)", written)
    if number is None:
        return 0
    try:
        return rate_of(f"{number[1]}{number[2]}{number[3]}bit")
    except NumberError:
        return 0
