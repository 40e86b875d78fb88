"""What holds descriptors and gives them back: a context manager by having `close`."""

from abc import ABC, abstractmethod
from typing import Self


class Closing(ABC):
    """Closed when the block that it was opened for ends, however that ends."""

    @abstractmethod
    def close(self) -> None:
        """Give everything back; a second time does nothing."""

    def __enter__(self) -> Self:
        """Return the thing itself."""
        return self

    def __exit__(self, *exception: object) -> None:
        """Close it."""
        self.close()
