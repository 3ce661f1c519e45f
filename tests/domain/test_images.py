"""Pictures that people upload, as they are drawn anew."""

import io

import pytest
from PIL import Image

from tertulia import domain

TURNED = 6  # how a camera says that it was held upright
ORIENTATION = 0x0112


def color_at(image: Image.Image, x: int, y: int) -> tuple[int, ...]:
    found = image.getpixel((x, y))
    assert isinstance(found, tuple)
    return found


@pytest.mark.parametrize("kind", ["JPEG", "PNG", "WEBP"])
def test_a_photograph_is_rotated_and_loses_its_metadata(kind):
    photograph = Image.new("RGB", (400, 200), "red")
    photograph.paste("blue", (200, 0, 400, 200))
    text = photograph.getexif()
    text[ORIENTATION] = TURNED
    out = io.BytesIO()
    photograph.save(out, kind, exif=text)

    avatar = domain.files.images.avatar(out.getvalue())

    for data, edge in ((avatar.picture, 100), (avatar.medium, 500)):
        drawn = Image.open(io.BytesIO(data))
        assert (drawn.format, drawn.size) == ("PNG", (edge, edge))
        assert not drawn.getexif()
        above, below = color_at(drawn, edge // 2, 5), color_at(drawn, edge // 2, edge - 5)
        assert above[0] > 200 > 50 > above[2]
        assert below[2] > 200 > 50 > below[0]


def test_transparency_is_kept():
    out = io.BytesIO()
    Image.new("P", (30, 30)).save(out, "PNG", transparency=0)

    drawn = Image.open(io.BytesIO(domain.files.images.avatar(out.getvalue()).picture))

    assert drawn.getpixel((50, 50)) == (0, 0, 0, 0)
