# A ship in harbour: Wi-Fi of the port or a mobile modem, and rates that nobody promises.
param rate : rate = 5mbit
profile any { tiers diffserv3; fairness per-host; role router; framing unknown }
link harbour : any { device "wlan0"; egress { bandwidth rate }; ingress { bandwidth rate * 3 } }
link mobile  : any { device "wwan0"; egress { bandwidth rate }; ingress { bandwidth rate * 4 } }
tier bridge-radio as voice { match local address 192.168.8.10 }
