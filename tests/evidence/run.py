"""List the scripts of a folder, or run some: `make evidence`, `make evidence T=name`, `make bench`.

A script says in the first line of its docstring (or shell comment) what it shows, prints the
figure, and exits with something else than 0 when it does not hold.
"""

import argparse
import ast
import os
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
INTERPRETERS = {".py": sys.executable, ".sh": "bash"}


def scripts(folder: Path) -> dict[str, Path]:
    """Return a folder's scripts by name; `_name.py` is a part of others, and none itself."""
    found = [path for path in folder.glob("[!_]*") if path.suffix in INTERPRETERS]
    return {path.stem: path for path in sorted(found) if path != Path(__file__).resolve()}


def description(script: Path) -> str:
    """Return the first line of a script's docstring, or of a shell script's comment."""
    text = script.read_text()
    if script.suffix == ".py":
        words = ast.get_docstring(ast.parse(text)) or ""
    else:
        comments = [line for line in text.splitlines() if line.startswith("# ")]
        words = comments[0].removeprefix("# ") if comments else ""
    return words.partition("\n")[0]


def show_list(known: dict[str, Path], again: str) -> None:
    """Print what can be shown, and how."""
    width = max(map(len, known), default=0)
    for name, script in known.items():
        print(f"{name:{width}}  {description(script)}")
    print(f"{len(known)} in all; {again} T=NAME runs one")


def holds(name: str, script: Path) -> bool:
    """Run a script and say how it went."""
    # bin/ of this environment first, so that `tcc` in a script is the one under test
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', '')}"
    command = [INTERPRETERS[script.suffix], str(script)]
    env = {**os.environ, "PATH": path}
    status = subprocess.run(command, cwd=ROOT, env=env, check=False).returncode
    print(f"{name}: {'holds' if status == 0 else f'DOES NOT HOLD (exit status {status})'}")
    return status == 0


def main() -> int:
    """List, or run the named scripts one after the other; 0 if all hold, 1 if not, 2 unknown."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--in", dest="folder", type=Path, default=HERE)
    parser.add_argument("names", nargs="*")
    args = parser.parse_args()
    known = scripts(args.folder.resolve())
    again = "make evidence" if args.folder == HERE else "make bench"
    if not args.names:
        show_list(known, again)
        return 0
    if unknown := [name for name in args.names if name not in known]:
        print(
            f"nothing here is named {', '.join(unknown)}: `{again}` lists what is", file=sys.stderr
        )
        return 2
    outcomes = [holds(name, known[name]) for name in args.names]
    return 0 if all(outcomes) else 1


if __name__ == "__main__":
    sys.exit(main())
