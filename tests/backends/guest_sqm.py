"""Run sqm-scripts on our configurations, then `tcc apply` on the same policies; print both as JSON.

Runs as root in a guest of the test kernel, whose files may be changed. Its /bin/sh becomes
busybox's ash. Arguments: the folder of sqm-scripts, a JSON file with the cases, and another tc.

OpenWrt's /lib/functions.sh and uci are not part of sqm-scripts: what it calls of them
(`config_load`, `config_get`, `config_foreach`) stands in here, fed from the file as a UCI library
reads it.
"""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

LIB = Path("/usr/lib/sqm")
FUNCTIONS = """\
config_load() { . /tmp/uci.sh; }
config_get() { eval "printf '%s' \\"\\${uci_${1}_${2}}\\""; }
config_foreach() { for section in $uci_sections; do "$1" "$section"; done; }
"""
CONF = """\
SQM_LIB_DIR=/usr/lib/sqm
SQM_STATE_DIR=/var/run/sqm
SQM_QDISC_STATE_DIR=/var/run/sqm/available_qdiscs
SQM_CHECK_QDISCS="fq_codel codel pie sfq cake"
SQM_SYSLOG=0
"""


def run(*words: str, check: bool = True) -> str:
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    if check and done.returncode:
        raise SystemExit(f"{words}: {done.stdout}{done.stderr}")
    return done.stdout


def install(source: Path) -> None:
    """Put sqm-scripts where its package does, and busybox where OpenWrt has it."""
    run("mount", "--bind", str(shutil.which("busybox")), os.path.realpath("/bin/sh"))
    LIB.mkdir(parents=True, exist_ok=True)
    for path in (source / "src").iterdir():
        shutil.copy(path, LIB / path.name)
    shutil.copy(LIB / "run-openwrt.sh", LIB / "run.sh")
    for path in LIB.iterdir():
        path.chmod(0o755)
    Path("/etc/sqm").mkdir(exist_ok=True)
    Path("/etc/sqm/sqm.conf").write_text(CONF)
    Path("/lib/functions.sh").write_text(FUNCTIONS)
    Path("/etc/nftables.d").mkdir(exist_ok=True)


def several(tc: str) -> None:
    """Make it a machine with a tc that knows cake_mq, and several processors by their count.

    Sqm gives its ifb as many queues as /proc/cpuinfo has processors; the guest has one.
    """
    run("mount", "--bind", tc, os.path.realpath(str(shutil.which("tc"))))
    Path("/tmp/cpuinfo").write_text("".join(f"processor : {number}\n" for number in range(4)))
    run("mount", "--bind", "/tmp/cpuinfo", "/proc/cpuinfo")


def configure(files: dict[str, str]) -> None:
    """Put a case's files in place, the configuration as the shell reads it."""
    from uciparse.uci import UciConfigLine, UciFile, UciOptionLine

    lines, name, names = [], "", []
    for line in UciFile.from_text(files["etc/config/sqm"]).lines:
        if isinstance(line, UciConfigLine):
            name = str(line.name)
            names.append(name)
        elif isinstance(line, UciOptionLine):
            lines.append(f"uci_{name}_{line.name}='{line.value}'")
    lines.append(f"uci_sections='{' '.join(names)}'")
    Path("/tmp/uci.sh").write_text("\n".join(lines) + "\n")
    for path, text in files.items():
        if path.startswith(("usr/lib/sqm/", "etc/nftables.d/")):
            target = Path("/") / path
            target.write_text(text)
            target.chmod(0o755)
    if any(path.startswith("etc/nftables.d/") for path in files):
        Path("/tmp/fw4.nft").write_text('table inet fw4 {\n\tinclude "/etc/nftables.d/*.nft"\n}\n')
        run("nft", "-f", "/tmp/fw4.nft")
    Path("/tmp/verify.sh").write_text(files["verify.sh"])


def qdiscs(device: str) -> list[dict[str, object]]:
    """Return the qdiscs of a device, without counters."""
    found = json.loads(run("tc", "-j", "qdisc", "show", "dev", device, check=False) or "[]")
    keep = ("kind", "handle", "root", "parent", "options")
    return [{name: one[name] for name in keep if name in one} for one in found]


def shown(device: str, ifb: str) -> dict[str, object]:
    filters = run("tc", "filter", "show", "dev", device, "ingress", check=False)
    return {"device": qdiscs(device), "ifb": qdiscs(ifb), "filters": filters.splitlines()}


def perform(text: str, given: list[str]) -> list[str]:
    """Let the netlink back end make a policy so; return what the kernel refused."""
    from tcc import api, plugin
    from tcc.passes import Given
    from tcc.plan.diff import diff
    from tcc.source import Source

    values = dict(one.split("=", 1) for one in given)
    built = api.load(Source("policy.tcc", text), Given(values))
    backend = plugin.backend("netlink")
    state, _ = api.lower(built, "netlink")
    with backend.open(None) as host:
        plan = diff(host.observe(state), state, host)
        results = [one for step in host.perform(plan.operations) for one in step]
    return [f"{one.operation}: {one.reason}" for one in results if one.errno]


def one(case: dict[str, object]) -> dict[str, object]:
    device = str(case["device"])
    files: dict[str, str] = case["files"]  # type: ignore[assignment]
    queues = str(case.get("queues", 1))
    run("ip", "link", "add", device, "numtxqueues", queues, "type", "dummy")
    run("ip", "link", "set", device, "up")
    configure(files)
    done = subprocess.run(
        ["/bin/sh", str(LIB / "run.sh"), "start", device],
        capture_output=True,
        text=True,
        check=False,
    )
    made = {"log": (done.stdout + done.stderr).splitlines(), "sqm": shown(device, str(case["ifb"]))}
    check = subprocess.run(
        ["/bin/sh", "/tmp/verify.sh"], capture_output=True, text=True, check=False
    )
    made["verify"] = [check.returncode, *check.stdout.splitlines(), *check.stderr.splitlines()]
    run("/bin/sh", str(LIB / "run.sh"), "stop", device)
    run("tc", "qdisc", "replace", "dev", device, "root", "cake", "bandwidth", "9mbit")
    wrong = subprocess.run(
        ["/bin/sh", "/tmp/verify.sh"], capture_output=True, text=True, check=False
    )
    made["verify_of_another"] = wrong.returncode
    run("tc", "qdisc", "del", "dev", device, "root")
    run("nft", "flush", "ruleset", check=False)
    for path in Path("/etc/nftables.d").iterdir():
        path.unlink()
    made["refused"] = perform(str(case["policy"]), list(case["set"]))  # type: ignore[call-overload]
    made["tcc"] = shown(device, str(case["our_ifb"]))
    run("nft", "flush", "ruleset", check=False)
    run("ip", "link", "del", device)
    run("ip", "link", "del", str(case["our_ifb"]), check=False)
    return made


def main() -> None:
    install(Path(sys.argv[1]))
    if len(sys.argv) > 3:
        several(sys.argv[3])
    cases = json.loads(Path(sys.argv[2]).read_text())
    print(json.dumps({name: one(case) for name, case in cases.items()}))


main()
