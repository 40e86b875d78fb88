# After MikroTik's page on CAKE (target=192.168.88.0/24) and public scripts with queue trees
/queue type add name=cake-default kind=cake cake-bandwidth=0bps cake-nat=yes cake-colour=red;
/queue tree add max-limit=54M name=queue-download packet-mark=no-mark parent=bridge queue=cake-default;
/queue simple add name=internet target=192.168.88.0/24 max-limit=20M/100M queue=cake-default/cake-default
/queue interface set ether1 queue=cake-default
