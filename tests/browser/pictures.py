"""Pictures compared by what they show, whichever version of the browser drew them.

A reference is the picture in blocks of 16 by 16 pixels, grey.  Moving a whole page by a pixel each
way changes a block or two by more than `FAR` levels of 255; one chart that is missing, forty.
"""

from pathlib import Path
from typing import NamedTuple

from PIL import Image, ImageChops, ImageStat

BLOCK = 16
FAR = 20


class Difference(NamedTuple):
    """How far a picture is from its reference.

    Attributes:
        mean: grey levels, of all blocks.
        wrong: blocks that are further than `FAR` away.
        sizes: both in blocks.
    """

    mean: float
    wrong: int
    sizes: tuple[tuple[int, int], tuple[int, int]]


def thumb(picture: Path) -> Image.Image:
    """Return a picture in blocks."""
    with Image.open(picture) as image:
        grey = image.convert("L")
        size = (max(1, grey.width // BLOCK), max(1, grey.height // BLOCK))
        return grey.resize(size, Image.Resampling.BOX)


def reference(path: Path) -> Image.Image:
    """Return a stored picture."""
    with Image.open(path) as image:
        return image.convert("L")


def difference(one: Image.Image, other: Image.Image) -> Difference:
    """Compare two pictures in blocks, as far as both go."""
    box = (0, 0, min(one.width, other.width), min(one.height, other.height))
    apart = ImageChops.difference(one.crop(box), other.crop(box))
    wrong = sum(apart.histogram()[FAR + 1 :])
    return Difference(ImageStat.Stat(apart).mean[0], wrong, (one.size, other.size))
