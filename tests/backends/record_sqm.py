"""Run sqm-scripts itself on our configurations under the test kernel, and keep what it made.

    python tests/backends/record_sqm.py --checkout PATH [--revision v1.6.0] [--tc PATH] [--keep]

PATH is a work tree or a git directory of https://github.com/tohojo/sqm-scripts, which is no part of
this project. Without --keep it is only compared with what was kept, and with what `tcc apply` makes
of the same policies; exit code 1 says that something differs and is not explained.
"""

import argparse
import json
import subprocess
import sys
import tarfile
import tempfile
from io import BytesIO
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "tests" / "kernel")]

from testkernel.guest import Job  # noqa: E402
from testkernel.machine import run  # noqa: E402
from tests.backends.sqm_cases import DATA, cases, differences  # noqa: E402


def unpack(checkout: Path, revision: str, target: Path) -> str:
    """Put the files of a revision into `target`; return what git calls it."""
    git = ["git", "-C", str(checkout)]
    name = subprocess.run(
        [*git, "describe", "--tags", "--always", revision],
        check=True, capture_output=True, text=True,
    ).stdout.strip()  # fmt: skip
    archive = subprocess.run([*git, "archive", revision], check=True, capture_output=True).stdout
    with tarfile.open(fileobj=BytesIO(archive)) as files:
        files.extractall(target, filter="data")
    return name


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--checkout", type=Path, required=True)
    parser.add_argument("--revision", default="HEAD")
    parser.add_argument("--name", help="what to call it, if not as git does")
    parser.add_argument("--tc", help="a tc of iproute2 7.0 or newer: run 1.7's `use_mq` too")
    parser.add_argument("--keep", action="store_true")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=ROOT / "build") as folder:
        version = unpack(args.checkout, args.revision, Path(folder) / "sqm")
        version = args.name or version
        asked = cases(queues=bool(args.tc))
        (Path(folder) / "cases.json").write_text(json.dumps(asked))
        words = [sys.executable, str(ROOT / "tests/backends/guest_sqm.py")]
        words += [f"{folder}/sqm", f"{folder}/cases.json", *([args.tc] if args.tc else [])]
        job = Job(words, cwd=ROOT, seconds=600)
        done = run(job)
    if done.status:
        print(done.stdout[-2000:], done.stderr[-3000:])
        return 1
    answers = json.loads(done.stdout)
    kept = {"version": version, "cases": {
        name: {"config": case["files"]["etc/config/sqm"], **answers[name]}
        for name, case in asked.items()
    }}  # fmt: skip
    if args.keep:
        DATA.mkdir(exist_ok=True)
        (DATA / f"{version}.json").write_text(json.dumps(kept, indent=1) + "\n")
    wrong = 0
    for name, answer in kept["cases"].items():
        found = differences(name, answer)
        wrong += len(found) + (answer["verify"] != [0]) + (answer["verify_of_another"] == 0)
        print(f"{name}: {len(found)} differences not explained; verify.sh says {answer['verify']}")
        for line in found:
            print(f"    {line}")
    print(f"sqm-scripts {version}: {len(kept['cases'])} policies, {wrong} wrong")
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
