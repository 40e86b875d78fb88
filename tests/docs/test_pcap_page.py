"""What the page on recordings shows is what tshark prints; `make docs` writes it anew."""

import re
import subprocess
from pathlib import Path

import pytest

from tcc.cli.main import run
from tests.verify.packets import program

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "pcap.md"
COMMAND = re.compile(r"^    tcc (verify .*) --pcap (\S+)$", re.MULTILINE)
SHOWN = re.compile(r"```console\n\$ (tshark [^\n]*)\n(.*?)```\n", re.DOTALL)


@pytest.mark.slow
def test_it_shows_what_tshark_prints(
    tmp_path: Path, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.chdir(ROOT)
    text = PAGE.read_text()
    (said,) = COMMAND.findall(text)
    words, name = said[0].split(), said[1]
    assert run([*words, "--no-mend", "--pcap", str(tmp_path / name)], "tcc") == 0
    program("tshark")

    def printed(found: re.Match[str]) -> str:
        done = subprocess.run(
            ["bash", "-o", "pipefail", "-c", found[1]],
            cwd=tmp_path, capture_output=True, text=True, check=True,
        )  # fmt: skip
        return f"```console\n$ {found[1]}\n{done.stdout}```\n"

    shown = SHOWN.sub(printed, text)
    if request.config.getoption("--update-golden"):
        PAGE.write_text(shown)
    assert PAGE.read_text() == shown
    assert len(SHOWN.findall(shown)) == 4
