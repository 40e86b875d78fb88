# Pods of one class, whatever their interfaces are called today.
link pods {
    device  matching "cali*"
    framing raw
    role    bridge facing hosts
    egress  { bandwidth 200mbit; qdisc tbf { burst auto; latency 20ms; inner fq_codel } }
}
