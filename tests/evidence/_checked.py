"""An engine that checks what it does: build it in a folder of its own, and run what there is."""

import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
VECTORS = [f"tests/data/cake{part}-vectors.json.gz" for part in ("", "-traffic")]
NEAR = "tests/engine", "-q", "-m", "not slow and not uml and not kernel", "-p", "no:cacheprovider"
TESTS = f"import sys, tcc.engine.packet, pytest; sys.exit(pytest.main({list(NEAR)!r}))"
TRACES = "tests.evidence._traces"


def library(name: str) -> str | None:
    """Return where the compiler keeps one of its libraries, None where it has none."""
    command = [os.environ.get("CC", "cc"), f"-print-file-name={name}"]
    if shutil.which(command[0]) is None:
        return None
    said = subprocess.run(command, capture_output=True, text=True, check=False).stdout.strip()
    return said if Path(said).is_absolute() and Path(said).exists() else None


def of_cake() -> str:
    """Return the modules that a replay of CAKE loads, for TCC_ENGINE_ONLY."""
    code = "import sys, tcc.engine.replay; print(*sys.modules)"
    env = os.environ | {"PYTHONPATH": str(ROOT)}
    return subprocess.run(
        [sys.executable, "-c", code], env=env, capture_output=True, text=True, check=True
    ).stdout


def build(checks: str, only: str = "") -> Path:
    """Compile the engine, or `only` some modules, with `checks` (see setup.py).

    Returns:
        The folder that has it.
    """
    base = ROOT / f"build/engine-{checks}{'-cake' if only else ''}"
    command = [sys.executable, "setup.py", "-q", "build", "--build-base", str(base)]
    env = os.environ | {"TCC_ENGINE_CHECKS": checks, "TCC_ENGINE_ONLY": only}
    done = subprocess.run(
        [*command, "--build-lib", str(base / "lib")],
        cwd=ROOT, env=env, capture_output=True, text=True, check=False,
    )  # fmt: skip
    if done.returncode:
        sys.exit(done.stdout + done.stderr)
    return base / "lib"


def sanitizers() -> str | None:
    """Return what to load first for `address`; None where the compiler has no AddressSanitizer."""
    found = [library("libasan.so"), library("libstdc++.so.6") or library("libstdc++.so")]
    return " ".join(filter(None, found)) if found[0] else None


def environment(lib: Path, preload: str | None) -> dict[str, str]:
    """Return the environment in which Python takes the engine from `lib`, and stops at a fault."""
    env = os.environ | {
        "PYTHONPATH": f"{lib}{os.pathsep}{ROOT}",
        "PYTHONSAFEPATH": "1",
        "UBSAN_OPTIONS": "halt_on_error=1:print_stacktrace=1",
    }
    if preload:
        env |= {
            "LD_PRELOAD": preload,
            "PYTHONMALLOC": "malloc",
            "ASAN_OPTIONS": "detect_leaks=0",  # CPython keeps much to its end
        }
    return env


def holds(checks: str, preload: str | None = None, *, short: bool = False) -> bool:
    """Build, then replay the kernel's traces, run the engine's tests, and replay damaged traces.

    `short` builds CAKE alone, and leaves out the tests, which take most of the time.
    """
    # Where this is a job in the background it is ignored, and tests of Ctrl-C wait for an hour.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    started = time.monotonic()
    lib = build(checks, of_cake() if short else "")
    print(f"built in {time.monotonic() - started:.0f} s", flush=True)
    env = environment(lib, preload)
    where = "from tcc.engine import packet; print(packet.__file__)"
    steps = {
        "the engine": ["-c", where],
        "the kernel's traces": ["-m", "tcc.engine.replay", *VECTORS],
        "tests of the engine": ["-c", TESTS],
        "damaged traces": ["-m", TRACES],
    }
    if short:
        del steps["tests of the engine"]
    for name, arguments in steps.items():
        started = time.monotonic()
        done = subprocess.run(
            [sys.executable, *arguments],
            cwd=ROOT, env=env, capture_output=True, text=True, check=False,
        )  # fmt: skip
        said = (done.stdout.strip().splitlines() or ["nothing"])[-1]
        print(f"{name}: {said} ({time.monotonic() - started:.0f} s)", flush=True)
        right = str(lib) in said if name == "the engine" else not done.stderr
        if done.returncode or not right:
            print((done.stdout + done.stderr)[-6000:])
            return False
    return True
