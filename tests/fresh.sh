#!/bin/bash
# What README says under "Try it", as written, on a clean Debian; the Debian package on another.
#
# As an ordinary user, from a clone of what is committed.  FRESH_TEST=no leaves out `make test`, which
# comes last since it takes longest.
set -euo pipefail
place=$(mktemp -d)
trap 'rm -rf --one-file-system "$place"' EXIT
. tests/chroot.sh
suite=$(. /etc/os-release && echo "$VERSION_CODENAME")

megabytes() { du -sm --one-file-system "$1" | cut -f 1; }

commands=$(sed -n '/^## Try it/,/^## /s/^\(make [a-z]*\) .*/\1/p' README.md)
[ "$commands" = $'make try\nmake test' ] || { echo "fresh: README says otherwise: $commands"; exit 1; }

clean=$place/clean
timed "a clean Debian ($suite)" debian "$suite" "$clean"
bare=$(megabytes "$clean")
timed "apt-get install python3 python3-venv make" apt_install "$clean" python3 python3-venv make
inside "$clean" root useradd --create-home --shell /bin/bash reader
git clone -q --no-local . "$clean/home/reader/tcc"
inside "$clean" root chown -R reader: /home/reader/tcc
before=$(megabytes "$clean")
readme() { # COMMAND: a line of README, in the clone
  timed "$1" inside "$clean" reader sh -c "cd ~/tcc && $1 >~/log 2>&1" \
    || { tail -n 40 "$clean/home/reader/log"; exit 1; }
}
readme "make try"
tail -n 3 "$clean/home/reader/log"
echo "sizes: $bare MB of Debian, $((before - bare)) MB of Python and the clone," \
  "$(($(megabytes "$clean") - before)) MB of what make try installs"

other=$place/other
debian "$suite" "$other"
before=$(megabytes "$other")
package=$(echo dist/tcpolicy_*.deb)
[ -e "$package" ] || { echo "fresh: no package in dist/: make deb"; exit 1; }
cp "$package" debian/tests/smoke "$other/root/"
timed "apt-get install ./$(basename "$package")" apt_install "$other" "/root/$(basename "$package")"
timed "debian/tests/smoke" inside "$other" root sh -c 'sh /root/smoke >/root/log 2>&1' \
  || { tail -n 20 "$other/root/log"; exit 1; }
echo "sizes: $(du -m "$package" | cut -f 1) MB of package;" \
  "$(($(megabytes "$other") - before)) MB installed, Python and apt's lists included"
inside "$other" root apt-get -qq -y remove --purge tcpolicy >/dev/null 2>&1
[ ! -e "$other/usr/lib/tcpolicy" ] || { echo "fresh: removed, it leaves files behind"; exit 1; }
echo "removed: nothing left of it"

if [ "${FRESH_TEST:-yes}" = yes ]; then
  wanted=(git gcc libc6-dev python3-dev shellcheck tshark)
  timed "apt-get install ${wanted[*]}" apt_install "$clean" "${wanted[@]}"
  readme "make test"
  tail -n 1 "$clean/home/reader/log"
fi
