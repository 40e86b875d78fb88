link wan
{
    device "eth0"
    egress   # out
    {
        bandwidth 10m
    }
}
