# A café's Wi-Fi on a bridge, each guest alike.
link guests {
    device  "br-lan"
    framing ethernet
    role    router facing hosts
    egress  { bandwidth 85mbit; fairness per-host; tiers besteffort; rtt 40ms }
    ingress { bandwidth 18mbit; fairness per-host; tiers besteffort; rtt 40ms }
}
