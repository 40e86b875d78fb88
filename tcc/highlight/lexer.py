"""A Pygments lexer for policies: `pygmentize -l tcc`, and code blocks in Sphinx and MkDocs."""

import re
from typing import ClassVar

from pygments.lexer import RegexLexer
from pygments.token import (
    Comment,
    Keyword,
    Name,
    Number,
    Operator,
    Punctuation,
    String,
    Text,
    Whitespace,
)

from tcc.highlight import words


class TccLexer(RegexLexer):
    """Colours a policy of the language of `tcc`."""

    name = "tcc policy"
    aliases: ClassVar = ["tcc"]
    filenames: ClassVar = ["*.tcc"]
    flags = re.MULTILINE
    tokens: ClassVar = {
        "root": [
            (r"\s+", Whitespace),
            (words.COMMENT, Comment.Single),
            (words.STRING, String.Double),
            (words.ADDRESS, Number.Other),
            (words.NUMBER, Number),
            (words.CALL, Name.Builtin),
            (words.TYPE, Keyword.Type),
            (words.any_of(words.OPERATORS), Operator.Word),
            (words.any_of(words.CLAUSES), Keyword),
            (words.any_of(words.VALUES), Name.Constant),
            (words.NAME, Name),
            (words.OPERATOR, Operator),
            (r"[{}();]", Punctuation),
            (r".", Text),  # what lint has something to say about
        ]
    }
