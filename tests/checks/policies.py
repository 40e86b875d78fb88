"""Short ways to write a policy and to lint it."""

import re

from tcc import api
from tcc.diagnostics import Diagnostic
from tcc.facts import Facts
from tcc.source import Source

ROUTER = "framing ethernet; role router"


def wan(body: str, head: str = ROUTER, device: str = "eth0", more: str = "") -> str:
    """Return a policy of one link."""
    return apart(f'link wan {{ device "{device}"; {head}; {body} }}\n{more}')


def apart(text: str) -> str:
    """Put each thing on the top level on a line of its own."""
    return re.sub(r"\} ?(?=(tier|objective|link|testbed|workload) )", "}\n", text)


def up(body: str, head: str = ROUTER, device: str = "eth0", more: str = "") -> str:
    """Return a policy that shapes uploads."""
    return wan(f"egress {{ {body} }}", head, device, more)


def down(body: str, head: str = ROUTER, device: str = "eth0", more: str = "") -> str:
    """Return a policy that shapes downloads."""
    return wan(f"ingress {{ {body} }}", head, device, more)


def objective(require: str, under: str = "rrul for 20s rtt 40ms", on: str = "") -> str:
    """Return an objective with one requirement."""
    return f'objective "o" {{ {on} under {under}; require {require} }}\n'


def lint(
    text: str, facts: Facts | None = None, values: dict[str, object] | None = None
) -> list[Diagnostic]:
    """Return all findings about a policy given as text."""
    built = api.load(Source("test.tcc", apart(text)), values)
    assert built.policy is not None, [item.message for item in built.found]
    return list(api.lint(built, facts))


def codes(
    text: str, facts: Facts | None = None, values: dict[str, object] | None = None
) -> set[str]:
    """Return the codes of all findings."""
    return {item.code for item in lint(text, facts, values)}


def pointed(text: str, code: str, facts: Facts | None = None) -> list[str]:
    """Return the words that findings of a code point at."""
    text = apart(text)
    spans = [item.span for item in lint(text, facts) if item.code == code]
    return [text[span.start : span.end] for span in spans if span]
