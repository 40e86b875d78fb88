"""What differs between releases of OpenWrt, as data.

Sources: the release branches of OpenWrt and of its package feed; sqm-scripts' own history. The
version of sqm-scripts is the one that a release began with: `-O sqm=1.7` says that a router has
a newer one.
"""

from typing import Final, NamedTuple

from tcc.express import Request
from tcc.tcwords.sqm import SQM, Sqm

NEWEST: Final = "25.12"


class Release(NamedTuple):
    """One release of OpenWrt."""

    name: str
    sqm: str
    """The version of sqm-scripts, a key of `tcc.tcwords.sqm.SQM`."""
    install: str
    """The command that installs packages."""


RELEASES: Final = {
    "23.05": Release("23.05", "1.6", "opkg update && opkg install"),
    "24.10": Release("24.10", "1.6", "opkg update && opkg install"),
    "25.12": Release("25.12", "1.7", "apk update && apk add"),
}


class Router(NamedTuple):
    """The system that is written for."""

    release: Release
    version: str
    sqm: Sqm
    ptm_by_rate: bool
    """Whether PTM is a lower rate and not CAKE's own keyword, as where people edit the numbers."""
    hotplug: bool
    """Whether devices come that no UCI interface stands for."""


class UnknownError(ValueError):
    """A release or a version that there is no data for."""


def router_of(request: Request) -> Router:
    """Return what the request's options and facts say of the router.

    Options: `release`, `sqm`, `ptm` (`keyword` or `rate`), `hotplug` (`iface` or `net`).

    Raises:
        UnknownError: a value that there is no data for.
    """
    facts = request.target.facts
    name = request.option("release", (facts.openwrt if facts else None) or NEWEST)
    release = RELEASES.get(".".join(name.split(".")[:2]))
    if release is None:
        raise UnknownError(f"OpenWrt {name} is not known; there are {', '.join(RELEASES)}")
    version = request.option("sqm", release.sqm)
    sqm = SQM.get(".".join(version.split(".")[:2]))
    if sqm is None:
        raise UnknownError(f"sqm-scripts {version} is not known; there are {', '.join(SQM)}")
    ptm = _one_of(request, "ptm", ("keyword", "rate"))
    hotplug = _one_of(request, "hotplug", ("iface", "net"))
    return Router(release, version, sqm, ptm == "rate", hotplug == "net")


def _one_of(request: Request, name: str, known: tuple[str, ...]) -> str:
    value = request.option(name, known[0])
    if value not in known:
        raise UnknownError(f"`{name}` is {' or '.join(known)}, not {value}")
    return value
