#!/bin/bash
# The page of results in Chromium: drawn, zoomed, by keyboard, in the dark, printed, offline.
set -euo pipefail
chromium --version 2>/dev/null || true
python -m pytest -v -m browser tests/browser --durations=3
ls -l "${TCC_ARTEFACTS:-build/browser}"
