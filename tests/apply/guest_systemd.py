"""systemd is the first process: a trial outlives its session, and the unit of `tcc watch` works.

systemd runs in namespaces of the guest, as in a container; the guest's files are its own.
"""

import json
import os
import re
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).parents[2]
POLICY = 'link wan {{ device "v0"; egress {{ bandwidth {}mbit; qdisc cake }} }}\n'
INSIDE = """
mount --make-rprivate /
mount -t proc proc /proc
mount -t cgroup2 cgroup2 /sys/fs/cgroup
mount -t tmpfs -o mode=755 tmpfs /run
for unit in tmp.mount systemd-tmpfiles-setup.service systemd-tmpfiles-clean.timer; do
  ln -sf /dev/null /etc/systemd/system/$unit  # the checkout may be below /tmp, and is the host's
done
mkdir -p /run/netns /run/lock
export container=lxc
exec /usr/lib/systemd/systemd --system --unit=sysinit.target --log-target=null --show-status=no
"""
UNIT = "/etc/systemd/system/tcc-watch.service"
SEEN = f"[Service]\\nBindReadOnlyPaths={ROOT}\\n"
"""For the unit, which has a /tmp of its own, where the checkout is below /tmp."""


class Systemd:
    """A systemd that has the guest's network."""

    def __init__(self):
        flags = ["--pid", "--mount", "--cgroup", "--uts", "--ipc", "--fork", "--kill-child"]
        self.process = subprocess.Popen(["unshare", *flags, "bash", "-c", INSIDE])
        for _ in range(100):
            time.sleep(0.5)
            children = ["pgrep", "--parent", str(self.process.pid)]
            told = subprocess.run(children, capture_output=True, text=True, check=False)
            self.first = told.stdout.strip()
            if self.first and self.run("systemctl is-system-running --wait")[0] == 0:
                return
        raise SystemExit("systemd does not start")

    def run(self, words, seconds=60):
        """Run a command inside; return its exit status and what it printed."""
        inside = ["nsenter", "-t", self.first, "-p", "-m", "-C", "-i", "--"]
        done = subprocess.run(
            [*inside, *(words.split() if isinstance(words, str) else words)],
            capture_output=True, text=True, check=False, timeout=seconds,
        )  # fmt: skip
        return done.returncode, done.stdout + done.stderr

    def end(self):
        self.process.kill()
        self.process.wait()


def shaped():
    """The rate that cake has on v0, as tc prints it; empty where it is not there."""
    shown = subprocess.run(["tc", "qdisc", "show", "dev", "v0"], capture_output=True, text=True,
                           check=True).stdout  # fmt: skip
    found = re.search(r"cake .*bandwidth (\S+)", shown)
    return found[1] if found else ""


def wait(true, seconds):
    end = time.monotonic() + seconds
    while not true() and time.monotonic() < end:
        time.sleep(0.1)
    return true()


def trial(systemd):
    """Apply on trial in a service, end that service and all it started; then let time pass."""
    systemd.run(["sh", "-c", f"mkdir -p /etc/tcc; printf '{POLICY.format(20)}' >/etc/tcc/a.tcc"])
    told = "/run/told"
    script = f"tcc apply /etc/tcc/a.tcc --yes --confirm 60s >{told} 2>&1; sleep 1000"
    systemd.run(["systemd-run", "--quiet", "--unit=session", "sh", "-c", script])
    wait(shaped, 60)
    wait(lambda: "confirm" in systemd.run(f"cat {told}")[1], 30)
    units = systemd.run("systemctl list-units --plain --no-legend tcc-unconfirmed-*")[1]
    systemd.run("systemctl kill --kill-who=all --signal=KILL session")
    time.sleep(20)
    found = {"said": systemd.run(f"cat {told}")[1], "units": units,
             "session": systemd.run("systemctl is-active session")[1].strip(),
             "on trial": shaped()}  # fmt: skip
    found["undone"] = wait(lambda: not shaped(), 60)
    time.sleep(1)
    found["units after"] = systemd.run(
        "systemctl list-units --plain --no-legend tcc-unconfirmed-*"
    )[1]
    return found


def confirmed(systemd):
    systemd.run("tcc apply /etc/tcc/a.tcc --yes --confirm 30s")
    status, said = systemd.run("tcc confirm")
    time.sleep(40)
    units = systemd.run("systemctl list-units --plain --no-legend tcc-unconfirmed-*")[1]
    found = {"status": status, "said": said, "kept": shaped(), "units": units}
    systemd.run("tcc rollback")
    return found


def watched(systemd):
    """Install the unit, start, reload and stop it; a device made anew in between."""
    systemd.run("tcc apply /etc/tcc/a.tcc --yes")
    subprocess.run(["ip", "link", "delete", "v0"], check=True)
    device()
    systemd.run(["cp", str(ROOT / "systemd/tcc-watch.service"), UNIT])
    systemd.run(["sh", "-c", f"mkdir {UNIT}.d; printf '{SEEN}' >{UNIT}.d/checkout.conf"])
    systemd.run("systemctl daemon-reload")
    found = {"start": systemd.run("systemctl start tcc-watch"), "started": shaped()}
    found["status"] = systemd.run("systemctl show -p StatusText,ActiveState tcc-watch")[1]
    subprocess.run(["ip", "link", "delete", "v0"], check=True)
    device()
    found["made anew"] = wait(shaped, 30)
    systemd.run(["sh", "-c", f"printf '{POLICY.format(30)}' >/etc/tcc/a.tcc"])
    found["reload"] = systemd.run("systemctl reload tcc-watch")[0]
    found["reloaded"] = wait(lambda: shaped() == "30Mbit", 30)
    found["stop"] = systemd.run("systemctl stop tcc-watch")[0]
    found["ended"] = systemd.run("systemctl show -p Result,ExecMainStatus tcc-watch")[1]
    found["stays"] = shaped()
    return found


def device():
    for words in ("link add v0 type veth peer name v1", "link set v0 up"):
        subprocess.run(["ip", *words.split()], check=True)


def main():
    command = Path("/usr/local/bin/tcc")
    command.write_text(f'#!/bin/sh\nexec {sys.executable} -P -m tcc "$@"\n')
    command.chmod(0o755)
    os.environ.pop("TCC_STATE_DIR", None)
    device()
    systemd = Systemd()
    found = {"trial": trial(systemd), "confirmed": confirmed(systemd)}
    found["watched"] = watched(systemd)
    systemd.end()
    print(json.dumps(found))


main()
