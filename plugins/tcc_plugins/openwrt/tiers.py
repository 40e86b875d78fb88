"""Tiers on OpenWrt: marks by its firewall, and a script for sqm that restores them.

firewall4 includes `/etc/nftables.d/*.nft` inside of its own table, so chains of ours get names of
their own there. sqm's scripts are files of `/usr/lib/sqm`; ours starts `layer_cake.qos` and puts
a filter before sqm's redirect, which brings each connection's DSCP back (tc-ctinfo(8)).
"""

import re
from collections.abc import Sequence
from functools import lru_cache

from tcc.plan.state import FileItem
from tcc_plugins.openwrt.links import Shaped, restoring

_NAMED = re.compile(r"\b(chain|goto|jump) (\w+)")
PREF = 9
"""Before sqm's redirect at 10."""

SCRIPT = """\
. "${SQM_LIB_DIR}/layer_cake.qos"

# The last word on whether it works has `verify.sh`: it looks for the filter.
sqm_start() {
\tsqm_start_default || return 1
\t[ "$DOWNLINK" -eq 0 ] && return 0
\t$TC filter add dev "$IFACE" parent ffff: protocol all prio PREF u32 match u32 0 0 flowid 1:1 \\
\t\taction ctinfo dscp VALUE VALID continue && return 0
\tsqm_error "no ctinfo action: install kmod-sched-ctinfo"
\treturn 1
}
"""


def tier_files(made: Sequence[Shaped], head: str) -> dict[str, FileItem]:
    """Return what the tiers of shaped devices take besides sqm's configuration."""
    files: dict[str, FileItem] = {}
    for one in made:
        if one.rules is not None:
            files[f"etc/nftables.d/tcc-{one.section.name}.nft"] = FileItem(
                head + chains(one.rules.text, f"tcc_{one.section.name}_")
            )
    masks = {one.restores for one in made if one.restores is not None}
    for value, valid in sorted(masks):
        name = f"usr/lib/sqm/{restoring((value, valid))}"
        text = SCRIPT.replace("PREF", str(PREF)).replace("VALUE", str(value))
        files[name] = FileItem(
            head + "# layer_cake.qos, and the DSCP of each connection for what comes in.\n\n"
            + text.replace("VALID", str(valid))
        )  # fmt: skip
        files[f"{name}.help"] = FileItem(
            "layer_cake, with the DSCP of each connection restored for what comes in (tcc).\n"
        )
    return files


@lru_cache(maxsize=256)
def chains(table: str, prefix: str) -> str:
    r"""Return the chains of a table, for the inside of another one, under names of their own.

    >>> print(chains("table inet t {\n\tchain a {\n\t\tgoto b\n\t}\n}\n", "w_"))
    chain w_a {
        goto w_b
    }
    <BLANKLINE>
    """
    lines = table.splitlines()[1:-1]
    body = "\n".join(line.removeprefix("\t") for line in lines) + "\n"
    return _NAMED.sub(lambda found: f"{found[1]} {prefix}{found[2]}", body)
