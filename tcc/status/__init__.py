"""What runs now: rates, delays, drops and flows, and whether it is what was applied.

- `model`: the document that `tcc status --json` prints.
- `reader`: looks at the kernel.
- `document`: one look, or two, as the document.
- `drift`: what is no longer as it was applied.
- `text`, `metrics`, `server`, `board`: the document for people, for Prometheus, over HTTP, live.
"""
