profile guest { role bridge facing hosts; framing raw; tiers besteffort }
link a : guest { device "veth101i0"; egress { bandwidth 100mbit }; ingress { bandwidth 100mbit } }
link b : guest { device "veth102i0"; egress { bandwidth 50mbit }; ingress { bandwidth 20mbit } }
link c : guest { device "veth103i0"; egress { bandwidth 10mbit }; ingress { bandwidth 10mbit } }
