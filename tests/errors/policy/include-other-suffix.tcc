include "/etc/hostname"
