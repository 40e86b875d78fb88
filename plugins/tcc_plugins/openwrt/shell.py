"""The scripts that go along with sqm's configuration, for the router's own ash.

Only what busybox has: no bash, jq or Python there. Sources: rpcd's uci object (`apply` takes a
session, keeps a copy of each changed file, and puts it back unless `confirm` comes in time);
procd's hot-plug events; the file names of OpenWrt's user guide.
"""

from collections.abc import Sequence
from typing import NamedTuple

from tcc.plan.state import FileItem
from tcc_plugins.openwrt.autorate import FOLDER
from tcc_plugins.openwrt.links import Shaped
from tcc_plugins.openwrt.releases import Router
from tcc_plugins.openwrt.uci import Section, batch_text, quoted

EXECUTABLE = 0o755
END = "TCC_END"

DEFAULTS = """\
#!/bin/sh
{head}# Once, at the first boot of an image: put it into files/etc/uci-defaults of the build.
uci -q batch <<'{end}'
{batch}{end}
/etc/init.d/sqm enable
exit 0
"""

APPLY = """\
#!/bin/sh
{head}# On the router, beside the other files: change sqm's configuration, see what came of it, and
# keep that only if it is what was meant. Without word within LEFT seconds rpcd takes it back.
set -eu
LEFT="${{1:-90}}"
cd "$(dirname "$0")"
for program in uci ubus tc jsonfilter; do
	command -v "$program" >/dev/null || {{ echo "$program is not installed" >&2; exit 2; }}
done
[ -x /etc/init.d/sqm ] || {{ echo 'first: {install} {packages}' >&2; exit 2; }}
take_back() {{
{restore}	echo 'it is not what was meant: the old configuration is back' >&2
	exit 1
}}
ours() {{ printf '{{"ubus_rpc_session":"%s"%s}}' "$SID" "${{1:-}}"; }}
SID=
leave() {{
{start}	[ -z "$SID" ] || ubus call session destroy "$(ours)"
}}
trap leave EXIT
trap 'exit 1' HUP INT TERM
{stop}{copy}\
SID="$(ubus call session create '{{"timeout":600}}' | jsonfilter -e '@.ubus_rpc_session')"
ubus call session grant "$(ours ',"scope":"uci","objects":[["sqm","write"]]')"
# Changes wait in the session's own folder until `apply` takes them; a commit would not wait.
DELTA="/var/run/rpcd/uci-$SID"
mkdir -p "$DELTA"
chmod 700 "$DELTA"
grep -v '^commit ' sqm.uci | uci -q -t "$DELTA" batch || :
/etc/init.d/sqm enable
ubus call uci apply "$(ours ',"rollback":true,"timeout":'"$LEFT")"
tries=10
until sh ./verify.sh; do
	tries=$((tries - 1))
	if [ "$tries" -eq 0 ]; then
		ubus call uci rollback "$(ours)"
		take_back
	fi
	sleep 2
done
if [ -t 0 ]; then
	printf 'Still there? Enter keeps it; anything else, or nothing, takes it back. '
	read -r answer || answer=no
	if [ -n "$answer" ]; then
		ubus call uci rollback "$(ours)"
		take_back
	fi
fi
ubus call uci confirm "$(ours)"
{without}echo 'kept'
"""

DAEMON = "/etc/init.d/cake-autorate"
STOP = f"""\
# It moves rates: what was meant is looked for before it starts again.
[ ! -x {DAEMON} ] || {DAEMON} stop
"""
START = f"\t[ ! -x {DAEMON} ] || {DAEMON} start\n"
WITHOUT = f"""\
[ -x {DAEMON} ] || echo 'the rate stays where it starts: there is no {DAEMON}' >&2
"""

HOTPLUG = """\
#!/bin/sh
{head}# sqm's own hot-plug script follows UCI interfaces; this one a device that comes without one.
[ "$ACTION" = add ] || exit 0
case "$INTERFACE" in
{cases}) ;;
*) exit 0 ;;
esac
/etc/init.d/sqm enabled || exit 0
/usr/lib/sqm/run.sh stop "$INTERFACE"
/usr/lib/sqm/run.sh start "$INTERFACE"
"""


class Delivery(NamedTuple):
    """What goes to a router."""

    made: Sequence[Shaped]
    router: Router
    others: Sequence[str]
    """The paths of files that the router needs besides sqm's configuration."""
    head: str
    """The line that says where it all comes from."""

    @property
    def sections(self) -> list[Section]:
        """The sections of sqm's configuration."""
        return [one.section for one in self.made]


def defaults_file(delivery: Delivery) -> FileItem:
    """Return the script for the first boot of an image."""
    batch = batch_text(delivery.sections)
    return FileItem(DEFAULTS.format(head=delivery.head, end=END, batch=batch), EXECUTABLE)


def apply_file(delivery: Delivery) -> FileItem:
    """Return the script that delivers, and takes back what is not what was meant."""
    moving = any(path.startswith(f"{FOLDER}/") for path in delivery.others)
    text = APPLY.format(
        head=delivery.head,
        install=delivery.router.release.install,
        packages=" ".join(packages(delivery.made)),
        copy=_copied(delivery.others),
        restore=_taken_back(delivery.others),
        stop=STOP if moving else "",
        start=START if moving else "",
        without=WITHOUT if moving else "",
    )
    return FileItem(text, EXECUTABLE)


def hotplug_files(made: Sequence[Shaped], router: Router, head: str) -> dict[str, FileItem]:
    """Return the hot-plug script, by path, where devices come without a UCI interface."""
    if not router.hotplug:
        return {}
    cases = "|".join(quoted(one.device) for one in made)
    text = HOTPLUG.format(head=head, cases=cases)
    return {"etc/hotplug.d/net/12-tcc": FileItem(text, EXECUTABLE)}


def packages(made: Sequence[Shaped]) -> list[str]:
    """Return the packages that a router needs."""
    needed = ["sqm-scripts"]
    if any(one.restores for one in made):
        needed.append("kmod-sched-ctinfo")
    if any(end.kind == "cake_mq" for one in made for end in one.ends.values()):
        needed.append("ip-full")
    return needed


def _copied(paths: Sequence[str]) -> str:
    """Return the lines that put files in place, and keep what was there."""
    lines = []
    for path in paths:
        old, new, kept = quoted(f"/{path}"), quoted(path), quoted(f"/tmp/tcc-{_flat(path)}")
        lines += [
            f"if [ -e {old} ]; then cp -p {old} {kept}; else rm -f {kept}; fi",
            f"mkdir -p {quoted('/' + path.rpartition('/')[0])} && cp {new} {old}",
        ]
    if any(path.startswith("etc/nftables.d/") for path in paths):
        lines.append("fw4 -q check || take_back\nfw4 -q reload")
    return "".join(f"{line}\n" for line in lines)


def _taken_back(paths: Sequence[str]) -> str:
    lines = []
    for path in paths:
        kept, new = quoted(f"/tmp/tcc-{_flat(path)}"), quoted(f"/{path}")
        lines.append(f"if [ -e {kept} ]; then cp -p {kept} {new}; else rm -f {new}; fi")
    if any(path.startswith("etc/nftables.d/") for path in paths):
        lines.append("fw4 -q reload")
    return "".join(f"\t{line}\n" for line in lines)


def _flat(path: str) -> str:
    return path.replace("/", "_")
