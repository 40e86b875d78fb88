"""Lint as a service of files: settings from `tcc.toml`, fragments, many files, the cache.

`tcc lint` on a file or two without settings needs nothing of this, and imports none of it but
`tcc.linting.fragments`, and that only when a name is missing. The parts, each importing only
those before it:

- `fragments` which files are only ever included, and what is not said of them alone
- `nearby`    whether there is a configuration
- `config`    find and read `tcc.toml` or `[tool.tcc]`
- `settings`  what holds for one file: the configuration's word and the command line's
- `values`    the values that a configuration gives, for commands other than lint
- `encoded`   findings as JSON values and back
- `cache`     results by content, in the user's cache directory
- `includers` which policies include a file
- `one`       lint one file in its settings
- `many`      lint any number, in parallel
"""
