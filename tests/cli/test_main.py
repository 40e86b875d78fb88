"""The command line itself: which commands there are, exit codes, faults, start-up."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import tcc as package
from tcc.cli.main import COMMANDS, engine_is_compiled

ROOT = Path(__file__).parents[2]
HEAVY = (
    "pydantic", "pyroute2", "jsonschema", "rich", "asyncio", "lark", "yaml", "tcc.engine",
    "tcc.netlink",
)  # fmt: skip


def loaded_by(*arguments: str) -> set[str]:
    """Run a command and return the names of all modules that it imported."""
    script = (
        "import sys; from tcc.cli.main import run; code = run(sys.argv[1:], 'tcc');"
        "print('\\n' + ' '.join(sys.modules)); sys.exit(code)"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, *arguments],
        capture_output=True, text=True, check=True, cwd=ROOT,
    )  # fmt: skip
    return set(done.stdout.splitlines()[-1].split())


def heavy(modules: set[str]) -> list[str]:
    return [
        name for name in HEAVY if any(f"{module}.".startswith(f"{name}.") for module in modules)
    ]


def test_version_imports_next_to_nothing():
    modules = loaded_by("--version")
    assert heavy(modules) == []
    assert "tcc.api" not in modules


def test_help_imports_no_command():
    modules = loaded_by("--help")
    assert {name for name in modules if name.startswith("tcc.cli.")} == {"tcc.cli.main"}


def test_lint_imports_only_what_it_needs():
    modules = loaded_by("lint", "docs/examples/home.tcc")
    assert heavy(modules) == []
    assert "importlib.metadata" not in modules  # no search for plugins: none is named
    assert "tcc.passes.fromjson" not in modules


def test_fmt_builds_nothing():
    modules = loaded_by("fmt", "--diff", "docs/examples/home.tcc")
    assert heavy(modules) == []


def test_version(tcc):
    code, out, _ = tcc("--version")
    engine = "compiled" if engine_is_compiled() else "interpreted"
    assert (code, out) == (0, f"tcc {package.__version__} (engine: {engine})\n")


def test_the_engine_is_said_to_be_what_it_is():
    import tcc.engine.events

    assert engine_is_compiled() == (not tcc.engine.events.__file__.endswith(".py"))


def test_help_lists_the_commands_that_are_there(tcc):
    code, out, _ = tcc("--help")
    assert code == 0
    for name in ("lint", "fmt", "explain", "schema", "plugins", "completion"):
        assert f"  {name} " in out
        assert COMMANDS[name].summary in out


@pytest.mark.parametrize("name", ["lint", "fmt", "explain", "schema", "plugins", "completion"])
def test_every_command_has_help(tcc, name):
    code, out, _ = tcc(name, "--help")
    assert code == 0
    assert f"tcc {name}" in out
    assert "Exit codes:" in out or name in ("schema", "completion")


def test_without_a_command_there_is_help(tcc):
    code, _, err = tcc()
    assert code == 2
    assert "Commands" in err


def test_a_command_that_does_not_exist(tcc):
    code, _, err = tcc("lnt")
    assert code == 2
    assert "There is no command `lnt`. Did you mean `lint`?" in err


def test_an_option_that_does_not_exist(tcc):
    code, _, err = tcc("lint", "--colour")
    assert code == 2
    assert "No such option" in err


def test_plan_keeps_2_for_changes(tcc):
    code, _, err = tcc("plan", "--no-such-option")
    assert code == 1
    assert "No such option" in err


def test_the_other_name_works_alike(tcc):
    code, out, err = tcc("lint", "--help", program="tcpolicy")
    assert code == 0
    assert "Usage: tcpolicy lint" in out
    assert err == ""


def test_both_names_are_installed():
    for name in ("tcc", "tcpolicy"):
        done = subprocess.run(
            [Path(sys.executable).with_name(name), "--version"],
            capture_output=True, text=True, check=True,
        )  # fmt: skip
        assert done.stdout.startswith(f"tcc {package.__version__}")


def test_a_fault_of_ours_is_one_line(tcc, monkeypatch):
    monkeypatch.delenv("TCC_DEBUG", raising=False)
    monkeypatch.setattr("tcc.cli.show.findings", None)  # a fault like any other
    code, out, err = tcc("lint", str(ROOT / "docs/examples/home.tcc"))
    assert code == 70
    assert out == ""
    assert err.startswith("tcc: internal error: TypeError: ")
    assert "Traceback" not in err
    assert "please report it" in err


def test_a_fault_shows_where_it_happened_when_asked(tcc, monkeypatch):
    monkeypatch.setenv("TCC_DEBUG", "1")
    monkeypatch.setattr("tcc.cli.show.findings", None)
    with pytest.raises(TypeError):
        tcc("lint", str(ROOT / "docs/examples/home.tcc"))


def test_a_closed_pipe_is_quiet():
    command = f"{sys.executable} -m tcc schema"
    first = subprocess.Popen(
        command.split(), stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=ROOT
    )
    assert first.stdout
    first.stdout.close()  # nobody reads
    assert first.stderr
    assert first.stderr.read() == b""
    first.stderr.close()
    assert first.wait(60) == 141


def test_control_c_ends_quietly():
    process = subprocess.Popen(
        [sys.executable, "-m", "tcc", "lint", "-"],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=ROOT,
    )  # fmt: skip
    deadline = time.monotonic() + 60
    while "pipe" not in waits_in(process.pid) and time.monotonic() < deadline:
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert b"Traceback" not in err
    assert out == b""


def waits_in(pid: int) -> str:
    """The kernel function that the process sleeps in: it reads its standard input."""
    return Path(f"/proc/{pid}/wchan").read_text()


@pytest.mark.parametrize(
    ("option", "environment", "coloured"),
    [
        ("always", {}, True),
        ("always", {"NO_COLOR": "1"}, True),
        ("auto", {}, False),
        ("never", {}, False),
    ],
)
def test_colours(tcc, monkeypatch, here, option, environment, coloured):
    (here / "a.tcc").write_text("let a = 5mbps\n")
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    _, out, _ = tcc("--color", option, "lint", "a.tcc")
    assert ("\x1b[" in out) == coloured


def test_colours_on_a_terminal_unless_no_color(here):
    (here / "a.tcc").write_text("let a = 5mbps\n")
    for environment, coloured in (({}, True), ({"NO_COLOR": "1"}, False)):
        assert ("\x1b[" in on_a_terminal(["lint", "a.tcc"], here, environment)) == coloured


def on_a_terminal(arguments: list[str], folder: Path, environment: dict[str, str]) -> str:
    terminal, other = os.openpty()
    clean = {name: value for name, value in os.environ.items() if name != "NO_COLOR"}
    subprocess.run(
        [sys.executable, "-m", "tcc", *arguments],
        stdout=other, stderr=other, cwd=folder, env=clean | environment, check=False,
    )  # fmt: skip
    os.close(other)
    text = b""
    while True:
        try:
            part = os.read(terminal, 65536)
        except OSError:  # nothing is left
            break
        text += part
    os.close(terminal)
    return text.decode()
