"""Write files below one directory that nothing may lead out of: no `..`, no symbolic link.

Names of sites come from tables, and what lies in an output directory may come from anybody. Each
part of a path is opened for itself, relative to the one before it, and links are not followed.
"""

import contextlib
import errno
import os
import secrets
from pathlib import Path
from types import TracebackType
from typing import Self

_DIRECTORY = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


class PathError(ValueError):
    """A path that would leave the directory; the message names it."""


class Folder:
    """A directory that is open, to write below it.

    Args:
        path: the directory, which must exist; it may itself be reached by a link.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._top = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        self._open: dict[str, int] = {"": self._top}

    def __enter__(self) -> Self:
        """Return the folder."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        problem: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Close what was opened."""
        for descriptor in self._open.values():
            os.close(descriptor)
        self._open = {}

    def put(self, path: str, data: bytes, mode: int = 0o644) -> None:
        """Write a file whole: a reader sees the old contents or the new ones.

        Raises:
            PathError: the path leaves the directory, or a link or a file is in its way.
            OSError: it could not be written.
        """
        parts = path.strip("/").split("/")
        if any(part in ("", ".", "..") or "\0" in part for part in parts):
            raise PathError(f"{path} would be outside {self.path}")
        folder = self._folder(parts[:-1])
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
        temporary = f".{parts[-1][:200]}.{secrets.token_hex(4)}"
        descriptor = os.open(temporary, flags, mode, dir_fd=folder)
        try:
            with os.fdopen(descriptor, "wb", buffering=0) as file:
                file.write(data)
            os.rename(temporary, parts[-1], src_dir_fd=folder, dst_dir_fd=folder)
        except BaseException:
            with contextlib.suppress(OSError):
                os.unlink(temporary, dir_fd=folder)
            raise

    def forget(self) -> None:
        """Close the directories below, which are opened again when they are needed."""
        for name, descriptor in list(self._open.items()):
            if name:
                os.close(descriptor)
                del self._open[name]

    def _folder(self, parts: list[str]) -> int:
        """Return a directory below, open; it is made if it is not there."""
        at = ""
        for part in parts:
            parent, at = self._open[at], f"{at}/{part}"
            if at in self._open:
                continue
            with contextlib.suppress(FileExistsError):
                os.mkdir(part, dir_fd=parent)
            try:
                self._open[at] = os.open(part, _DIRECTORY, dir_fd=parent)
            except OSError as problem:
                if problem.errno not in {errno.ENOTDIR, errno.ELOOP}:
                    raise
                raise PathError(
                    f"{self.path}{at} is a link or a file: nothing is written through it"
                ) from problem
        return self._open[at]
