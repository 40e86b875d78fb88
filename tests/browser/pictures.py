"""Pictures compared by what they show, whichever fonts a machine has.

A reference is the picture in blocks of 16 by 16 pixels, grey: what stands where, not how a letter
is drawn.
"""

from pathlib import Path
from typing import NamedTuple

from PIL import Image, ImageChops, ImageStat

BLOCK = 16


class Difference(NamedTuple):
    """How far a picture is from its reference, in grey levels of 255.

    Attributes:
        mean: of all blocks.
        worst: of a block.
        size: both sizes in blocks.
    """

    mean: float
    worst: int
    size: tuple[tuple[int, int], tuple[int, int]]


def thumb(picture: Path) -> Image.Image:
    """Return a picture in blocks."""
    with Image.open(picture) as image:
        grey = image.convert("L")
        size = (max(1, grey.width // BLOCK), max(1, grey.height // BLOCK))
        return grey.resize(size, Image.Resampling.BOX)


def difference(picture: Path, reference: Path) -> Difference:
    """Compare a picture with its reference; sizes may differ by a few blocks in height."""
    one = thumb(picture)
    with Image.open(reference) as image:
        other = image.convert("L")
    size = (min(one.width, other.width), min(one.height, other.height))
    box = (0, 0, *size)
    apart = ImageChops.difference(one.crop(box), other.crop(box))
    worst = apart.getextrema()[1]
    return Difference(ImageStat.Stat(apart).mean[0], int(worst), (one.size, other.size))
