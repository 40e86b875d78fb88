"""Cases as files: a policy, and what each command prints for it.

`tests/golden/CASE/policy.tcc` is the input and `values` beside it holds the `--set` of a case,
one a line.  Every other file is what one command prints: `lint.txt`, `fmt.tcc`, `explain.txt`
(`tcc plan --explain`, against `facts.json`), `NAME.out` (`tcc generate NAME`), `matrix.txt` (`tcc
generate --matrix`).  Standard error
comes after standard output, then the exit code.  `make golden` rewrites them.
"""

import contextlib
import io
import os
import re
from pathlib import Path

import pytest

from tcc.cli.main import run
from tcc.plugin import BACKENDS, names

GOLDEN = Path(__file__).parent / "golden"
INPUTS = {"policy.tcc", "facts.json", "values"}


def command_of(name: str, case: Path) -> list[str]:
    """Return the command line whose output the file `name` holds."""
    values = case / "values"
    given = [f"--set={line}" for line in values.read_text().splitlines()] if values.exists() else []
    facts = ["--facts", "facts.json"] if (case / "facts.json").exists() else []
    if name == "lint.txt":
        return ["lint", "policy.tcc", *given]
    if name == "fmt.tcc":
        return ["fmt", "-"]
    if name == "explain.txt":
        return ["plan", "policy.tcc", "--explain", *facts, *given]
    if name == "matrix.txt":
        return ["generate", "--matrix", "policy.tcc", *facts, *given]
    return ["generate", name.removesuffix(".out"), "policy.tcc", *facts, *given]


def cases() -> list[tuple[str, str]]:
    """Return each file that a command is to print, with its case."""
    return [
        (case.name, file.name)
        for case in sorted(GOLDEN.iterdir())
        for file in sorted(case.iterdir())
        if file.name not in INPUTS
    ]


def printed(arguments: list[str], policy: str) -> str:
    """Return what a command prints, and how it ends."""
    out, err, stdin = io.StringIO(), io.StringIO(), io.TextIOWrapper(io.BytesIO(policy.encode()))
    with (
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
        pytest.MonkeyPatch.context() as patch,
    ):
        patch.setattr("sys.stdin", stdin)
        code = run(arguments, "tcc")
    text = out.getvalue()
    if arguments[0] == "fmt":
        return text
    if err.getvalue():
        text += f"--- stderr\n{err.getvalue()}"
    text = re.sub(r"(?<=tcc )\d+\.\d+\.\d+(?= from)", "VERSION", text)
    return f"{text}--- exit {code}\n"


@pytest.mark.parametrize(("case", "file"), cases())
def test_command_prints_what_it_printed(
    case: str, file: str, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = GOLDEN / case
    monkeypatch.chdir(folder)
    monkeypatch.delenv("NO_COLOR", raising=False)
    got = printed(command_of(file, folder), (folder / "policy.tcc").read_text())
    expected = folder / file
    if request.config.getoption("--update-golden"):
        expected.write_text(got)
    assert got == expected.read_text()


def test_every_sample_policy_is_a_case() -> None:
    examples = Path(__file__).parent.parent / "docs" / "examples"
    if not examples.is_dir():  # a copy of tests/ beside an installed wheel
        pytest.skip("docs/examples is not here: the cases hold copies")
    for sample in examples.glob("*.tcc"):
        case = GOLDEN / sample.stem / "policy.tcc"
        assert case.read_text() == sample.read_text(), f"cp {sample} {os.path.relpath(case)}"


def test_every_case_is_written_for_every_system_that_takes_files() -> None:
    takes = set(names(BACKENDS)) - {"netlink", "table"}
    for case in GOLDEN.iterdir():
        assert takes <= {file.stem for file in case.glob("*.out")}, f"touch {case}/NAME.out"
        assert (case / "matrix.txt").exists()
