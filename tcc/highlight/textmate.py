"""The TextMate grammar of policies, for VS Code and other editors that read such.

python -m tcc.highlight.textmate > editors/vscode/syntaxes/tcc.tmLanguage.json
"""

import json
import sys
from typing import Any

from tcc.highlight import words

SCOPE = "source.tcc"


def grammar() -> dict[str, Any]:
    """Return the grammar; patterns are tried in their order."""
    patterns = (
        ("comment.line.number-sign", words.COMMENT),
        ("string.quoted.double", words.STRING),
        ("constant.other.address", words.ADDRESS),
        ("constant.numeric", words.NUMBER),
        ("support.function", words.CALL),
        ("storage.type", words.TYPE),
        ("keyword.operator.word", words.any_of(words.OPERATORS)),
        ("keyword.other.clause", words.any_of(words.CLAUSES)),
        ("support.constant", words.any_of(words.VALUES)),
        ("variable.other", words.NAME),
        ("keyword.operator", words.OPERATOR),
        ("punctuation", r"[{}();]"),
    )
    return {
        "$schema": "https://raw.githubusercontent.com/martinring/tmlanguage/master/tmlanguage.json",
        "name": "tcc policy",
        "scopeName": SCOPE,
        "fileTypes": ["tcc"],
        "patterns": [{"name": f"{name}.tcc", "match": match} for name, match in patterns],
    }


def text() -> str:
    """Return the file."""
    return json.dumps(grammar(), indent=2) + "\n"


if __name__ == "__main__":
    sys.stdout.write(text())
