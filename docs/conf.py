"""Sphinx's settings; `docs/manual.py` builds the site and the man pages with them."""

import tcc

project = "tcc"
author = "the authors of tcc"
version = release = tcc.__version__
extensions = ["myst_parser"]
myst_enable_extensions = ["deflist"]
myst_heading_anchors = 3
exclude_patterns = ["conf.py", "manual.py"]
html_theme = "furo"
html_title = f"tcc {release}"
html_show_sphinx = False
html_copy_source = False
highlight_language = "none"
suppress_warnings = [
    "myst.header",  # a page of a finding ends its title with a colon and words
    "misc.highlighting_failure",  # what a console shows is in no language
]
man_pages = [
    ("commands", "tcc", "traffic-control policies: check, predict, apply", author, "1"),
    ("language", "tcc-policy", "the language of traffic-control policies", author, "5"),
]
man_show_urls = True
