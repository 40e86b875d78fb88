"""Packages of newer Debian suites, from this machine's own mirror, without installing them."""

import os
import re
import tempfile
from pathlib import Path

from testkernel.host import UnavailableError, cache, output, say

KEYRING = Path("/usr/share/keyrings/debian-archive-keyring.gpg")


class Mirror:
    """A private view of this machine's Debian mirror, its lists kept in the cache."""

    def __init__(self) -> None:
        self.suites = os.environ.get("TCC_KERNEL_SUITES", "trixie trixie-backports sid").split()
        self._home = cache() / "apt"
        self._fresh = False

    def names(self, pattern: str) -> list[re.Match[str]]:
        """Return the matches of all package names that match `pattern` as a whole."""
        self._update()
        names = output("apt-cache", *self._options(), "pkgnames").split()
        return [match for name in names if (match := re.fullmatch(pattern, name))]

    def depends(self, name: str) -> list[str]:
        """Return the names of the packages that a package depends on."""
        self._update()
        text = output("apt-cache", *self._options(), "--no-all-versions", "show", name)
        line = re.search(r"^Depends: (.*)$", text, re.MULTILINE)
        parts = re.split(r"[,|]", line.group(1)) if line else []
        return [part.split()[0] for part in parts if part.split()]

    def unpack(self, name: str, into: Path) -> None:
        """Fetch a package (NAME, or NAME/SUITE) and lay out its files below `into`."""
        self._update()
        say(f"fetching {name}")
        with tempfile.TemporaryDirectory(dir=cache()) as folder:
            output("apt-get", *self._options(), "-q", "download", name, cwd=Path(folder))
            [package] = Path(folder).glob("*.deb")
            output("dpkg", "-x", str(package), str(into))

    def _options(self) -> list[str]:
        settings = {
            "Dir::Etc::sourcelist": str(self._home / "sources.list"),
            "Dir::Etc::sourceparts": "-",
            "Dir::Etc::preferences": "-",
            "Dir::Etc::preferencesparts": "-",
            "Dir::State::Lists": str(self._home / "lists"),
            "Dir::Cache::pkgcache": "",
            "Dir::Cache::srcpkgcache": "",
            "Acquire::Languages": "none",
            "APT::Sandbox::User": "root",
        }
        return [word for key, value in settings.items() for word in ("-o", f"{key}={value}")]

    def _update(self) -> None:
        if self._fresh:
            return
        uri = self._uri()
        (self._home / "lists/partial").mkdir(parents=True, exist_ok=True)
        signed = f"[signed-by={KEYRING}] " if KEYRING.exists() else ""
        lines = [f"deb {signed}{uri} {suite} main\n" for suite in self.suites]
        (self._home / "sources.list").write_text("".join(lines))
        say(f"reading the package lists of {', '.join(self.suites)}")
        output("apt-get", *self._options(), "-q", "update")
        self._fresh = True

    def _uri(self) -> str:
        release = Path("/etc/os-release").read_text()
        codename = re.search(r"^VERSION_CODENAME=(\S+)", release, re.MULTILINE)
        targets = output(
            "apt-get",
            "indextargets",
            "--format",
            "$(REPO_URI)|$(RELEASE)|$(COMPONENT)",
            "Created-By: Packages",
        )
        for line in targets.splitlines():
            uri, suite, component = line.split("|")
            if component == "main" and codename and suite == codename.group(1):
                return uri
        raise UnavailableError(
            "no Debian mirror in this machine's apt sources (try apt-get update)"
        )
