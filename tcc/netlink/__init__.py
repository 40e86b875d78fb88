"""rtnetlink without a library: codec, transport, qdiscs, filters, devices.

From the bottom up, each module importing only those before it:

- `wire`: the payload of one attribute.
- `attributes`: schemas; `encode` and `decode`.
- `handle`: `1:`, `1:10`, `root`.
- `messages`: headers, `Message`, `Reply`, `Ack`, `KernelRefusal`.
- `namespace`, `transport`: `RouteSocket` in a network namespace.
- `objects`: `TcObject`, `Counters`.
- `qdisc`, `actions`, `flower`, `filters`: requests about tc's objects; listing them.
- `repeats`, `kinds`: options and statistics of each kind of qdisc.
- `readings`: every qdisc with all it says, decoded at once.
- `refusals`: the name of the attribute that the kernel refused.
- `links`, `events`: devices, and what changes.
- `routes`, `wireguard`: which device leads to an address, and which addresses a tunnel has.
- `pyroute2_kinds`: the same schemas for users of pyroute2; the only module that imports it.
"""
