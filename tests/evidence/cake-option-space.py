"""Every CAKE option, preset and mode, and 1000 random settings: our bytes = our words = tc's words.

On Linux 7.3, for cake and for cake_mq on 4 and 8 queues: each case is put there by our netlink
message, by `tc` with the words of `command`, and (where tc has words for it) by tc's own words;
`tc -j -d qdisc show` must be the same, and what the kernel dumps must be what was sent.
"""

import sys

from _space import show

sys.exit(show("guest_cake.py", 1000))
