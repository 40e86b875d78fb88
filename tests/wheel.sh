#!/bin/bash
# Build a wheel, install it in an empty environment, run the golden tests against it elsewhere.
set -euo pipefail
python=$(realpath -s "$1")
checkout=$(pwd)
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT

"$python" -m build --wheel --outdir "$place/dist" . >"$place/build.log" 2>&1 \
  || { tail -n 40 "$place/build.log"; exit 1; }
wheel=$(echo "$place"/dist/*.whl)
mkdir -p dist
cp "$wheel" dist/

"$python" -m venv "$place/venv"
"$place/venv/bin/python" -m pip install -q --upgrade pip
"$place/venv/bin/python" -m pip install -q "$wheel[yaml]" pytest hypothesis
mkdir "$place/elsewhere"
cp -r "$checkout/tests" "$checkout/pyproject.toml" "$place/elsewhere/"
[ ! -d docs/examples ] || { mkdir "$place/elsewhere/docs"; cp -r docs/examples "$place/elsewhere/docs/"; }
cd "$place/elsewhere"

"$place/venv/bin/tcc" --version
"$place/venv/bin/python" -m pytest -q -p no:cacheprovider tests/test_package.py tests/test_golden.py
echo "wheel: dist/$(basename "$wheel")"
