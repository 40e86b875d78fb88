"""Where the User-Mode Linux kernel comes from."""

import hashlib
import lzma
import os
from pathlib import Path

from testkernel.host import UnavailableError, cache, cache_lock, newest


def find() -> Path | None:
    """Return the kernel's binary: $TCC_UML_KERNEL, else the newest in the cache, else None.

    $TCC_UML_KERNEL is a binary, or one packed by xz, which is unpacked into the cache.

    Raises:
        UnavailableError: the variable names no file.
    """
    named = os.environ.get("TCC_UML_KERNEL")
    if named:
        path = Path(named).resolve()
        if not path.is_file():
            raise UnavailableError(f"TCC_UML_KERNEL={named}: no such file")
        return _unpacked(path) if path.suffix == ".xz" else path
    built = {folder.name.removeprefix("uml-"): folder for folder in cache().glob("uml-[0-9]*")}
    return built[newest(sorted(built))] / "linux" if built else None


def _unpacked(packed: Path) -> Path:
    data = packed.read_bytes()
    with cache_lock() as where:
        final = where / f"unpacked-{hashlib.sha256(data).hexdigest()[:16]}"
        if not final.exists():
            new = final.with_suffix(".new")
            new.write_bytes(lzma.decompress(data))
            new.chmod(0o755)
            new.replace(final)
    return final
