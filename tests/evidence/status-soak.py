"""`status --follow`, `--metrics` and `--listen` with 1,000 qdiscs: memory constant, CPU share."""

import contextlib
import fcntl
import os
import pty
import re
import struct
import subprocess
import sys
import tempfile
import termios
import time
from collections.abc import Callable
from pathlib import Path
from threading import Thread
from urllib.error import URLError
from urllib.request import urlopen

sys.path.insert(0, str(Path(__file__).parents[2] / "tests/kernel"))

from testkernel.netns import namespaces

ROOT = Path(__file__).resolve().parents[2]
QDISCS = 1000
SECONDS = int(os.environ.get("SECONDS_OF_SOAK", "120"))
WARM_UP = 75  # longer than the view remembers
GROWTH = 2 << 20  # bytes that memory may grow after the warm-up: what one answer takes
SHARE = 0.25  # of one processor, with a look a second
HERTZ = os.sysconf("SC_CLK_TCK")


def usage(pid: int) -> tuple[int, float, int]:
    """Return resident bytes, processor seconds and open descriptors of a process."""
    status = Path(f"/proc/{pid}/status").read_text()
    found = re.search(r"VmRSS:\s+(\d+) kB", status)
    assert found, status
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (
        1024 * int(found[1]),
        (int(fields[11]) + int(fields[12])) / HERTZ,
        len(os.listdir(f"/proc/{pid}/fd")),
    )


def soak(name: str, pid: int) -> bool:
    """Watch a process for a while; print what it took."""
    time.sleep(WARM_UP)
    memory, spent, descriptors = usage(pid)
    began = time.monotonic()
    time.sleep(SECONDS)
    after, spent_after, descriptors_after = usage(pid)
    share = (spent_after - spent) / (time.monotonic() - began)
    good = after - memory <= GROWTH and descriptors_after <= descriptors + 1 and share <= SHARE
    print(
        f"{name:<22} {SECONDS} s: {memory >> 10} KiB, then {after >> 10} KiB; "
        f"{descriptors_after} descriptors; {100 * share:.1f} % of a processor "
        f"{'' if good else ' TOO MUCH'}",
        flush=True,
    )
    return good


def in_terminal(command: list[str]) -> tuple[int, int]:
    """Start a program in a terminal of 50 lines; return its process and the other end."""
    pid, end = pty.fork()
    if pid == 0:
        os.environ["TERM"] = "xterm-256color"
        os.chdir(ROOT)
        os.execv(command[0], command)
    fcntl.ioctl(end, termios.TIOCSWINSZ, struct.pack("HHHH", 50, 160, 0, 0))
    return pid, end


def drain(end: int, into: list[int]) -> None:
    try:
        while data := os.read(end, 1 << 16):
            into[0] += len(data)
    except OSError:
        return


def live(words: list[str]) -> bool:
    """The view in a terminal."""
    pid, end = in_terminal([*words, "--follow"])
    seen = [0]
    Thread(target=drain, args=(end, seen), daemon=True).start()
    try:
        good = soak("--follow, in a terminal", pid)
    finally:
        os.write(end, b"q")
        _, code = os.waitpid(pid, 0)
    print(f"{'':<22} {seen[0] >> 10} KiB were drawn; ended with {os.waitstatus_to_exitcode(code)}")
    return good and seen[0] > 10_000 and os.waitstatus_to_exitcode(code) == 0


def in_background(name: str, words: list[str], meanwhile: Callable[[], None] | None) -> bool:
    process = subprocess.Popen(words, cwd=ROOT, stdin=subprocess.DEVNULL)
    stop: list[bool] = []
    done = [0]

    def again() -> None:
        while meanwhile is not None and not stop:
            time.sleep(1)
            with contextlib.suppress(URLError):  # it may not listen yet
                meanwhile()
                done[0] += 1

    try:
        Thread(target=again, daemon=True).start()
        good = soak(name, process.pid)
        if meanwhile is None:
            return good
        print(f"{'':<22} fetched {done[0]} times")
        return good and done[0] > SECONDS // 2
    finally:
        stop.append(True)
        time.sleep(2)
        process.terminate()
        process.wait(10)


def fetch() -> None:
    with urlopen("http://127.0.0.1:9469/metrics", timeout=10) as answer:
        assert answer.read().endswith(b"# EOF\n")


def main() -> int:
    with namespaces() as made, tempfile.TemporaryDirectory() as folder:
        space = made.new()
        lines = []
        for number in range(QDISCS // 2):
            space.run("ip", "link", "add", f"w{number}", "type", "veth", "peer", f"x{number}")
            for end in "wx":
                lines.append(f"qdisc replace dev {end}{number} root tbf rate {number + 1}mbit "
                             "burst 20k latency 50ms\n")  # fmt: skip
        script = Path(folder) / "tc"
        script.write_text("".join(lines))
        space.run("tc", "-batch", str(script))
        os.environ["TCC_STATE_DIR"] = folder
        status = [sys.executable, "-m", "tcc", "status", "--netns", space.name]
        file = str(Path(folder) / "tcc.prom")
        good = [
            live(status),
            in_background(
                "--follow --metrics -o", [*status, "--follow", "--metrics", "-o", file],
                None,
            ),
            in_background("--listen, fetched", [*status, "--listen", "9469"], fetch),
        ]  # fmt: skip
        rows = Path(file).read_text().count("\ntcc_qdisc_sent_bytes_total{")
        print(f"{rows} qdiscs in the file")
    return 0 if all(good) and rows == QDISCS else 1


sys.exit(main())
