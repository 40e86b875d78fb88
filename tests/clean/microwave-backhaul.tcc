# 60 GHz between two roofs; rain takes half of it.
link hop {
    device   "eth2"
    framing  ethernet
    role     bridge
    fairness per-flow
    egress   { bandwidth 800mbit within 300mbit..950mbit }
    ingress  { bandwidth 800mbit within 300mbit..950mbit }
}
