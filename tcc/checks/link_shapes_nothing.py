"""`link-shapes-nothing`."""

from collections.abc import Iterator

from tcc.checks.view import View
from tcc.diagnostics import Diagnostic, warning


def check(view: View) -> Iterator[Diagnostic]:
    """Yield a warning for each link in which no direction is asked for."""
    unknown = {path[1] for path in view.built.unknown if path[:1] == ("links",)}
    for index, link in enumerate(view.policy.links):
        if link.egress is None and link.ingress is None and index not in unknown:
            yield warning(
                "link-shapes-nothing",
                view.span("links", index),
                f"the link `{link.name}` shapes nothing",
                "a direction exists once it has a block of its own, a bandwidth or a qdisc",
                "write: egress { bandwidth 18mbit }",
            )
