# Each container's end of a veth pair is capped by itself.
profile small { role bridge facing hosts; framing raw; egress { bandwidth 50mbit } }
link web  : small { device "vethweb" }
link db   : small { device "vethdb" }
link jobs : small { device matching "veth-job*" }
