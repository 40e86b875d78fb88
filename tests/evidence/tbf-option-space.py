"""Every tbf option and inner kind, and 1000 random settings: our bytes = our words = tc's words.

On Linux 7.3: peak, atm, overhead, more than 34 Gbit/s, and sfq, fq_codel, bfifo, pfifo and cake
inside; compared as in cake-option-space.
"""

import sys

from _space import show

sys.exit(show("guest_tbf.py", 1000))
