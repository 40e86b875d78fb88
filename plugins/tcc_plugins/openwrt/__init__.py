"""The `openwrt` back end: sqm-scripts' configuration, as a file and as a `uci batch`.

Sources: sqm-scripts 1.7 (`run-openwrt.sh`, `layer_cake.qos`, `piece_of_cake.qos`,
`simplest_tbf.qos`), luci-app-sqm, and the UCI syntax of OpenWrt's user guide.
"""

from collections.abc import Sequence

from tcc.diagnostics import Diagnostic, has_errors
from tcc.ir import Policy
from tcc.lower import LoweredQdisc, lower_policy
from tcc.plan.state import FileItem, Item, Place, State
from tcc.plugin import Difference, Target
from tcc_plugins.openwrt.emitted import emitted
from tcc_plugins.openwrt.links import sections
from tcc_plugins.openwrt.uci import batch_text, config_text

CONFIG = "etc/config/sqm"
BATCH = "sqm.uci"


class OpenWrt:
    """What `/etc/config/sqm` should say."""

    name = "openwrt"

    def lower(self, policy: Policy, target: Target) -> tuple[State, Sequence[Diagnostic]]:
        """Return the configuration in two forms, and what sqm cannot be told.

        Found: `sqm-cannot`, `sqm-rate-rounded`, `sqm-queue-burst`, `sqm-daemon-rate`, and those
        of `lower_policy`.
        """
        lowered, found = lower_policy(policy, target.facts, target.spans)
        if has_errors(found):
            return {}, found
        made, cannot = sections(policy, lowered, target)
        digest = target.settings.get("policy-sha256", "")
        return {
            Place("", CONFIG): FileItem(config_text(made, digest)),
            Place("", BATCH): FileItem(batch_text(made)),
        }, [*found, *cannot]

    def emitted(self, lowered: LoweredQdisc) -> LoweredQdisc:
        """Return the qdisc that sqm makes of this configuration, for predictions."""
        return emitted(lowered)

    def observe(self, wanted: State) -> State:
        """Return nothing: the router is somewhere else."""
        return {}

    def differences(self, wanted: Item, observed: Item) -> Sequence[Difference]:
        """Compare texts."""
        return () if wanted == observed else (Difference("text", "this one", "another one"),)
