"""docs/language.md: its tables are those of the language, and its sections are what pages cite.

`make docs` writes the tables anew. Its examples are linted by `test_pages`; here what they become
is compared with what the text says.
"""

import re
from pathlib import Path

import pytest

from tcc import api, language, plugin
from tcc.explained import framing_table
from tcc.lower import lower_policy
from tcc.pages import codes, page
from tcc.source import Source

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs/language.md"
REGION = re.compile(r"<!-- (words|table): (\S+) -->\n(.*?)<!-- end -->", re.DOTALL)


def cell(text: str) -> str:
    return text.replace("|", "\\|")


def words(name: str) -> str:
    """Return a table of the words of one block."""
    rows = ["| word | written | what it says |", "|---|---|---|"]
    for word, entry in getattr(language, name).items():
        rows.append(f"| `{word}` | `{cell(entry.syntax)}` | {cell(entry.summary)} |")
    return "\n".join(rows) + "\n"


def framing() -> str:
    shown = framing_table().partition("\n\n")[0].splitlines()[1:]
    rows = ["| preset | overhead | smallest | cells |", "|---|---|---|---|"]
    for line in shown:
        name, overhead, _, mpu, _, cells = line.split()
        rows.append(f"| `{name}` | {overhead} B | {mpu} B | {cells} |")
    return "\n".join(rows) + "\n\n`+ vlan` adds 4 B for each tag.\n"


def qdiscs() -> str:
    rows = ["| kind | options |", "|---|---|"]
    for name in ("cake", "cake_mq", "tbf", "sfq", "fq_codel", "bfifo", "pfifo"):
        found = plugin.qdisc(name)
        shown = ", ".join(f"`{word}`" for word in found.words)
        rows.append(f"| `{name}`{' (inside another)' if found.inner_only else ''} | {shown} |")
    return "\n".join(rows) + "\n"


def metrics() -> str:
    rows = ["| metric | what it is |", "|---|---|"]
    rows += [f"| `{name}` | {about} |" for name, about in language.METRICS.items()]
    return "\n".join(rows) + "\n"


TABLES = {"framing": framing, "qdiscs": qdiscs, "metrics": metrics}


def made(found: re.Match[str]) -> str:
    kind, name = found[1], found[2]
    text = words(name) if kind == "words" else TABLES[name]()
    return f"<!-- {kind}: {name} -->\n{text}<!-- end -->"


def test_tables_are_those_of_the_language(request: pytest.FixtureRequest):
    text = PAGE.read_text()
    new = REGION.sub(made, text)
    if request.config.getoption("--update-golden"):
        PAGE.write_text(new)
    assert PAGE.read_text() == new


def test_every_block_is_there():
    named = {name for kind, name, _ in REGION.findall(PAGE.read_text()) if kind == "words"}
    blocks = {"TOP", "LINK", "SHAPING", "FRAMING", "BACKPRESSURE", "CONDITIONS", "WORKLOAD"}
    assert named == blocks | {"TESTBED", "OBJECTIVE"}


def test_sections_that_pages_cite_are_there():
    sections = set(re.findall(r"^## (.+)$", PAGE.read_text(), re.MULTILINE))
    cited = {
        name
        for code in codes()
        for name in re.findall(r"tcc-policy\(5\), ([A-Z][A-Za-z ]+)", page(code) or "")
    }
    assert cited
    assert cited <= sections


@pytest.mark.parametrize(
    "row", re.findall(r"^\| (`(?:router|bridge).*) \| (`.*`) \| (`.*`) \|$", PAGE.read_text(), re.M)
)
def test_what_a_role_becomes(row):
    roles, egress, ingress = row
    for role in re.findall(r"`([^`]+)`", roles):
        text = (
            f'link a {{ device "eth0"; framing raw; role {role}; bandwidth 9mbit; '
            "fairness per-host }"
        )
        built = api.load(Source("a.tcc", text))
        lowered, _ = lower_policy(built.policy, None, built.spans)
        said = [" ".join(plugin.qdisc(one.kind).command(one.settings)) for one in lowered]
        for words_, shown in zip(said, (egress, ingress), strict=True):
            wanted = shown.strip("`").split()
            assert set(wanted) <= set(words_.split())
            assert ("nat" in words_.split()) == ("nat" in wanted)


def test_json_as_shown():
    [text] = re.findall(r"```json\n(.*?)```", PAGE.read_text(), re.DOTALL)
    built = api.load(Source("a.tcc.json", text))
    assert built.policy is not None, built.found
    assert built.policy.links[0].egress.bandwidth.rate == 18_000_000
