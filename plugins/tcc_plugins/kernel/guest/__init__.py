"""What runs beside the kernel that is measured: it needs Python's own library, ip(8) and tc(8).

    c -- r -- n -- s      r shapes towards n (uploads) and towards c (downloads); n delays

`python -m guest JOB` does all; `python -m guest JOB ROLE PREFIX BEGIN` is one process of it. It
runs as root on this host or in a virtual machine, makes four network namespaces and removes them.

Nothing polls a clock: every wait is a sleep until something is due, because in simulated time a
loop that reads the clock creeps.
"""
