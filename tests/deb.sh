#!/bin/bash
# Build the Debian package tcpolicy into dist/, from what is committed.
set -euo pipefail
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT

missing=()
for package in debhelper dh-python bash-completion python3-dev python3-venv gcc; do
  dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null | grep -qx installed \
    || missing+=("$package")
done
if [ ${#missing[@]} -gt 0 ]; then
  echo "deb: these are missing: apt-get install ${missing[*]}"
  exit 1
fi

mkdir "$place/tcpolicy"
git archive HEAD | tar -x -C "$place/tcpolicy"
cd "$place/tcpolicy"
export SOURCE_DATE_EPOCH
SOURCE_DATE_EPOCH=$(dpkg-parsechangelog -S Timestamp)
dpkg-buildpackage -b -us -uc >"$place/build.log" 2>&1 || { tail -n 40 "$place/build.log"; exit 1; }
cd "$OLDPWD"
mkdir -p dist
rm -f dist/*.deb
cp "$place"/*.deb dist/
ls -l dist/*.deb
