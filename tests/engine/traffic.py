"""Random traffic for CAKE, as scenarios of the trace format, and what the engine makes of it.

    python -m tests.engine.traffic FIRST LAST

prints one line per seed: the seed, whether the engine is compiled, and a digest of every outcome.
"""

from __future__ import annotations

import hashlib
import json
import random
import sys

from tcc.engine import compiled
from tcc.engine.constants import NEVER, NIL
from tcc.engine.replay import QDISC_FIELDS, Replay, config_of

RATES = [0, 1, 1000, 12_500, 125_000, 1_250_000, 12_500_000, 125_000_000, 1_250_000_000, 2**40]
MODES = [0, 1, 2, 3, 4, 5, 6, 7, 64, 71]
TIMES = [(100, 5), (1000, 50), (30_000, 1500), (100_000, 5000), (1_000_000_000, 50_000_000)]
HASHES = [*range(1, 40), 1027, 2051, 3075, 4099, 5123, 6147, 7171, 8195, 9219, 2**32 - 1, 0]


def options(dice):
    """Return the TCP options of an ACK."""
    kind = dice.randrange(8)
    if kind == 0:
        return b""
    if kind == 1:
        return b"\x01\x01\x08\x0a" + dice.randrange(5).to_bytes(4, "big") + bytes(4)
    if kind <= 4:
        blocks = b"".join(
            (start := dice.randrange(0, 9000, 1000)).to_bytes(4, "big")
            + (start + dice.randrange(1000, 3001, 1000)).to_bytes(4, "big")
            for _ in range(dice.randrange(4))
        )
        return b"\x01\x01\x05" + bytes([2 + len(blocks)]) + blocks
    if kind == 5:
        return dice.choice([b"\x13\x12" + bytes(18), b"\x00\x00\x00\x00", b"\x02\x04\x05\xb4"])
    return bytes(dice.choice([0, 1, 5, 8, 10, 200]) for _ in range(4 * dice.randrange(3)))


def ack(dice):
    """Return the header bytes of a packet that may be a TCP ACK; IPv4, IPv6 or 6in4."""
    extra = options(dice)
    extra += bytes(-len(extra) % 4)
    ports = dice.choice([(80, 5000), (80, 5001)])
    flags = dice.choice([0x10] * 10 + [0x50, 0x90, 0x18, 0x11, 0x12, 0x30])
    tcp = (
        ports[0].to_bytes(2, "big") + ports[1].to_bytes(2, "big") + bytes(4)
        + dice.choice([1000, 2000, 3000, 2**31 + 2000, 2**32 - 5]).to_bytes(4, "big")
        + bytes([(20 + len(extra)) // 4 << 4, flags]) + bytes(6) + extra
    )  # fmt: skip
    payload = dice.choice([0] * 9 + [10])
    inner = b"\x60" + bytes(3) + (len(tcp) + payload).to_bytes(2, "big") + b"\x06\x40"
    inner += bytes(15) + b"\x01" + bytes(15) + dice.choice([b"\x02", b"\x03"]) + tcp
    version = dice.randrange(3)
    if version == 0:
        return bytes(14) + inner
    body, protocol = (tcp, 6) if version == 1 else (inner, 41)
    if version == 2:
        payload = 0
    total = 20 + len(body) + payload
    return (
        bytes(14) + b"\x45\x00" + total.to_bytes(2, "big") + bytes(4) + b"\x40"
        + bytes([protocol]) + bytes(2) + b"\x0a\x00\x00\x01\x0a\x00\x00"
        + dice.choice([b"\x02", b"\x03"])
        + body
    )  # fmt: skip


def config(dice):
    """Return a configuration as a trace has it."""
    interval, target = dice.choice(TIMES)
    flags = [
        flag
        for flag, odds in (("split_gso", 0.7), ("overhead", 0.5), ("ingress", 0.3), ("wash", 0.2))
        if dice.random() < odds
    ]
    return {
        "rate_bps": dice.choice(RATES), "interval": interval, "target": target,
        "buffer_config_limit": dice.choice([0, 0, 1, 20_000, 100_000]),
        "fwmark_mask": dice.choice([0, 0xFF00, 6, 0x80000000]),
        "rate_overhead": dice.choice([0, 8, 38, 44, -64, -30_000, 256]),
        "rate_mpu": dice.choice([0, 64, 84, 65_535]), "tin_mode": dice.choice([0, 1, 2, 3, 4, 9]),
        "flow_mode": dice.choice(MODES), "atm_mode": dice.choice([0, 1, 2, 3]),
        "ack_filter": dice.choice([0, 1, 2]), "flags": flags,
    }  # fmt: skip


def scenario(seed, steps=400):
    """Return random traffic for a random CAKE or cake_mq."""
    dice = random.Random(seed)
    queues = dice.choice([1, 1, 1, 2, 4])
    found = {
        "queues": queues, "mtu": dice.choice([1500, 9000, 576]), "hard_header_len": 14,
        "handle": 0 if queues > 1 else dice.choice([0, 0x10000]),
        "random": {"u16": dice.choice([0, 1000, 32_768, 65_535]),
                   "u32": dice.choice([0, 2**24, 2**31, 2**32 - 1])},
        "config": config(dice), "steps": [],
    }  # fmt: skip
    if queues == 1 and dice.random() < 0.3:
        found["config"]["flags"].append("autorate")
    now = dice.choice([0, 1_000_000_000, 1 << 45])
    busy = dice.random()
    for id in range(steps):
        now += dice.choice([0, 0, 0, 1, 12_000, 1_000_000, 50_000_000, 2_000_000_000])
        step = {"t": now, "q": dice.randrange(queues)}
        chance = dice.random()
        if chance < 0.01:
            step |= {"op": "config", "config": config(dice)}
        elif chance < 0.3 + busy / 2:
            step |= {"op": "enq", "id": id} | packet(dice)
        else:
            step |= {"op": "deq"}
        found["steps"].append(step)
    return found


def packet(dice):
    """Return the fields of a packet as a trace has them."""
    if dice.random() < 0.3:
        raw = ack(dice)
        return {"hash": 7, "len": max(60, len(raw)), "raw": raw.hex(), "truesize": 768}
    fields = {
        "hash": dice.choice(HASHES), "src": dice.randrange(6), "dst": dice.choice([7, 1031, 2055]),
        "len": dice.choice([0, 20, 60, 590, 1514, 9014, 70_000]), "tos": dice.randrange(256),
        "mark": dice.choice([0, 0x100, 0x300, 6, 2**31]),
        "prio": dice.choice([0, 0, 1, 2, 5, 0x10003, 0x10009]),
        "proto": dice.choice([0x0800] * 6 + [0x86DD, 0x0806, 0x88B5]),
        "truesize": dice.choice([0, 768, 2304, 8000]),
        "classid": dice.choice([0] * 9 + [0x20003]),
    }  # fmt: skip
    if dice.random() < 0.1:
        size, segments = dice.choice([(1000, 6), (1448, 44), (500, 2), (1000, 3)])
        fields |= {"gso_size": size, "gso_segs": segments, "len": 54 + size * segments - 7}
    return fields


def outcomes(scenario):
    """Return what the engine answers at every step, and its state at the end."""
    replay = Replay(scenario)
    found = []
    for step in scenario["steps"]:
        qdisc = replay.qdiscs[step["q"]]
        if step["op"] == "config":
            for child in replay.qdiscs:
                child.change(config_of(step["config"]))
            answer = None
        elif step["op"] == "enq":
            answer = qdisc.enqueue(replay.packet(step), step["t"])
        else:
            packet = qdisc.dequeue(step["t"])
            answer = None
            if packet != NIL:
                row = replay.pool.read(packet)
                answer = (row["id"], row["adjusted"], row["tos"])
                replay.pool.free(packet)
        armed = qdisc.take_wakeup()
        found.append((answer, replay.drops(), None if armed == NEVER else armed))
    for qdisc in replay.qdiscs:
        found.append({name: getattr(qdisc, field) for name, field in QDISC_FIELDS.items()})
        found.append([qdisc.tin(index) for index in range(8)])
        rows = (qdisc.flow(tin, slot) for tin in range(8) for slot in range(1024))
        found.append([row for row in rows if row["tag"] or row["state"]])
        hosts = (qdisc.host(tin, entry) for tin in range(8) for entry in range(1024))
        found.append([row for row in hosts if any(row.values())])
        found.append(qdisc.drops_by_reason())
    return found


def digest(seed):
    """Return a digest of every outcome of a seed's scenario."""
    text = json.dumps(outcomes(scenario(seed)), sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()


def main(first, last):
    for seed in range(int(first), int(last)):
        print(seed, compiled(), digest(seed))


if __name__ == "__main__":
    main(*sys.argv[1:])
