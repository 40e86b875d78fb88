"""In the guest: filters of tc that use marks, and what facts say of them."""

import json
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from tcc.facts.kernel_marks import filter_marks
from tcc.netlink import qdisc
from tcc.netlink.transport import RouteSocket

SETUP = """
ip link add v0 type veth peer name v1
tc qdisc add dev v0 clsact
tc filter add dev v0 ingress pref 49 matchall action ctinfo dscp 63 128
tc filter add dev v0 ingress pref 1 handle 0x5/0x7f fw action pass
tc filter add dev v0 ingress pref 2 u32 match mark 0x10 0xf0 action pass
tc filter add dev v0 ingress pref 3 protocol ip flower ct_mark 0x100/0xf00 action pass
tc filter add dev v0 ingress pref 4 matchall action connmark
tc filter add dev v0 egress pref 1 matchall action ctinfo dscp 0xfc000000 0x1 cpmark 0xff
tc filter add dev v0 egress pref 2 protocol ip flower action ct commit mark 0x10/0x30
tc filter add dev v0 egress pref 3 matchall action skbedit mark 0x2/0xe
"""


def main():
    for line in SETUP.strip().splitlines():
        subprocess.run(line.split(), check=True)
    with RouteSocket() as route:
        hanging = qdisc.dump(route)
        names = {one.ifindex: "v0" for one in hanging if one.kind == "clsact"}
        found = dict.fromkeys(filter_marks(route, hanging, names))
    print(json.dumps({"marks": [[one.who, one.mark, one.mask] for one in found]}))


main()
