# Carriage Wi-Fi over three modems in one bond; an old policy with waivers.
link bond {
    device  "wwan2"
    framing unknown
    role    router
    rtt     90ms
    egress {
        bandwidth  12mbit within 500kbit..60mbit
        tiers      diffserv4
        fairness   per-host
        ack-filter on
    }
    ingress {
        bandwidth  60mbit within 1mbit..250mbit
        tiers      diffserv4
        fairness   per-host
        ack-filter on  # tcc: allow ack-filter-on-download because seats upload photographs at stations
    }
}
