"""`role-not-of-device`."""

from collections.abc import Iterator

from tcc.checks.devices import faces_hosts, faces_provider
from tcc.checks.view import View, inward, outward
from tcc.diagnostics import Diagnostic, warning

SESSION = "pppoe-"
"""How OpenWrt, which is for routers, calls its PPPoE sessions."""


def check(view: View) -> Iterator[Diagnostic]:
    """Yield a warning where the device's name says that it is on the other side."""
    for index, link in enumerate(view.policy.links):
        name = view.device(link, index) or ""
        if outward(link) and faces_hosts(name):
            yield warning(
                "role-not-of-device",
                view.span("links", index, "role"),
                f"`{name}` is on the hosts' side, and this role says that it leads away from them",
                "uploads would be taken for downloads: hosts are told apart by the wrong address",
                "write: role router facing hosts",
            )
        elif inward(link) and faces_provider(name):
            yield warning(
                "role-not-of-device",
                view.span("links", index, "role"),
                f"`{name}` leads to the provider, and this role says that it faces the hosts",
                "downloads would be taken for uploads, and NAT is not looked through",
                "write: role router",
            )
        elif link.role is not None and link.role.kind == "host" and name.startswith(SESSION):
            yield warning(
                "role-not-of-device",
                view.span("links", index, "role"),
                f"`{name}` is a router's session, and this role says that nobody is behind it",
                "hosts are told apart by the far end's addresses, and NAT is not looked through",
                "write: role router",
            )
