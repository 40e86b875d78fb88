# A camper: whatever mobile network there is, and campsite Wi-Fi as a client.
profile away { framing unknown; role router; tiers diffserv4; fairness per-host }

link modem : away {
    device  "wwan0"
    egress  { bandwidth 6mbit within 500kbit..40mbit; ack-filter on }
    ingress { bandwidth 25mbit within 2mbit..200mbit }
}

link campsite : away { device "wlan1"; egress { bandwidth 4mbit }; ingress { bandwidth 12mbit } }
