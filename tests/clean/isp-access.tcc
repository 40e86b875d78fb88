# Customers behind one access router, each with a VLAN of its own.
profile basic { framing ethernet + vlan; role bridge facing hosts; fairness per-host }
link c101 : basic { device "eth2.101"; egress { bandwidth 50mbit }; ingress { bandwidth 10mbit } }
link c102 : basic { device "eth2.102"; egress { bandwidth 50mbit }; ingress { bandwidth 10mbit } }
link c103 : basic { device "eth2.103"; egress { bandwidth 100mbit }; ingress { bandwidth 20mbit } }
link c104 : basic { device "eth2.104"; egress { bandwidth 100mbit }; ingress { bandwidth 20mbit } }
