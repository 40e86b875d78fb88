"""Write files so that a reader sees the old text or the new one, and nothing between."""

import contextlib
import errno
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path


def write_atomically(path: str, data: bytes) -> None:
    """Replace the contents of an existing file.

    The file keeps its mode and, as far as this user may, its owner; a symbolic link stays
    one, and what it points at is replaced. The directory must be writable.

    Raises:
        OSError: it could not be written; the old contents are still there.
    """
    target = Path(os.path.realpath(path))
    status = target.stat()
    descriptor, temporary = tempfile.mkstemp(prefix=f".{target.name}.", dir=target.parent)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
            file.flush()
            os.fchmod(file.fileno(), status.st_mode & 0o7777)
            with contextlib.suppress(PermissionError):
                os.fchown(file.fileno(), status.st_uid, status.st_gid)
            os.fsync(file.fileno())
        os.replace(temporary, target)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        raise


@contextlib.contextmanager
def replaced(path: str, mode: int = 0o644) -> Iterator[str]:
    """Have an empty file beside `path` to write to, which takes its place in the end.

    It does not where nothing was written, or where the context is left by an exception. A
    symbolic link stays one, and what it points at is replaced. A new file gets `mode`, less the
    umask; an old one keeps its own.

    Raises:
        OSError: it cannot be written, or is no ordinary file, which could not be replaced.
    """
    target = Path(os.path.realpath(path))
    if target.exists():
        if not target.is_file():
            raise OSError(errno.EINVAL, "not an ordinary file")
        if not os.access(target, os.W_OK):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
        mode = target.stat().st_mode & 0o7777
    else:
        mode &= ~_umask()
    descriptor, temporary = tempfile.mkstemp(prefix=f".{target.name}.", dir=target.parent)
    try:
        os.fchmod(descriptor, mode)
        yield temporary
        if os.fstat(descriptor).st_size:
            os.fsync(descriptor)
            os.replace(temporary, target)
    finally:
        os.close(descriptor)
        with contextlib.suppress(FileNotFoundError):
            os.unlink(temporary)


def _umask() -> int:
    """Return the umask, which can only be read by setting it."""
    now = os.umask(0o077)
    os.umask(now)
    return now


def put(path: str, data: bytes, mode: int = 0o644) -> None:
    """Write a file that need not be there yet; a new one gets `mode`, less the umask.

    Raises:
        OSError: it could not be written; what was there still is.
    """
    if not os.path.exists(path):
        with contextlib.suppress(FileExistsError):
            os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_CLOEXEC, mode))
    write_atomically(path, data)
