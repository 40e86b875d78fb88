"""The manual is built with warnings as errors: a page for each finding, man pages, completions."""

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
    return 0 if rules > 200 and len(shells) == 6 else 1


if __name__ == "__main__":
    sys.exit(main())
