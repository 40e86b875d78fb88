"""The page of results is below 300 kB for each sample policy, and asks for nothing."""

import re
import sys
import tempfile
from pathlib import Path

from _verify import EXAMPLES, verify

LIMIT = 300_000
REQUESTS = re.compile(r'<[^>]* (?:(?:src|srcset|action|poster)=|href="(?!#|data:,))|@import|url\(')


def main() -> int:
    shown, good = 0, True
    with tempfile.TemporaryDirectory() as folder:
        for policy in sorted(EXAMPLES.glob("*.tcc")):
            page = Path(folder) / f"{policy.stem}.html"
            verify(str(policy), "--no-mend", "--report", str(page))
            if not page.exists():
                print(f"{policy.name:20} no page: it has no objective, or a parameter is unset")
                continue
            text = page.read_text(encoding="utf-8")
            # the text of the carried script names its home page, and fetches nothing
            asked = REQUESTS.findall(
                re.sub(r"<(script|style)\b.*?</\1>", "", text, flags=re.DOTALL)
            )
            size = page.stat().st_size
            print(f"{policy.name:20} {size:7} bytes, {len(asked)} references to other files")
            shown += 1
            good = good and size < LIMIT and not asked
    print(f"limit {LIMIT} bytes")
    return 0 if good and shown else 1


sys.exit(main())
