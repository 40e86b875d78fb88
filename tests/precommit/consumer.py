"""A repository with policies that uses the hooks of this one, as its owner would set it up."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
SHIPPED = (
    ".pre-commit-hooks.yaml", "CHANGELOG.md", "LICENSE", "MANIFEST.in", "Makefile", "README.md",
    "grammar", "plugins", "pyproject.toml", "setup.py", "tcc",
)  # fmt: skip
"""What the hooks' environment is built from."""
CONFIG = """\
repos:
  - repo: {source}
    rev: {rev}
    hooks:
      - id: tcc-lint
        verbose: true
      - id: tcc-fmt
        verbose: true
"""
IDENTITY = ("-c", "user.name=Somebody", "-c", "user.email=somebody@example.org")
DURATION = re.compile(r"- hook id: (\S+)\n- duration: ([0-9.]+)s")
COMMIT = "pre-commit"


def git(folder: Path, *words: str) -> str:
    """Run git in a folder and return what it prints."""
    command = ["git", *IDENTITY, "-c", "init.defaultBranch=main", *words]
    return subprocess.run(
        command, cwd=folder, check=True, capture_output=True, text=True
    ).stdout.strip()


class Consumer:
    """A repository of policies whose commits go through pre-commit."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder / "policies"
        self.home = folder / "pre-commit"
        self.source = folder / "hooks"
        self._commit_source()
        self.folder.mkdir()
        git(self.folder, "init", "-q")
        config = CONFIG.format(source=self.source, rev=git(self.source, "rev-parse", "HEAD"))
        (self.folder / ".pre-commit-config.yaml").write_text(config)

    def _commit_source(self) -> None:
        """Commit what is in the checkout, whether or not it has been committed there."""
        self.source.mkdir()
        left_out = shutil.ignore_patterns("*.so", "__pycache__", "*.egg-info", "*.c")
        for name in SHIPPED:
            path = ROOT / name
            if path.is_dir():
                shutil.copytree(path, self.source / name, ignore=left_out)
            else:
                shutil.copy(path, self.source / name)
        git(self.source, "init", "-q")
        git(self.source, "add", "-A")
        git(self.source, "commit", "-qm", "Everything")

    def pre_commit(self, *words: str) -> subprocess.CompletedProcess[str]:
        """Run pre-commit; the engine is not compiled, since lint and fmt do not need it."""
        environment = {
            **os.environ,
            "PRE_COMMIT_HOME": str(self.home),
            "PRE_COMMIT_COLOR": "never",
            "TCC_PURE": "1",
        }
        return subprocess.run(
            [sys.executable, "-m", "pre_commit", *words],
            cwd=self.folder, env=environment, capture_output=True, text=True, check=False,
        )  # fmt: skip

    def install(self) -> None:
        """Make the environment of the hooks, and the hook of git."""
        outcome = self.pre_commit("install", "--install-hooks")
        if outcome.returncode:
            raise RuntimeError(outcome.stdout + outcome.stderr)

    def commit(self, name: str, text: str) -> subprocess.CompletedProcess[str]:
        """Commit one policy, through the hook that pre-commit put into git."""
        (self.folder / name).write_text(text)
        git(self.folder, "add", "-A")
        environment = {**os.environ, "PRE_COMMIT_HOME": str(self.home), "PRE_COMMIT_COLOR": "never"}
        return subprocess.run(
            ["git", *IDENTITY, "commit", "-qm", f"Change {name}"],
            cwd=self.folder, env=environment, capture_output=True, text=True, check=False,
        )  # fmt: skip

    def tool(self) -> Path:
        """Return the tcc that the hooks run."""
        [found] = self.home.glob("repo*/py_env-*/bin/tcc")
        return found


def durations(output: str) -> dict[str, float]:
    """Return the seconds that pre-commit says each hook took."""
    return {hook: float(took) for hook, took in DURATION.findall(output)}
