"""Colours for policies: the words of the language by kind, for Pygments and for TextMate.

- `words`    which words are coloured, from the tables of the language, and patterns for the rest
- `lexer`    a Pygments lexer, found by its entry point
- `textmate` writes the grammar of `editors/vscode`
"""
