"""cake-qos-simple's configuration, which is a list of shell assignments."""

from typing import Final

from tcc.importing.found import End, Imported, Kind, remarks_of
from tcc.importing.shell import commands
from tcc.tcwords.cake import replay
from tcc.tcwords.numbers import NumberError, rate_of

SIDES: Final = {"egress": "ul", "ingress": "dl"}


def read_cake_qos_simple(text: str) -> Imported:
    """Return the link of cake-qos-simple's configuration, which is a list of shell assignments."""
    said = {
        name: value
        for command in commands(text)
        for name, equals, value in [command.words[0].partition("=")]
        if equals
    }
    imported = Imported()
    device = said.get("ul_if", "")
    if not device:
        imported.say(Kind.LOST, "no-interface", "ul_if is not set")
        return imported
    link = imported.link(device)
    if said.get("dl_if"):
        link.say(
            Kind.LOST, "download-elsewhere",
            f"dl_if={said['dl_if']}: what comes in is shaped where it leaves there",
        )  # fmt: skip
    for side, name in SIDES.items():
        try:
            rate = rate_of(said.get(f"cake_{name}_rate_Mbps", "0") + "mbit")
        except NumberError:
            link.say(Kind.LOST, "number", f"cake_{name}_rate_Mbps is no number")
            continue
        replayed = replay(
            ["bandwidth", f"{rate}bit", *said.get(f"cake_{name}_options", "").split()]
        )
        link.remarks += remarks_of(replayed, f"cake_{name}_options")
        link.ends[side] = End("cake", replayed.said)
    link.say(
        Kind.LOST, "marks-restored",
        "its rules keep the DSCP in each connection's mark: write tiers, from which that follows",
    )  # fmt: skip
    for name, value in said.items():
        if name.startswith("overwrite_") and value:
            link.say(Kind.LOST, "ecn-overwritten", f"{name}={value}: a policy leaves ECN alone")
    return imported
