#!/bin/bash
# Build and install on each Python that pyproject.toml allows, and run golden tests and conformance.
#
# Interpreters on the PATH first; for one that is not there, the Debian that has it as its own, in a
# chroot.  Says which were tried; one that was not tried is a failure.
set -euo pipefail
place=$(mktemp -d)
trap 'rm -rf --one-file-system "$place"' EXIT
versions=(3.11 3.12 3.13 3.14)
declare -A suites=([3.11]=bookworm [3.13]=trixie [3.14]=forky)
[ $# -eq 0 ] || versions=("$@")

mkdir "$place/tree"
git archive HEAD | tar -x -C "$place/tree"
cat >"$place/trial" <<'TRIAL'
set -eu
python=$1 here=$2
"$python" -m venv "$here/venv"
venv=$here/venv/bin/python
"$venv" -m pip install -q --upgrade pip
"$venv" -m pip install -q "$here/tree[yaml]" pytest hypothesis
mkdir -p "$here/elsewhere/docs"
cd "$here/elsewhere"
cp -r "$here/tree/tests" "$here/tree/pyproject.toml" .
cp -r "$here/tree/docs/examples" docs/
"$venv" -VV
"$venv" -c 'from tcc.engine import compiled; assert compiled(), "the engine is interpreted"'
"$venv" -m pytest -q -p no:cacheprovider tests/test_golden.py tests/test_package.py
"$venv" -m tcc.engine.replay tests/data/cake-vectors.json.gz tests/data/cake-traffic-vectors.json.gz
TRIAL

usable() { # PYTHON: it runs, makes environments and has what a C compiler needs
  local headers='import os, sysconfig as s; assert os.path.exists(s.get_path("include") + "/Python.h")'
  "$1" -c "import ensurepip, venv; $headers" 2>/dev/null
}

on_path() { # VERSION
  mkdir "$place/$1"
  cp -r "$place/tree" "$place/$1/"
  sh "$place/trial" "python$1" "$place/$1"
}

in_debian() { # VERSION SUITE
  local root=$place/$2-root
  # shellcheck source=tests/chroot.sh
  . tests/chroot.sh
  debian "$2" "$root"
  apt_install "$root" gcc libc6-dev "python$1-dev" "python$1-venv"
  mkdir "$root/root/trial"
  cp -r "$place/tree" "$place/trial" "$root/root/trial/"
  inside "$root" root sh /root/trial/trial "python$1" /root/trial
}

failed=0
tried=()
for version in "${versions[@]}"; do
  suite=${suites[$version]:-}
  where=PATH
  if ! usable "python$version" && [ -n "$suite" ]; then
    where="Debian $suite"
  elif ! usable "python$version"; then
    tried+=("python$version: NOT TRIED: none on the PATH, and no Debian has it")
    failed=1
    continue
  fi
  echo "== python$version ($where)"
  # A pipe, since `if (...)` would make nothing of set -e in all that runs within.
  set +e
  (
    set -e
    if [ "$where" = PATH ]; then on_path "$version"; else in_debian "$version" "$suite"; fi
  ) 2>&1 | tee "$place/log"
  code=${PIPESTATUS[0]}
  set -e
  if [ "$code" = 0 ]; then
    tried+=("python$version ($where): holds")
  else
    tried+=("python$version ($where): FAILED")
    failed=1
  fi
done
printf '%s\n' "${tried[@]}"
exit $failed
