"""Wireshark's own programs on the files that `tcc verify --pcap` writes."""

import shutil
import subprocess
from pathlib import Path

CURE = "is not installed: apt-get install tshark"


def program(name: str) -> str:
    found = shutil.which(name)
    assert found, f"{name} {CURE}"
    return found


def tshark(path: Path, *arguments: str) -> list[str]:
    """Return the lines that tshark prints of a file; a complaint of it fails."""
    done = subprocess.run(
        [program("tshark"), "-r", str(path), *arguments], capture_output=True, text=True, check=True
    )
    said = [line for line in done.stderr.splitlines() if "could be dangerous" not in line]
    assert said == [], done.stderr
    return done.stdout.splitlines()


def fields(path: Path, *names: str, where: str = "") -> list[list[str]]:
    """Return fields of the packets that a display filter shows."""
    chosen = ["-Y", where] if where else []
    asked = [word for name in names for word in ("-e", name)]
    lines = tshark(path, *chosen, "-T", "fields", *asked)
    return [line.split("\t") for line in lines]
