"""Write files below one directory that nothing may lead out of: no `..`, no symbolic link.

Names of sites come from tables, and what lies in an output directory may come from anybody. Each
part of a path is opened for itself, relative to the one before it, and links are not followed.
"""

import contextlib
import errno
import os
import secrets
import shutil
from collections.abc import Iterable
from pathlib import Path

from tcc.closing import Closing

_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_DIRECTORY = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


class PathError(ValueError):
    """A path that would leave the directory; the message names it."""


class Folder(Closing):
    """A directory that is open, to write below it.

    Args:
        path: the directory, which must exist; it may itself be reached by a link.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._top = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        self._open: dict[str, int] = {"": self._top}

    def close(self) -> None:
        """Close what was opened; nothing can be written any more."""
        for descriptor in self._open.values():
            os.close(descriptor)
        self._open = {}

    def put(self, path: str, data: bytes, mode: int = 0o644) -> None:
        """Write a file whole: a reader sees the old contents or the new ones.

        Raises:
            PathError: the path leaves the directory, or a link or a file is in its way.
            OSError: it could not be written.
        """
        *above, name = self._parts(path)
        folder = self._folder(above)
        temporary = _temporary(name)
        try:
            _write(folder, temporary, data, mode)
            os.rename(temporary, name, src_dir_fd=folder, dst_dir_fd=folder)
        except BaseException:
            with contextlib.suppress(OSError):
                os.unlink(temporary, dir_fd=folder)
            raise

    def put_together(self, name: str, files: Iterable[tuple[str, bytes, int]]) -> None:
        """Write files, each with its path and mode, below a directory of this one.

        A directory that is not there yet appears whole, or not at all; in one that is there
        each file is written as by `put`.

        Raises:
            PathError, OSError: as `put`.
        """
        try:
            if self._has(name):
                for path, data, mode in files:
                    self.put(f"{name}/{path}", data, mode)
            else:
                self._put_new(name, files)
        finally:
            self._forget()

    def _put_new(self, name: str, files: Iterable[tuple[str, bytes, int]]) -> None:
        temporary = _temporary(*self._parts(name))
        try:
            os.mkdir(temporary, dir_fd=self._top)
            for path, data, mode in files:
                *above, last = self._parts(path)
                _write(self._folder([temporary, *above]), last, data, mode)
            os.rename(temporary, name, src_dir_fd=self._top, dst_dir_fd=self._top)
        except BaseException:
            shutil.rmtree(temporary, ignore_errors=True, dir_fd=self._top)
            raise

    def _forget(self) -> None:
        """Close the directories below, which are opened again when they are needed."""
        for name, descriptor in list(self._open.items()):
            if name:
                os.close(descriptor)
                del self._open[name]

    def _has(self, name: str) -> bool:
        with contextlib.suppress(FileNotFoundError):
            os.stat(name, dir_fd=self._top, follow_symlinks=False)
            return True
        return False

    def _parts(self, path: str) -> list[str]:
        parts = path.strip("/").split("/")
        if any(part in ("", ".", "..") or "\0" in part for part in parts):
            raise PathError(f"{path} would be outside {self.path}")
        return parts

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


def _temporary(name: str) -> str:
    return f".{name[:200]}.{secrets.token_hex(4)}"


def _write(folder: int, name: str, data: bytes, mode: int) -> None:
    """Write a new file."""
    descriptor = os.open(name, _NEW, mode, dir_fd=folder)
    try:
        while data:
            data = data[os.write(descriptor, data) :]
    finally:
        os.close(descriptor)
