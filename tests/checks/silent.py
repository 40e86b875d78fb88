"""Kinds of mistake that lint rightly says nothing of, each with a policy and the reason."""

from typing import NamedTuple

from tests.checks.policies import down, objective, up, wan


class Silent(NamedTuple):
    """One kind of mistake that cannot be told from what somebody else means."""

    policy: str
    because: str


SILENT: dict[str, Silent] = {
    "a LAN port taken for the line, 900 up and 490 down": Silent(
        wan("egress { bandwidth 900mbit }; ingress { bandwidth 490mbit }", device="eth1"),
        "lines up to three times as fast up as down are sold; `eth1` is a WAN port elsewhere",
    ),
    "ADSL without its cells": Silent(
        wan("egress { bandwidth 700kbit }; ingress { bandwidth 5mbit }",
            "framing { overhead 44B; mpu 84B }; role router", "pppoe-wan"),
        "PPPoE by radio, and VDSL on a long pair, have such rates and no cells",
    ),
    "a session and the port below it, by names that do not tell": Silent(
        up("bandwidth 37mbit", "framing pppoe-ptm; role router", "pppoe-wan",
           'link c { device "eth0.7"; framing ethernet; role router; bandwidth 38mbit }'),
        "these may be two lines; facts tell what carries a session, and then it is found",
    ),
    "an autorate daemon on DSL": Silent(
        down("bandwidth 37mbit within 1mbit..90mbit", "framing pppoe-ptm; role router"),
        "the line's rate is fixed, but the provider's network behind it may be crowded",
    ),
    "an overhead below 0": Silent(
        up("bandwidth 30mbit", "framing { overhead -20B }; role router"),
        "header compression makes packets shorter than they are here",
    ),
    "network control in bulk": Silent(
        up("bandwidth 20mbit; tiers diffserv4", more="tier bulk { match dscp cs7 }"),
        "on some networks everybody marks with it",
    ),
    "ten calls through a voice tin of 100 kbit/s": Silent(
        up("bandwidth 400kbit; tiers diffserv4", more="tier voice { match dscp ef }"),
        "how many calls there are, no policy without a workload says",
    ),
    "an objective over 300 ms": Silent(
        up("bandwidth 100mbit", more=objective("egress utilisation >= 90%",
                                               "tcp_nup 4 flows for 300ms rtt 20ms")),
        "what is measured begins after a warm-up, so TCP has started by then",
    ),
    "tins on the way down alone": Silent(
        wan("egress { bandwidth 30mbit; tiers besteffort }; ingress { bandwidth 90mbit;"
            " tiers diffserv4 }", more="tier voice { match dscp ef }"),
        "a tier is for the directions that have tins",
    ),
    "a shaper at the speed of its device": Silent(
        up("bandwidth 1gbit"),
        "where a driver has no byte queue limits, that keeps the queue out of its ring",
    ),
}  # fmt: skip
