# shellcheck shell=bash
# Clean Debians in folders, for fresh.sh and pythons.sh to source.  Needs root and debootstrap.
#
# TCC_DEBIAN names a folder where what debootstrap made is kept, so that a second run spares the
# download.  The mirror is this machine's own; of its settings a chroot gets the name server, pip's
# configuration and the certificates that this names.  Mounts live in the mount namespace of the
# one command that they are for: nothing is left to unmount, and no folder of the host is bound.

[ "$(id -u)" = 0 ] || { echo "$0: needs root, for chroot: try sudo"; exit 1; }
command -v debootstrap >/dev/null || { echo "$0: missing: apt-get install debootstrap"; exit 1; }

mirror() { # print where this machine's apt gets its release from
  local codename
  codename=$(. /etc/os-release && echo "$VERSION_CODENAME")
  # shellcheck disable=SC2016 # apt's variables
  apt-get indextargets --format '$(CODENAME) $(REPO_URI)' 'Created-By: Packages' \
    | awk -v codename="$codename" '$1 == codename { print $2; exit }'
}

debian() { # SUITE FOLDER: make a clean one there, with the packages of minbase
  local kept=${TCC_DEBIAN:-$place}/$1 script=/usr/share/debootstrap/scripts/$1
  [ -e "$script" ] || script=/usr/share/debootstrap/scripts/sid
  if [ ! -e "$kept.made" ]; then
    rm -rf --one-file-system "$kept"
    debootstrap --variant=minbase "$1" "$kept" "$(mirror)" "$script" >"$place/debootstrap.log" 2>&1 \
      || { tail "$place/debootstrap.log"; return 1; }
    touch "$kept.made"
  fi
  cp -a "$kept" "$2"
  cp /etc/resolv.conf "$2/etc/resolv.conf"
  settings_of_pip "$2"
  package_lists "$2" "$1"
}

package_lists() { # FOLDER SUITE: fetch them; a mirror that stands still outlives what it says of its date
  inside "$1" root apt-get -qq update 2>"$place/update.log" && return
  grep -q 'Release file .* is expired' "$place/update.log" || { cat "$place/update.log"; return 1; }
  echo "the mirror's lists of $2 are past their date, and taken all the same"
  inside "$1" root apt-get -qq -o Acquire::Check-Valid-Until=false update
}

settings_of_pip() { # FOLDER: give it this machine's, and the certificates under a name of their own,
  # since the package ca-certificates writes the usual one anew
  local certificates=${PIP_CERT:-}
  [ ! -e /etc/pip.conf ] || cp /etc/pip.conf "$1/etc/pip.conf"
  [ -n "$certificates" ] || certificates=$(sed -n 's/^ *cert *= *//p' /etc/pip.conf 2>/dev/null || true)
  [ -n "$certificates" ] || return 0
  install -m 644 "$certificates" "$1/etc/pip.crt"
}

inside() { # FOLDER USER COMMAND...: run it there
  local folder=$1 user=$2
  shift 2
  local certificates=
  [ ! -e "$folder/etc/pip.crt" ] || certificates=PIP_CERT=/etc/pip.crt
  # shellcheck disable=SC2016 # for the inner shell
  certificates=$certificates unshare --mount --pid --fork --kill-child sh -euc '
    folder=$1 user=$2
    shift 2
    mount -t proc proc "$folder/proc"
    mkdir -p "$folder/dev/shm" "$folder/dev/pts"
    mount -t tmpfs tmpfs "$folder/dev/shm"
    mount -t devpts -o newinstance,ptmxmode=666 devpts "$folder/dev/pts"
    ln -sf pts/ptmx "$folder/dev/ptmx"
    home=$(sed -n "s/^$user:.*:\(.*\):.*/\1/p" "$folder/etc/passwd")
    exec env -i $certificates PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME="$home" LANG=C.UTF-8 \
      DEBIAN_FRONTEND=noninteractive chroot --userspec="$user" "$folder" "$@"
  ' sh "$folder" "$user" "$@"
}

apt_install() { # FOLDER WHAT...
  local folder=$1
  shift
  inside "$folder" root apt-get -qq -y -o Dpkg::Use-Pty=0 --no-install-recommends install "$@" \
    >"$place/apt.log" 2>&1 || { tail -n 20 "$place/apt.log"; return 1; }
}

timed() { # WHAT COMMAND...: run it, and say how long it took, and how long a processor was busy
  local TIMEFORMAT="$1: %0Rs, of a processor %0Us + %0Ss in the kernel" what=$1
  shift
  { time "$@"; } 2>&1 || { echo "$what: FAILED"; return 1; }
}
