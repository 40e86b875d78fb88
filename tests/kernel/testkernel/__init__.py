"""Run a command as root under a Linux kernel that has every queueing discipline.

`machine.run` is the door.  It boots User-Mode Linux 7.3 (`uml`), a real kernel built as an
ordinary program, in simulated time; where no such kernel is to be had, a stock Debian kernel under
QEMU (`kvm`).  The guest sees this machine's root file system, read-only, and the current directory.

Apart from that stands `netns`: network namespaces on this machine's own kernel.
"""
