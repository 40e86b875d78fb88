"""The reference dumbbell in ns.py: Reno uploads and a ping through deficit round robin.

ns.py has neither CAKE nor CoDel: its DRR server drops nothing, and its senders are limited by
their windows. Acknowledgements come back over a wire, one for each segment.

usage: _dumbbell_nspy.py FLOWS RATE(bit/s) RTT(s) SECONDS, with the Python that has ns.py
prints: data packets through the bottleneck, CPU seconds of the run, goodput in Mbit/s
"""

import sys
import time

import simpy
from ns.flow.cc import TCPReno
from ns.flow.flow import Flow
from ns.packet.dist_generator import DistPacketGenerator
from ns.packet.sink import PacketSink
from ns.packet.tcp_generator import TCPPacketGenerator
from ns.packet.tcp_sink import TCPSink
from ns.port.wire import Wire
from ns.scheduler.drr import DRRServer

SEGMENT, WINDOW = 1514, 10
SILENT = {"rec_arrivals": False, "rec_waits": False}


class Parting:
    """Hands a packet to the receiver of its flow."""

    def __init__(self, receivers):
        self.receivers = receivers

    def put(self, packet):
        self.receivers[packet.flow_id].put(packet)


def run(flows, rate, rtt, seconds):
    """Return data packets through the bottleneck, CPU seconds and Mbit/s."""
    env = simpy.Environment()
    senders, sinks = [], []
    for number in range(flows):
        flow = Flow(number, str(number), "server", start_time=number / 1000, finish_time=seconds)
        control = TCPReno(SEGMENT, WINDOW * SEGMENT)
        sender = TCPPacketGenerator(env, flow, control, element_id=number)
        sender.mss = SEGMENT
        sink = TCPSink(env, **SILENT)
        back = Wire(env, lambda: rtt / 2)
        sink.out, back.out = back, sender
        senders.append(sender)
        sinks.append(sink)
    echo = PacketSink(env, **SILENT)
    ping = DistPacketGenerator(env, "ping", lambda: 0.01, lambda: 98, flow_id=flows)
    bottleneck = DRRServer(env, rate, [1] * (flows + 1))
    line = Wire(env, lambda: rtt / 2)
    line.out = Parting([*sinks, echo])
    for one in (*senders, ping):
        one.out = bottleneck
    bottleneck.out = line
    before = time.process_time()
    env.run(until=seconds)
    spent = time.process_time() - before
    received = sum(sum(sink.bytes_received.values()) for sink in sinks)
    packets = sum(sum(sink.packets_received.values()) for sink in sinks)
    return packets, spent, received * 8 / seconds / 1e6


if __name__ == "__main__":
    flows, rate, rtt, seconds = sys.argv[1:]
    print(*run(int(flows), float(rate), float(rtt), float(seconds)))
