"""The manual is built with warnings as errors: a page for each finding, man pages, completions.

groff lays the man pages out, and bash, zsh and fish load the completions, where they are installed;
what is not there is named.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[2]


def main() -> int:
    """Build all three and count what came out."""
    with tempfile.TemporaryDirectory() as name:
        for what in ("site", "man", "completions"):
            command = [sys.executable, "docs/manual.py", what, name]
            done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
            if done.returncode:
                print(done.stdout + done.stderr)
                return 1
        folder = Path(name)
        rules = len(list((folder / "html/rules").glob("*.html"))) - 1
        whole = len(list((folder / "html").rglob("*.html")))
        print(f"{whole} pages without a warning, {rules} of them of findings")
        print("man pages:", *sorted(path.name for path in (folder / "man").iterdir()))
        shells = [
            path.name for path in folder.glob("*/*") if path.parent.name in ("bash", "zsh", "fish")
        ]
        print("completions:", *sorted(shells))
        complaints = [*laid_out(folder / "man"), *loaded(folder)]
        print(*complaints, sep="\n", end="\n" if complaints else "")
    return 0 if rules > 200 and len(shells) == 6 and not complaints else 1


def laid_out(pages: Path) -> list[str]:
    """Return what groff and tbl say of the man pages."""
    if shutil.which("groff") is None or shutil.which("tbl") is None:
        print("groff: not here")
        return []
    said: list[str] = []
    for page in sorted(pages.glob("*.[15]")):
        table = subprocess.run(["tbl", str(page)], capture_output=True, check=True).stdout
        command = ["groff", "-man", "-Tutf8", "-ww"]
        done = subprocess.run(command, input=table, capture_output=True, check=False)
        said += done.stderr.decode().splitlines()
    print(f"groff: {len(said)} warnings")
    return said


SHELLS = {
    "bash": "source {}/bash/tcc; COMP_WORDS=(tcc li); COMP_CWORD=1; _tcc_completion tcc;"
    ' echo "${{COMPREPLY[@]}}"',
    "zsh": "fpath=({}/zsh $fpath); autoload -Uz compinit; compinit -u -d {}/dump;"
    " autoload +X _tcc && print $_comps[tcc]",
    "fish": 'source {}/fish/tcc.fish; complete -C "tcc li"',
}
EXPECTED = {"bash": "lint", "zsh": "_tcc", "fish": "lint"}
PLAIN = {"bash": "--norc", "zsh": "-f", "fish": "--no-config"}


def loaded(folder: Path) -> list[str]:
    """Return the shells that are here and do not take their completion."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    bad: list[str] = []
    for shell, script in SHELLS.items():
        if shutil.which(shell) is None:
            print(f"{shell}: not here")
            continue
        done = subprocess.run(
            [shell, PLAIN[shell], "-c", script.format(*[folder] * 2)],
            capture_output=True, text=True, check=False, env={**os.environ, "PATH": path},
        )  # fmt: skip
        first = (done.stdout.split() or [""])[0]
        print(f"{shell}: completes `tcc li`" if shell != "zsh" else "zsh: loads the completion")
        if first != EXPECTED[shell]:
            bad.append(f"{shell}: {done.stdout}{done.stderr}")
    return bad


if __name__ == "__main__":
    sys.exit(main())
