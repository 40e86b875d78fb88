link wan {
    device "eth0"
    framing ethernet + vlan + vlan + vlan + vlan + vlan + vlan + vlan + vlan + vlan
}
