"""The `openwrt` back end: sqm-scripts' configuration in the forms in which routers take it.

A whole `/etc/config/sqm`, a `uci batch`, a script for the first boot of an image, one that
delivers with rollback and confirmation, and one that compares what came of it. Tiers become
chains for firewall4 and a script for sqm; a rate with bounds a configuration of cake-autorate.

Sources: sqm-scripts 1.6 and 1.7 (`run-openwrt.sh`, `layer_cake.qos`, `piece_of_cake.qos`,
`simplest_tbf.qos`), luci-app-sqm, rpcd, firewall4, and the UCI syntax of OpenWrt's user guide.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Final

from tcc.diagnostics import Diagnostic, error
from tcc.express import Request, Written, expressed, header, lowered_files, text_differences
from tcc.ir import Policy
from tcc.lower import LoweredQdisc
from tcc.plan.state import FileItem, Item, State
from tcc.plugin import Difference, Expressed, Target
from tcc_plugins.openwrt.autorate import autorate_files, autorate_losses, autorate_notes
from tcc_plugins.openwrt.emitted import emitted
from tcc_plugins.openwrt.links import shaped
from tcc_plugins.openwrt.qosmate import qosmate
from tcc_plugins.openwrt.releases import UnknownError, router_of
from tcc_plugins.openwrt.shell import Delivery, apply_file, defaults_file, hotplug_files
from tcc_plugins.openwrt.tiers import tier_files
from tcc_plugins.openwrt.uci import batch_text, config_text
from tcc_plugins.openwrt.verify import verify_file

HINT = "# /etc/init.d/sqm enable; /etc/init.d/sqm restart\n"


class OpenWrt:
    """What `/etc/config/sqm` should say, and what goes with it."""

    name = "openwrt"

    def lower(self, policy: Policy, target: Target) -> tuple[State, Sequence[Diagnostic]]:
        """Return the configuration in its forms, and what sqm cannot be told.

        Found: `sqm-cannot`, `sqm-rate-rounded`, `sqm-queue-burst`, `sqm-daemon-rate`,
        `system-unknown`, `system-approximates`, and those of `lower_for_kernel`.
        """
        return lowered_files(_write, policy, target)

    def express(self, policy: Policy, target: Target) -> Sequence[Expressed]:
        """Return what becomes of each clause."""
        return expressed(_write, policy, target)

    def emitted(self, lowered: LoweredQdisc) -> LoweredQdisc:
        """Return the qdisc that sqm makes of this configuration, for predictions."""
        return emitted(lowered)

    def observe(self, wanted: State) -> State:
        """Return nothing: the router is somewhere else."""
        return {}

    def differences(self, wanted: Item, observed: Item) -> Sequence[Difference]:
        """Compare texts."""
        return text_differences(wanted, observed)


def _write(request: Request) -> Written:
    """Return the files; options are those of `router_of`, `daemon` and `forms`."""
    try:
        router = router_of(request)
    except UnknownError as problem:
        return Written(found=[error("system-unknown", None, str(problem))])
    daemon = request.option("daemon", "sqm")
    if daemon not in ("sqm", "qosmate"):
        said = f"`daemon` is sqm or qosmate, not {daemon}"
        return Written(found=[error("system-unknown", None, said)])
    if daemon == "qosmate":
        return qosmate(request)
    made, losses = shaped(request, router)
    head = header(request)
    forms = request.option("forms", ",".join(FORMS)).split(",")
    if unknown := [form for form in forms if form not in FORMS]:
        said = f"`forms` are {', '.join(FORMS)}, not {unknown[0]}"
        return Written(found=[error("system-unknown", None, said)])
    others = tier_files(made, head) | autorate_files(made, head)
    others |= hotplug_files(made, router, head)
    delivery = Delivery(made, router, list(others), head)
    files = {FORMS[form][0]: FORMS[form][1](delivery) for form in FORMS if form in forms}
    files |= others
    return Written(files, [*losses, *autorate_losses(made)], list(autorate_notes(made)))


FORMS: Final[Mapping[str, tuple[str, Callable[[Delivery], FileItem]]]] = {
    "config": ("etc/config/sqm", lambda it: FileItem(config_text(it.sections, it.head + HINT))),
    "batch": ("sqm.uci", lambda it: FileItem(batch_text(it.sections))),
    "defaults": ("etc/uci-defaults/99-tcc", defaults_file),
    "apply": ("apply.sh", apply_file),
    "verify": ("verify.sh", lambda it: verify_file(it.made, it.head)),
}
"""What each of `-O forms=` writes; the files of tiers and of moving rates come with any."""
