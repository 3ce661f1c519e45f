"""Draws the demo's pictures, so that none has to be stored or licensed."""

import io
import math

from PIL import Image, ImageDraw, ImageFilter

SIZE = (960, 540)


def draw(name: str) -> bytes:
    """The picture of this name as PNG."""
    drawn = {"courtyard": _courtyard}[name]()
    data = io.BytesIO()
    drawn.convert("P", palette=Image.Palette.ADAPTIVE, colors=64).save(data, "PNG", optimize=True)
    return data.getvalue()


def _courtyard() -> Image.Image:
    """Strings of light bulbs between two houses at night."""
    night = Image.new("RGB", SIZE, "#22364a")
    pen = ImageDraw.Draw(night)
    pen.rectangle((0, 330, 960, 430), fill="#1c2c3c")
    pen.rectangle((0, 430, 960, 540), fill="#3a312a")
    for left, top, width in ((0, 60, 190), (770, 40, 190)):
        pen.rectangle((left, top, left + width, 430), fill="#15212d")
        for row in range(3):
            for column in range(2):
                x, y = left + 34 + 80 * column, top + 40 + 100 * row
                pen.rectangle(
                    (x, y, x + 44, y + 58), fill="#d9a24c" if row + column == 1 else "#0f1821"
                )
    for x in (330, 600):
        pen.ellipse((x - 90, 452, x + 90, 480), fill="#6e4a33")
        pen.rectangle((x - 6, 470, x + 6, 524), fill="#2b211b")
    glow = Image.new("RGB", SIZE)
    lights = ImageDraw.Draw(glow)
    for start, end, sag in (((190, 110), (770, 90), 120), ((190, 190), (770, 200), 130)):
        points = [_on_string(start, end, sag, step / 24) for step in range(25)]
        pen.line(points, fill="#0c141c", width=3)
        for bulb, below in points[2:-1:3]:
            lights.ellipse((bulb - 26, below - 16, bulb + 26, below + 36), fill="#8a6a2c")
            pen.ellipse((bulb - 8, below + 1, bulb + 8, below + 19), fill="#ffe9a8")
    soft = glow.filter(ImageFilter.GaussianBlur(14))
    mask = soft.convert("L").point(lambda value: min(255, value * 2))
    return Image.composite(Image.blend(night, soft, 0.45), night, mask)


def _on_string(
    start: tuple[int, int], end: tuple[int, int], sag: int, along: float
) -> tuple[float, float]:
    x = start[0] + (end[0] - start[0]) * along
    y = start[1] + (end[1] - start[1]) * along + sag * math.sin(math.pi * along)
    return x, y
