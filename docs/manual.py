"""Build the manual: `python docs/manual.py site|man|completions FOLDER`.

The pages are those of this folder. What the program knows of itself is written beside a copy of
them: a page for each finding, from what `tcc explain` prints, and a page of all commands, from
their help. The man pages are made from the same: tcc(1) from the commands, tcc-policy(5) from the
language reference. Any warning of Sphinx ends the build.
"""

import argparse
import inspect
import re
import shutil
import subprocess
import sys
from pathlib import Path

import click
from click.shell_completion import get_completion_class

from tcc import checks, pages
from tcc.cli.main import COMMANDS, cli

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
BESIDE = ("tcc", "tests", "plugins", "editors")
"""Folders that pages have links into."""
ORPHAN = "---\norphan: true\n---\n\n"
SHELLS = {"bash": "{}", "zsh": "_{}", "fish": "{}.fish"}
"""The names by which shells find completions."""
ENVIRONMENT = {
    "NO_COLOR": "no colours, unless `--color always`",
    "TCC_STATE_DIR": "where `apply` keeps its journal, instead of /var/lib/tcc",
    "XDG_CACHE_HOME": "where `lint` keeps results, instead of ~/.cache",
    "TCC_ENGINE": "`interpreted`: run the engine's Python although it is compiled",
    "TCC_DEBUG": "show where a fault of tcc itself happened",
}
FILES = {
    "NAME.tcc, NAME.tcc.json": "policies, see tcc-policy(5)",
    "tcc.toml, pyproject.toml": "settings of `lint` and `lsp` for the policies below",
    "/var/lib/tcc": "what `apply` did, for `rollback`",
}


def prepare(folder: Path) -> Path:
    """Copy the pages and write those that are generated; return the source for Sphinx."""
    shutil.rmtree(folder, ignore_errors=True)
    source = folder / "docs"
    shutil.copytree(HERE, source, ignore=shutil.ignore_patterns("__pycache__", ".*"))
    for name in BESIDE:
        (folder / name).symlink_to(ROOT / name)
    _rules(source / "rules")
    (source / "commands.md").write_text(commands())
    _more(source)
    return source


def _rules(folder: Path) -> None:
    """Write a page for each finding, and the list of them.

    They are in no table of contents: a side bar of all of them on every page would be most of
    the site, and most of the time to build it.
    """
    folder.mkdir()
    of_lint = list(dict.fromkeys(code for code, _ in checks.RULES))
    others = sorted(pages.codes() - set(of_lint))
    for code in pages.codes():
        (folder / f"{code}.md").write_text(ORPHAN + (pages.page(code) or ""))
    index = ["# Findings\n", "`tcc explain CODE` prints the same pages.\n"]
    for title, codes in (("Rules of lint", of_lint), ("All other findings", others)):
        index += [f"## {title}\n", *(f"- [{_title(code)}]({code}.md)" for code in codes), ""]
    (folder / "index.md").write_text("\n".join(index))


def _title(code: str) -> str:
    """Return the first line of the page of a finding."""
    return (pages.page(code) or "").partition("\n")[0].removeprefix("# ")


def _more(source: Path) -> None:
    """Put pages that the index does not name into its last list."""
    index = source / "index.md"
    text = index.read_text()
    named = set(re.findall(r"^[\w/-]+$", text, re.MULTILINE))
    more = sorted(page.stem for page in source.glob("*.md") if page.stem not in {*named, "index"})
    index.write_text(text.replace("more-pages", "\n".join(more)))


def commands() -> str:
    """Return a page of all commands: their help, options and exit codes."""
    lines = ["# tcc\n", "## Synopsis\n", "`tcc [--color auto|always|never] COMMAND ...`\n"]
    lines.append("Debian's tcc is the Tiny C Compiler; `tcpolicy` is the same program.\n")
    with click.Context(cli, info_name="tcc") as context:
        for name in cli.list_commands(context):
            command = cli.get_command(context, name)
            assert command is not None
            lines += _command(command, name, click.Context(command, context, name))
    lines += ["## Exit status\n", "Those of the commands; 2 for wrong usage (`plan`: 1); 70 for a"
              " fault of tcc itself; 130 after Ctrl-C; 141 when the reader of the output went"
              " away.\n"]  # fmt: skip
    for title, table in (("Environment", ENVIRONMENT), ("Files", FILES)):
        lines += [f"## {title}\n", *(f"`{name}`\n: {about}\n" for name, about in table.items())]
    lines += ["## See also\n", "tcc-policy(5), tc(8), tc-cake(8), tc-tbf(8), nft(8)\n"]
    return "\n".join(lines)


def _command(command: click.Command, name: str, context: click.Context) -> list[str]:
    usage = " ".join(command.collect_usage_pieces(context))
    lines = [f"## {name}\n", f"{COMMANDS[name].summary.capitalize()}: `tcc {name} {usage}`\n"]
    text = inspect.cleandoc((command.help or "").replace("\b\n", ""))
    for paragraph in text.split("\n\n"):
        if re.search(r"^ {2,}|  ", paragraph, re.MULTILINE):
            lines.append(f"```text\n{paragraph}\n```\n")
        else:
            lines.append(_plain(" ".join(paragraph.split())) + "\n")
    for parameter in command.get_params(context):
        record = parameter.get_help_record(context)
        if record is not None and "--help" not in record[0]:
            lines.append(f"`{record[0]}`\n: {_plain(record[1]) or 'see above'}\n")
    return lines


def _plain(text: str) -> str:
    """Keep what is meant as text from being read as marks."""
    return re.sub(r"([*_<>\[\]])", r"\\\1", text)


def sphinx(builder: str, source: Path, out: Path) -> None:
    """Run Sphinx; a warning is an error.

    Raises:
        subprocess.CalledProcessError: it did not succeed, and has said why.
    """
    options = ["-b", builder, "-W", "--keep-going", "-q", "-d", str(source.parent / "doctrees")]
    command = [sys.executable, "-m", "sphinx", *options, str(source), str(out)]
    subprocess.run(command, check=True)
    if builder == "man":
        for page in out.iterdir():
            if page.is_file():
                page.write_text(_ragged(page.read_text("utf-8")), "utf-8")


TABLE = re.compile(r"^\.TS\n.*?^\.TE\n", re.MULTILINE | re.DOTALL)


def _ragged(page: str) -> str:
    """Let the narrow columns of tables break where their words do, and nowhere else.

    Lines are not stretched, words not hyphenated; a line may end behind `|`, `;` and `/`.
    """
    return TABLE.sub(lambda table: f".na\n.nh\n{_breakable(table[0])}.hy\n.ad\n", page)


def _breakable(table: str) -> str:
    lines = table.splitlines(keepends=True)
    cells = [i for i, line in enumerate(lines) if not line.startswith((".", "T{", "T}", "_", "l|"))]
    for at in cells:
        lines[at] = re.sub(r"(?<=\w)([|/])(?=\w)", r"\1\\:", lines[at])
    return "".join(lines)


def completions(folder: Path) -> None:
    """Write the completion of each shell, under both names of the program."""
    for shell, name in SHELLS.items():
        for program in ("tcc", "tcpolicy"):
            out = folder / shell / name.format(program)
            out.parent.mkdir(parents=True, exist_ok=True)
            with click.Context(cli, info_name=program) as context:
                found = get_completion_class(shell)
                assert found is not None
                variable = f"_{program}_COMPLETE".upper()
                script = found(context.command, {}, program, variable)
                out.write_text(script.source_template % script.source_vars() + "\n")


def main() -> int:
    """Build what is asked for; 1 when Sphinx has something to complain about."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=("site", "man", "completions"))
    parser.add_argument("folder", type=Path)
    chosen = parser.parse_args()
    chosen.folder.mkdir(parents=True, exist_ok=True)
    if chosen.what == "completions":
        completions(chosen.folder)
        return 0
    source = prepare(chosen.folder / "source")
    builder = "html" if chosen.what == "site" else "man"
    try:
        sphinx(builder, source, chosen.folder / builder)
    except subprocess.CalledProcessError:
        return 1
    print(f"{chosen.folder / builder}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
