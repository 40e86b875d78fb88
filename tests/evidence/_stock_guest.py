"""In a guest with a stock kernel: sample policies, every option, modules that are not there."""

import contextlib
import errno
import io
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "plugins")]
EXAMPLES = ROOT / "docs/examples"
HIDING = Path("/etc/modprobe.d/hidden.conf")

from tcc.cli.main import run  # noqa: E402
from tcc.netlink.attributes import attribute  # noqa: E402
from tcc.netlink.handle import ROOT as ROOT_QDISC  # noqa: E402
from tcc.netlink.messages import KernelRefusal  # noqa: E402
from tcc.netlink.transport import RouteSocket  # noqa: E402
from tcc.plugin import qdisc as plugin_for  # noqa: E402
from tcc_plugins.cake import Cake, CakeSettings  # noqa: E402
from tcc_plugins.cake_mq import CakeMq  # noqa: E402
from tcc_plugins.fq_codel import FqCodelSettings  # noqa: E402
from tests.plugins.guest_cake import option_space  # noqa: E402
from tests.plugins.guest_tbf import PLAIN, inner_cases, option_cases  # noqa: E402
from tests.plugins.kernel_bench import HANDLE, Bench  # noqa: E402

EGRESS = 'link w {{ device "a0"; egress {{ bandwidth {} }} }}'
INGRESS = 'link w { device "a0"; ingress { bandwidth 50mbit } }'
TIER = """
link w { device "a0"; role router; egress { bandwidth 9mbit }; ingress { bandwidth 9mbit } }
tier voice { match udp remote port 3478..3481 }
"""
SAMPLES = {name: Path(EXAMPLES, f"{name}.tcc").read_text() for name in ("home", "multigig")} | {
    "auto": EGRESS.format("2gbit"),
    "tbf": EGRESS.format("50mbit; qdisc tbf { inner fq_codel { ce_threshold 1ms } }"),
}
UNKNOWN = {"cake": CakeSettings(), "tbf": PLAIN, "fq_codel": FqCodelSettings()}
HIDDEN = (  # modules that are not there, a policy that could do with them, what is to come of it
    ("sch_cake", EGRESS.format("50mbit; qdisc cake"), "qdisc-missing"),
    ("sch_cake", EGRESS.format("50mbit"), "tbf"),
    ("sch_cake sch_tbf", EGRESS.format("50mbit"), "no-shaper"),
    ("sch_tbf", EGRESS.format("50mbit; qdisc tbf"), "qdisc-missing"),
    ("sch_sfq", EGRESS.format("50mbit; qdisc tbf { inner sfq }"), "qdisc-missing"),
    ("ifb", INGRESS, "ingress-unavailable"),
    ("act_mirred", INGRESS, "ingress-unavailable"),
    ("sch_ingress", INGRESS, "ingress-unavailable"),
    ("cls_matchall", INGRESS, "cake"),
    ("cls_matchall cls_u32 cls_bpf", INGRESS, "ingress-unavailable"),
    ("act_ctinfo", TIER, "tier-unavailable"),
    ("nf_tables", TIER, "tier-unavailable"),
)


def tcc(*words):
    """Run tcc; return its exit code, what it printed, and what it complained of."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        status = run(list(words), "tcc")
    return status, out.getvalue(), err.getvalue()


def sh(words, check=True):
    return subprocess.run(words.split(), capture_output=True, text=True, check=check).stdout


def shown(space):
    """What tc shows of a namespace: qdiscs, and the filters for what comes in."""
    qdiscs = sh(f"ip netns exec {space} tc -j -d qdisc show")
    hooked = [one["dev"] for one in json.loads(qdiscs) if one["kind"] in ("clsact", "ingress")]
    filters = [
        sh(f"ip netns exec {space} tc -j filter show dev {device} ingress") for device in hooked
    ]
    return [qdiscs, *filters]


@contextlib.contextmanager
def space(name, devices):
    """Make a namespace with these devices, each with four queues."""
    sh(f"ip netns add {name}")
    try:
        for number, device in enumerate(devices):
            queues = "numtxqueues 4 numrxqueues 4"
            sh(f"ip -n {name} link add {device} {queues} type veth peer name far{number}")
            sh(f"ip -n {name} link set {device} up")
        yield name
    finally:
        sh(f"ip netns delete {name}")


def tried(text, *further):
    """Try a policy in a namespace of its own: refused, or applied and gone back from.

    `further` are functions of the words for tcc, the devices and what came of it so far.
    """
    devices = dict.fromkeys(re.findall(r'device\s+"([^"*]+)"', text))
    with tempfile.TemporaryDirectory() as name, space("here", devices):
        os.environ["TCC_STATE_DIR"] = f"{name}/state"
        path = Path(name, "sample.tcc")
        path.write_text(text)
        before = shown("here")
        asked = (str(path), "--netns", "here")
        status, _, said = tcc("apply", *asked, "--yes")
        made = shown("here")
        if status:
            return {"refused": re.findall(r"error\[([a-z-]+)\]", said), "untouched": made == before}
        came = {"before": before, "made": made} | taken_back(asked, before)
        for one in further:
            came |= one(asked, devices, came)
        return came


def taken_back(asked, before):
    """See what plan finds after apply, and go back to what was there."""
    empty, *_ = tcc("plan", *asked, "--detailed-exitcode")
    back, _, said = tcc("rollback", *asked[-2:])
    return {"empty": empty == 0, "back": back == 0 and shown("here") == before, "said": said}


def removed(asked, _, came):
    """Apply again and remove: that leads to what was there, too."""
    again, *_ = tcc("apply", *asked, "--yes")
    same = shown("here") == came["made"]
    gone, *_ = tcc("remove", *asked[-2:], "--yes")
    return {"removed": not again and same and not gone and shown("here") == came["before"]}


def as_script(asked, devices, _):
    """What the script of tc commands makes that is generated from this kernel's facts."""
    path = Path(asked[0])
    facts, out = path.with_name("facts.json"), path.with_name("out")
    facts.write_text(tcc("facts", *asked[-2:])[1])
    status, _, said = tcc(
        "generate", "tc-script", *asked[:1], "--facts", str(facts), "-o", str(out)
    )
    if status:
        return {"script": said, "scripted": None}
    with space("twin", devices):
        [script] = out.glob("*.sh")
        done = subprocess.run(
            ["ip", "netns", "exec", "twin", "sh", script],
            capture_output=True,
            text=True,
            check=False,
        )
        return {"script": done.stderr, "scripted": shown("twin")}


@contextlib.contextmanager
def without(modules):
    """Let the kernel do without modules; yield those that are built into it."""
    folder = Path("/usr/lib/modules", os.uname().release)
    built_in = (folder / "modules.builtin").read_text()
    HIDING.write_text("".join(f"install {name} /bin/false\n" for name in modules))
    ended = time.monotonic() + 60  # namespaces end in the background
    while loaded(modules) and time.monotonic() < ended:
        for name in modules:
            sh(f"modprobe -q -r {name}", check=False)
    try:
        yield [name for name in modules if f"/{name}.ko" in built_in]
    finally:
        HIDING.unlink()


def loaded(modules):
    names = {line.split()[0] for line in Path("/proc/modules").read_text().splitlines()}
    return names.intersection(modules)


def one_hidden(names, text):
    with without(names.split()) as built_in:
        return tried(text) | {"left": [*built_in, *loaded(names.split())]}


def every_option():
    """Each word of each qdisc: what of our bytes, our words and tc's words does not agree."""
    with RouteSocket(None) as route:
        one, four = Bench(route, "one", 32), Bench(route, "four", 16, 4)
        spaces = {
            "cake": (one, option_space(Cake(), 0)),
            "tbf": (one, option_cases()),
            "inside tbf": (one, inner_cases()),
            "cake_mq": (four, option_space(CakeMq(), 0)),
        }
        differ = {}
        for name, (bench, cases) in spaces.items():
            try:
                differ[name] = [len(cases), bench.compare(cases)]
            except KernelRefusal as refusal:
                differ[name] = [len(cases), [errno.errorcode[refusal.errno]]]
        return {"differ": differ, "unknown": unknown(one)}


def unknown(bench):
    """What each kind says to an attribute that no kernel has."""
    said = {}
    device = bench.names[0]
    for kind, settings in UNKNOWN.items():
        plugin = plugin_for(kind)
        found = []
        for more in (b"", attribute(200, bytes(4))):
            bench.clear()
            try:
                bench.put(device, (HANDLE, ROOT_QDISC), plugin, plugin.netlink(settings) + more)
            except KernelRefusal as refusal:
                found.append(errno.errorcode[refusal.errno])
            else:
                found.append(bench.dumped()[device, ROOT_QDISC].options.hex())
        said[kind] = "ignored" if found[0] == found[1] else found[1]
    return said


def main():
    report = {
        "kernel": os.uname().release,
        "samples": {name: tried(text, as_script, removed) for name, text in SAMPLES.items()},
        "options": every_option(),
        "hidden": [
            {"without": names, "policy": text, "to come": to_come} | one_hidden(names, text)
            for names, text, to_come in HIDDEN
        ],
    }
    print(json.dumps(report))


main()
