"""Every CAKE option on a real kernel: by our bytes, by our tc words, by tc's own words."""

import errno
import json
import sys
from dataclasses import replace
from pathlib import Path
from random import Random

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from tcc.netlink.attributes import attribute
from tcc.netlink.handle import ROOT
from tcc.netlink.kinds import decode_options, encode_options
from tcc.netlink.messages import KernelRefusal
from tcc.netlink.transport import RouteSocket
from tcc.plugin import QdiscPlugin
from tcc_plugins.cake import Cake, CakeSettings
from tcc_plugins.cake_mq import CakeMq
from tests.plugins.cake_cases import WORDS, random_settings
from tests.plugins.kernel_bench import HANDLE, Bench, Case, run
from tests.plugins.lowered import link, settings_of

SEED = 20_260_301


def said(kind: str, words: str) -> CakeSettings:
    """Return what a policy's block lowers to."""
    return settings_of(link(f"qdisc {kind} {{ {words} }}"))


def option_space(plugin: QdiscPlugin, count: int) -> list[Case]:
    """Return a case for every word, and `count` random ones."""
    cases = [
        Case(plugin, said(plugin.kind, policy_words), tc_words.split())
        for policy_words, tc_words in WORDS
        if plugin.kind == "cake" or "autorate" not in tc_words
    ]
    random = Random(SEED)
    for _ in range(count):
        settings = random_settings(random)
        autorate = settings.autorate and plugin.kind == "cake"
        cases.append(Case(plugin, replace(settings, autorate=autorate)))
    return cases


def raw_dump(bench: Bench, payload: bytes) -> dict[str, int]:
    """Return the attributes that a fresh cake dumps after `payload`, by name."""
    device = bench.names[0]
    bench.clear()
    bench.put(device, (HANDLE, ROOT), Cake(), payload)
    return raw_state(bench)


def stored(bench: Bench) -> dict[str, dict[str, int]]:
    """Return what the kernel keeps of values that it cuts."""
    odd = {
        "defaults": [],
        "flow mode": [("FLOW_MODE", 255)],
        "diffserv 257": [("DIFFSERV_MODE", 257)],
        "diffserv 7": [("DIFFSERV_MODE", 7)],
        "overhead": [("OVERHEAD", 70_000)],
        "mpu": [("MPU", 70_000)],
        "autorate": [("AUTORATE", 5)],
        "nat": [("NAT", 7)],
        "times": [("RTT", 0), ("TARGET", 0)],
        "overhead and raw": [("OVERHEAD", 38), ("RAW", 0)],
    }
    return {name: raw_dump(bench, encode_options("cake", pairs)) for name, pairs in odd.items()}


def malformed(bench: Bench) -> dict[str, str]:
    """Return what the kernel says to attributes of a wrong length, and to an unknown one."""
    attempts = {
        "4-byte BASE_RATE64": attribute(2, bytes(4)),
        "2-byte DIFFSERV_MODE": attribute(3, bytes(2)),
        "0-byte RAW": attribute(12, b""),
        "8-byte DIFFSERV_MODE": attribute(3, (1).to_bytes(8, "little")),
        "type 19": attribute(19, bytes(4)),
    }
    said = {}
    for name, payload in attempts.items():
        try:
            said[name] = f"diffserv {raw_dump(bench, payload)['DIFFSERV_MODE']}"
        except KernelRefusal as refusal:
            said[name] = errno.errorcode[refusal.errno]
    return said


def merged(bench: Bench) -> dict[str, dict[str, int]]:
    """Return what a live cake has after messages that do not say everything."""
    device = bench.names[0]
    full = replace(random_settings(Random(SEED)), rate=625_000, mpu=64, autorate=False)
    bench.clear()
    bench.send(device, Cake(), full)
    found = {"before": raw_state(bench)}
    bench.put(device, (HANDLE, ROOT), Cake(), encode_options("cake", [("MPU", 0)]))
    found["only mpu 0"] = raw_state(bench)
    run("tc", "qdisc", "replace", "dev", device, "root", "handle", "1:", "cake", "unlimited")
    found["tc replace unlimited"] = raw_state(bench)
    bench.send(device, Cake(), CakeSettings())
    found["ours"] = raw_state(bench)
    return found


def raw_state(bench: Bench) -> dict[str, int]:
    return dict(decode_options("cake", bench.dumped()[bench.names[0], ROOT].options))


def reset_on_live(bench: Bench) -> list[str]:
    """Send settings with everything on, then the defaults, to one and the same qdisc."""
    random, plugin, device = Random(SEED), Cake(), bench.names[0]
    bench.clear()
    wrong = []
    for _ in range(40):
        settings = random_settings(random)
        for wanted in (settings, CakeSettings()):
            bench.send(device, plugin, wanted)
            wrong += bench.unlike({device: Case(plugin, wanted)})
    return wrong


def refusals(one: Bench, four: Bench) -> dict[str, str]:
    """Return what the kernel says to what the plugin's checks refuse."""
    attempts = {
        "one queue": (one, CakeSettings()),
        "autorate": (four, CakeSettings(rate=1_000_000, autorate=True)),
    }
    said = {}
    for name, (bench, settings) in attempts.items():
        bench.clear()
        try:
            bench.send(bench.names[0], CakeMq(), settings)
            said[name] = "accepted"
        except KernelRefusal as refusal:
            said[name] = f"{errno.errorcode[refusal.errno]} {refusal.ack.text}".strip()
    return said


def main() -> None:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 100
    with RouteSocket(None) as route:
        one, four = Bench(route, "one", 32), Bench(route, "four", 16, 4)
        eight = Bench(route, "eight", 8, 8)
        spaces = {
            "cake": (one, option_space(Cake(), count)),
            "cake_mq on 4 queues": (four, option_space(CakeMq(), count)),
            "cake_mq on 8 queues": (eight, option_space(CakeMq(), count // 4)),
        }
        report = {
            "cases": {name: len(cases) for name, (_, cases) in spaces.items()},
            "differ": {name: bench.compare(cases) for name, (bench, cases) in spaces.items()},
            # the comparison itself: settings and words that do not say the same
            "control": one.compare([Case(Cake(), CakeSettings(nat=True), ["nonat"])]),
            "stored": stored(one),
            "malformed": malformed(one),
            "merged": merged(one),
            "reset": reset_on_live(one),
            "refusals": refusals(one, four),
        }
    print(json.dumps(report))


if __name__ == "__main__":
    main()
