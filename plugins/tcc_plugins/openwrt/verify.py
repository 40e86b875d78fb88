"""`verify.sh`: does the router have what was meant? It compares tc's own words.

tc prints rates, times and sizes in units of its own choice, which are worked out here: the router
has nothing to calculate with. Sources: tc_print_rate() and sprint_time() of iproute2, and
cake_print_opt() in q_cake.c.
"""

from collections.abc import Iterator, Sequence

from tcc.express import is_cake, said_of
from tcc.lower import LoweredQdisc
from tcc.plan.state import FileItem
from tcc.tcwords.cake import CakeSaid
from tcc.tcwords.sqm import KBIT, ifb_of
from tcc_plugins.openwrt.links import Shaped
from tcc_plugins.openwrt.uci import quoted

TEXT = """\
#!/bin/sh
{head}# Prints what a device lacks of what was meant for it; exit code 0: nothing.
set -f
missing=0
has() {{ # WHAT TEXT WORDS..: each word, or one of its alternatives, is in the text
	# shellcheck disable=SC2086,SC2116 # unquoted: newlines become blanks
	what="$1" text=" $(echo $2) "; shift 2
	for word; do
		found=0; old="$IFS"; IFS='|'
		for one in $word; do case "$text" in *" $one "*) found=1 ;; esac; done
		IFS="$old"
		[ "$found" = 1 ] || {{ echo "$what: no $word in:$text"; missing=1; }}
	done
}}
{checks}exit "$missing"
"""
UNITS = (("", 1), ("K", 1000), ("M", 10**6), ("G", 10**9), ("T", 10**12))


def verify_file(made: Sequence[Shaped], head: str) -> FileItem:
    """Return the script for every device that is shaped."""
    checks = "".join(line for one in made for line in _checks(one))
    return FileItem(TEXT.format(head=head, checks=checks), 0o755)


def _checks(one: Shaped) -> Iterator[str]:
    for direction, end in one.ends.items():
        device = one.device if direction == "egress" else ifb_of(one.device)
        show = f'"$(tc qdisc show dev {quoted(device)} root)"'
        words = " ".join(quoted(word) for word in _words(end))
        yield f"has {quoted(device)} {show} {words}\n"
    if "ingress" in one.ends:
        device = quoted(one.device)
        wanted = ["mirred", f"{ifb_of(one.device)})"]
        wanted += ["ctinfo"] if one.restores else []
        words = " ".join(quoted(word) for word in wanted)
        yield f'has {device} "$(tc filter show dev {device} parent ffff:)" {words}\n'
    if one.rules is not None:
        name = f"tcc_{one.section.name}_leaving"
        yield f'has firewall "$(nft list chain inet fw4 {name} 2>&1)" {quoted(name)}\n'


def _words(end: LoweredQdisc) -> list[str]:
    if not is_cake(end):
        bandwidth = end.wish.shaping.bandwidth
        rate = bandwidth.rate if bandwidth else 0
        return ["tbf", f"rate {_rate(int(rate) // KBIT * KBIT)}"]
    said = said_of(end)
    return [
        end.kind,
        *([] if said.autorate else [f"bandwidth {_rate(said.rate // KBIT * KBIT)}"]),
        *(["autorate-ingress"] if said.autorate else []),
        said.mode,
        said.flow,
        "nat" if said.nat else "nonat",
        "wash" if said.wash else "nowash",
        *(["ingress"] if said.ingress else []),
        said.ack,
        "split-gso" if said.split else "no-split-gso",
        _time(said.rtt),
        *_framing(said),
    ]


def _framing(said: CakeSaid) -> list[str]:
    if said.raw:
        return ["raw"]
    words = [said.cells, f"overhead {said.overhead}"]
    return [*words, f"mpu {said.mpu}"] if said.mpu else words


def _rate(rate: int) -> str:
    """Return a rate as tc prints it.

    >>> _rate(38_000_000), _rate(38_005_000), _rate(2_200_001_000)
    ('38Mbit', '38005Kbit', '2200Mbit')
    """
    unit = 0
    while unit < len(UNITS) - 1 and rate >= 1000 and (rate % 1000 == 0 or rate >= 1_000_000):
        rate, unit = rate // 1000, unit + 1
    return f"{rate}{UNITS[unit][0]}bit"


def _time(us: int) -> str:
    """Return the ways in which versions of tc print a time, as alternatives.

    >>> _time(50_000)
    'rtt 50ms|rtt 50.0ms'
    """
    for unit, scale in (("s", 1_000_000), ("ms", 1000)):
        if us >= scale:
            newer, older = f"{us / scale:.3g}", f"{us / scale:.1f}"
            return f"rtt {newer}{unit}|rtt {older}{unit}"
    return f"rtt {us}us"
