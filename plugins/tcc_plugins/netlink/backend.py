Netlink = 1
