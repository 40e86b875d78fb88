"""List the scripts of this folder, or run one: `make evidence`, `make evidence T=name`."""

import ast
import os
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent
INTERPRETERS = {".py": sys.executable, ".sh": "bash"}


def scripts() -> dict[str, Path]:
    """Return the scripts by name."""
    found = [path for path in HERE.iterdir() if path.suffix in INTERPRETERS]
    return {path.stem: path for path in sorted(found) if path.name != Path(__file__).name}


def description(script: Path) -> str:
    """Return the first line of a script's docstring, or of a shell script's comment."""
    text = script.read_text()
    if script.suffix == ".py":
        words = ast.get_docstring(ast.parse(text)) or ""
    else:
        comments = [line for line in text.splitlines() if line.startswith("# ")]
        words = comments[0].removeprefix("# ") if comments else ""
    return words.partition("\n")[0]


def main(names: list[str]) -> int:
    """List, or run the named scripts one after the other; return how many did not hold."""
    known = scripts()
    if not names:
        width = max(map(len, known), default=0)
        for name, script in known.items():
            print(f"{name:{width}}  {description(script)}")
        print(f"{len(known)} to be shown: make evidence T=NAME")
        return 0
    if unknown := [name for name in names if name not in known]:
        print(f"no evidence named {', '.join(unknown)}: `make evidence` lists them")
        return 2
    # bin/ of this environment first, so that `tcc` in a script is the one under test
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', '')}"
    failed = 0
    for name in names:
        script = known[name]
        command = [INTERPRETERS[script.suffix], str(script)]
        status = subprocess.run(
            command, cwd=HERE.parents[1], env={**os.environ, "PATH": path}, check=False
        ).returncode
        print(f"{name}: {'holds' if status == 0 else f'DOES NOT HOLD (exit status {status})'}")
        failed += status != 0
    return min(failed, 1)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
