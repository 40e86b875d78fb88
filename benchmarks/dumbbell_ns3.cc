// The reference dumbbell of benchmarks/dumbbell.py in ns-3, with FqCobalt in both directions.
//
// FLOWS Cubic uploads, PER_HOST of them from one host, and a ping of 100 packets a second.  Access
// links are ten times as fast as the bottleneck and without delay; the bottleneck's device keeps
// one packet, so that all wait in FqCobalt.  Buffers of sockets never limit.
//
// usage: dumbbell_ns3 FLOWS PER_HOST RATE(bit/s) RTT(ns) SECONDS
// prints: data packets through the bottleneck, events, CPU seconds of the run, goodput in Mbit/s
#include "ns3/applications-module.h"
#include "ns3/core-module.h"
#include "ns3/internet-apps-module.h"
#include "ns3/internet-module.h"
#include "ns3/network-module.h"
#include "ns3/point-to-point-module.h"
#include "ns3/traffic-control-module.h"

#include <cstdint>
#include <cstdlib>
#include <ctime>
#include <iostream>
#include <string>
#include <vector>

using namespace ns3;

static uint64_t sent;

static void
Count(Ptr<const Packet> packet)
{
    sent += packet->GetSize() > 1000;
}

static double
ProcessorTime()
{
    timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return t.tv_sec + t.tv_nsec / 1e9;
}

int
main(int argc, char** argv)
{
    if (argc != 6)
    {
        return 2;
    }
    const int flows = atoi(argv[1]);
    const int perHost = atoi(argv[2]);
    const uint64_t rate = strtoull(argv[3], nullptr, 10);
    const int64_t rtt = atoll(argv[4]);
    const double seconds = atof(argv[5]);
    const int hosts = (flows + perHost - 1) / perHost;

    Config::SetDefault("ns3::TcpL4Protocol::SocketType", TypeIdValue(TcpCubic::GetTypeId()));
    Config::SetDefault("ns3::TcpSocket::SegmentSize", UintegerValue(1448));
    Config::SetDefault("ns3::TcpSocket::InitialCwnd", UintegerValue(10));
    Config::SetDefault("ns3::TcpSocket::SndBufSize", UintegerValue(16 << 20));
    Config::SetDefault("ns3::TcpSocket::RcvBufSize", UintegerValue(16 << 20));

    NodeContainer left, right, routers;
    left.Create(hosts);
    right.Create(hosts);
    routers.Create(2);
    InternetStackHelper stack;
    stack.Install(left);
    stack.Install(right);
    stack.Install(routers);

    PointToPointHelper access;
    access.SetDeviceAttribute("DataRate", DataRateValue(DataRate(10 * rate)));
    access.SetChannelAttribute("Delay", TimeValue(NanoSeconds(0)));
    PointToPointHelper line;
    line.SetDeviceAttribute("DataRate", DataRateValue(DataRate(rate)));
    line.SetChannelAttribute("Delay", TimeValue(NanoSeconds(rtt / 2)));
    line.SetQueue("ns3::DropTailQueue", "MaxSize", StringValue("1p"));

    NetDeviceContainer middle = line.Install(routers);
    TrafficControlHelper fair;
    fair.SetRootQueueDisc("ns3::FqCobaltQueueDisc");
    fair.Install(middle);

    Ipv4AddressHelper addresses("10.0.0.0", "255.255.255.0");
    std::vector<Ipv4Address> servers;
    addresses.Assign(middle);
    for (int host = 0; host < hosts; host++)
    {
        addresses.NewNetwork();
        addresses.Assign(access.Install(left.Get(host), routers.Get(0)));
        addresses.NewNetwork();
        servers.push_back(addresses.Assign(access.Install(right.Get(host), routers.Get(1))).GetAddress(0));
    }
    Ipv4GlobalRoutingHelper::PopulateRoutingTables();

    const Time end = Seconds(seconds);
    ApplicationContainer sinks;
    for (int flow = 0; flow < flows; flow++)
    {
        const int host = flow / perHost;
        const uint16_t port = 5000 + flow;
        PacketSinkHelper sink("ns3::TcpSocketFactory", InetSocketAddress(Ipv4Address::GetAny(), port));
        sinks.Add(sink.Install(right.Get(host)));
        BulkSendHelper source("ns3::TcpSocketFactory", InetSocketAddress(servers[host], port));
        source.SetAttribute("SendSize", UintegerValue(65536));
        source.Install(left.Get(host)).Start(MilliSeconds(flow));
    }
    PingHelper ping(servers[0]);
    ping.SetAttribute("Interval", TimeValue(MilliSeconds(10)));
    ping.SetAttribute("VerboseMode", EnumValue(Ping::VerboseMode::SILENT));
    ping.Install(left.Get(0));

    middle.Get(0)->TraceConnectWithoutContext("PhyTxEnd", MakeCallback(&Count));
    Simulator::Stop(end);
    const double before = ProcessorTime();
    Simulator::Run();
    const double spent = ProcessorTime() - before;
    uint64_t received = 0;
    for (uint32_t n = 0; n < sinks.GetN(); n++)
    {
        received += DynamicCast<PacketSink>(sinks.Get(n))->GetTotalRx();
    }
    std::cout << sent << " " << Simulator::GetEventCount() << " " << spent << " "
              << received * 8 / seconds / 1e6 << std::endl;
    Simulator::Destroy();
    return 0;
}
