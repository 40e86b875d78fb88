"""`tcc lsp`: a language server for editors, over standard input and output (extra `lsp`).

- `document`    one text as it is in the editor: built, linted, its places looked up
- `places`      offsets and the editor's positions
- `names`       definitions and uses: go to, find, rename
- `hover`       what a word means, and what a clause becomes on each system
- `completion`  what could stand at a place
- `actions`     fixes and waivers
- `server`      who asks for what: the protocol, and nothing else

Nothing here reads the host: what is known of one comes from a facts file.
"""
