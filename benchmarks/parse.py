"""How fast policies are parsed and formatted, and how much memory a tree takes.

    python benchmarks/parse.py [LINES ...]

Prints, for files of 1e3 to 1e6 lines: lines per CPU-second of `parse` and of `format`, and
bytes of tree per byte of text. The text is the sample policies, over and over.
"""

import gc
import subprocess
import sys
import tracemalloc
from pathlib import Path
from time import process_time

from tcc.source import Source
from tcc.syntax.format import format
from tcc.syntax.parser import parse

POLICIES = Path(__file__).parents[1] / "tests/data/policies"
SIZES = (1_000, 10_000, 100_000, 1_000_000)


def policy(lines: int) -> str:
    """Return about as many lines of policies."""
    text = "\n".join(path.read_text(encoding="utf-8") for path in sorted(POLICIES.glob("*.tcc")))
    return text * max(1, round(lines / text.count("\n")))


def best(repeats: int, text: str, with_format: bool) -> float:
    """Return the least CPU time of parsing, or of formatting, `text`."""
    times = []
    for _ in range(repeats):
        gc.collect()
        start = process_time()
        tree, found = parse(Source("p.tcc", text))
        if with_format:
            start = process_time()
            format(tree)
        times.append(process_time() - start)
        assert not found
    return min(times)


def memory(text: str) -> float:
    """Return the bytes that the tree of `text` keeps, per byte of text."""
    tracemalloc.start()
    tree, _ = parse(Source("p.tcc", text))
    size = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    assert tree.clauses
    return size / len(text.encode())


def cold(code: str) -> float:
    """Return the CPU seconds of a fresh Python that runs `code`."""
    script = f"import time\n{code}\nprint(time.process_time())"
    command = [sys.executable, "-c", script]
    runs = [
        float(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
        for _ in range(7)
    ]
    return min(runs)


def main() -> None:
    sizes = [int(argument) for argument in sys.argv[1:]] or SIZES
    print(f"{'lines':>9} {'parse, lines/CPU-s':>19} {'format, lines/CPU-s':>20} {'tree/text':>10}")
    for size in sizes:
        text = policy(size)
        lines = text.count("\n")
        repeats = 5 if lines <= 100_000 else 1
        rates = [f"{lines / best(repeats, text, form):,.0f}" for form in (False, True)]
        kept = f"{memory(text):.1f}x" if lines <= 100_000 else "-"
        print(f"{lines:>9,} {rates[0]:>19} {rates[1]:>20} {kept:>10}")
    home = POLICIES / "home.tcc"
    nothing = cold("pass")
    parsed = cold(
        "from tcc.syntax.parser import parse\nfrom tcc.syntax.read import read_source\n"
        f"assert not parse(read_source({str(home)!r}))[1]"
    )
    print(f"cold start: Python {nothing * 1e3:.0f} ms, and {(parsed - nothing) * 1e3:.0f} ms to ")
    print(f"import the parser and parse {home.name}")


if __name__ == "__main__":
    main()
