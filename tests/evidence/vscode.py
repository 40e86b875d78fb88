"""VS Code's own tokenizer colours all sample policies as Pygments does; vsce packs the extension.

Needs npm: the packages are installed into a temporary folder, and nothing is published.
"""

import json
import shutil
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

from pygments.lexers import get_lexer_by_name
from pygments.token import Comment, Keyword, Name, Number, Operator, Punctuation, String

ROOT = Path(__file__).parents[2]
EXTENSION = ROOT / "editors/vscode"
ADVICE = "For performance reasons, you should bundle your extension"
"""What vsce says of every extension with dependencies that is not one file."""
PACKAGES = ("vscode-textmate@9", "vscode-oniguruma@2", "@vscode/vsce@3")
SCOPES = {
    Comment.Single: "comment.line.number-sign", String: "string.quoted.double",
    Number: "constant.numeric", Keyword: "keyword.other.clause", Keyword.Type: "storage.type",
    Name.Constant: "support.constant", Name: "variable.other", Name.Builtin: "support.function",
    Operator.Word: "keyword.operator.word", Operator: "keyword.operator",
    Punctuation: "punctuation",
}  # fmt: skip


def ours(path: Path) -> list[tuple[str, str]]:
    """Return what Pygments colours, with the scope of the same name."""
    tokens = get_lexer_by_name("tcc").get_tokens(path.read_text())
    return [(scope(kind), word) for kind, word in tokens if word.strip() and scope(kind)]


def scope(kind: object) -> str:
    """Return the scope of a token type, or of the nearest one above it."""
    while kind is not None and kind not in SCOPES:
        kind = getattr(kind, "parent", None)
    return f"{SCOPES[kind]}.tcc" if kind is not None else ""


def alike(theirs: list[list[str]], ours_: list[tuple[str, str]]) -> list[str]:
    """Return the places where two colourings of one file differ."""
    addresses = {"constant.other.address.tcc": "constant.numeric.tcc"}
    cut = [(addresses.get(name, name), text.strip()) for name, text in theirs if text.strip()]
    own = [(addresses.get(name, name), text.strip()) for name, text in ours_]
    pairs = zip(joined(cut), joined(own), strict=False)
    found = [f"{a} and {b}" for a, b in pairs if a != b]
    return found or (["one has more"] if len(joined(cut)) != len(joined(own)) else [])


def joined(tokens: list[tuple[str, str]]) -> list[tuple[str, str]]:
    """Join punctuation that one of the two takes a character at a time."""
    out: list[tuple[str, str]] = []
    for name, text in tokens:
        if out and name == out[-1][0] and name.startswith(("punctuation", "keyword.operator.tcc")):
            out[-1] = (name, out[-1][1] + text)
        else:
            out.append((name, text))
    return out


def colours(modules: Path) -> int:
    """Compare all policies; return how many differ."""
    paths = [*ROOT.glob("docs/examples/*.tcc"), *ROOT.glob("tests/clean/*.tcc")]
    grammar = EXTENSION / "syntaxes/tcc.tmLanguage.json"
    script = Path(__file__).with_suffix(".js")
    command = ["node", str(script), str(modules), str(grammar), *map(str, paths)]
    out = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    different = pieces = 0
    for line in out.splitlines():
        name, theirs = json.loads(line)
        pieces += len(theirs)
        differences = alike(theirs, ours(Path(name)))
        different += bool(differences)
        for one in differences[:2]:
            print(f"{Path(name).stem}: {one}")
    print(f"{len(paths)} policies, {pieces} coloured pieces: {different} policies differ")
    return different


def packed(folder: Path, modules: Path) -> bool:
    """Pack the extension with its dependency, as for the marketplace; list what is inside."""
    copy = folder / "extension"
    shutil.copytree(EXTENSION, copy)
    shutil.copy(ROOT / "LICENSE", copy / "LICENSE")
    subprocess.run(
        ["npm", "install", "--omit=dev", "--no-audit", "--no-fund"],
        cwd=copy, check=True, capture_output=True,
    )  # fmt: skip
    vsce = modules / ".bin/vsce"
    done = subprocess.run(
        [str(vsce), "package", "--out", "tcc.vsix"],
        cwd=copy, check=False, capture_output=True, text=True,
    )  # fmt: skip
    warnings = [line for line in (done.stdout + done.stderr).splitlines() if "WARN" in line]
    warnings = [line for line in warnings if ADVICE not in line]
    print(*warnings, sep="\n", end="\n" if warnings else "")
    if done.returncode:
        print(done.stderr)
        return False
    names = zipfile.ZipFile(copy / "tcc.vsix").namelist()
    own = [name for name in names if "node_modules" not in name]
    print(f"vsce packs {len(names)} files; of ours: {', '.join(sorted(own))}")
    return not warnings


def main() -> int:
    """Install, compare, pack; 0 when all is alike and vsce has nothing to say."""
    if shutil.which("npm") is None or shutil.which("node") is None:
        print("npm and node are not here")
        return 1
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        subprocess.run(
            ["npm", "install", "--no-audit", "--no-fund", "--prefix", name, *PACKAGES],
            check=True, capture_output=True,
        )  # fmt: skip
        modules = folder / "node_modules"
        different = colours(modules)
        return 0 if packed(folder, modules) and not different else 1


if __name__ == "__main__":
    sys.exit(main())
