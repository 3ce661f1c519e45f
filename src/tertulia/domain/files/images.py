"""Pictures that people upload: looked at, bounded, and always drawn anew.

What is stored are pixels that we wrote ourselves, never the bytes that came in.
"""

import io
import warnings
from collections.abc import Callable
from typing import IO, TypeVar

from PIL import ExifTags, Image, ImageOps, ImageSequence, UnidentifiedImageError

from tertulia.domain.files.attachments import THUMBNAIL_SIZE, Looks
from tertulia.domain.files.picture import Avatar, Picture
from tertulia.errors.messages import BadImage

FORMATS = ("PNG", "JPEG", "GIF", "WEBP")
SHOWN_FORMATS = (*FORMATS, "BMP")  # among uploaded files
CONTENT_TYPES = frozenset(
    {
        "image/png",
        "image/jpeg",
        "image/gif",
        "image/webp",
        "application/octet-stream",  # what a client says that does not say: the bytes will tell
    }
)
# To decode a picture takes 4 bytes a pixel for a moment, and 16 where it may move: 70 MB are
# enough for any. A file says how many pixels it holds before one of them is decoded.
MAX_PIXELS = 16_000_000
MAX_ANIMATED_PIXELS = 4_000_000
MAX_FRAMES = 200
MAX_TOTAL_PIXELS = 100_000_000  # of all frames

AVATAR_EDGE = 100
MEDIUM_AVATAR_EDGE = 500
ICON_EDGE = 100
LOGO_SIZE = (800, 100)  # at most

FIRST_TURNED = 5  # from this orientation on, a photograph stands on its side

T = TypeVar("T")


def emoji_picture(data: bytes, size: int = 64) -> Picture:
    """A square of the given size; the picture is cut to fit. Raises BadImage."""

    def draw(image: Image.Image) -> Picture:
        return _drawn(_checked(image, (size, size), getattr(image, "n_frames", 1)), size)

    return _looked_at(io.BytesIO(data), draw)


def avatar(data: bytes) -> Avatar:
    """Two squares, as PNG; the picture is turned the right way up and cut to fit."""

    def draw(image: Image.Image) -> Avatar:
        box = (MEDIUM_AVATAR_EDGE, MEDIUM_AVATAR_EDGE)
        medium = ImageOps.exif_transpose(_square(_checked(image, box), MEDIUM_AVATAR_EDGE))
        small = medium.resize((AVATAR_EDGE, AVATAR_EDGE), Image.Resampling.LANCZOS)
        return Avatar(_png(small), _png(medium))

    return _looked_at(io.BytesIO(data), draw)


def icon(data: bytes) -> bytes:
    """A small square, as PNG; the picture is turned the right way up and cut to fit."""

    def draw(image: Image.Image) -> bytes:
        square = _square(_checked(image, (ICON_EDGE, ICON_EDGE)), ICON_EDGE)
        return _png(ImageOps.exif_transpose(square))

    return _looked_at(io.BytesIO(data), draw)


def logo(data: bytes) -> bytes:
    """The whole picture as PNG, the right way up, and made smaller where it is too large."""

    def draw(image: Image.Image) -> bytes:
        box = LOGO_SIZE[::-1] if _is_turned(image) else LOGO_SIZE
        drawn = _plain(_checked(image, box))
        drawn.thumbnail(box, Image.Resampling.LANCZOS)
        return _png(ImageOps.exif_transpose(drawn.convert("RGBA")))

    return _looked_at(io.BytesIO(data), draw)


def looks(file: IO[bytes]) -> Looks | None:
    """What a file shows that clients can show as a picture; None for all others.

    Nothing is drawn: a look at the head of the file is enough.
    """

    def measure(image: Image.Image) -> Looks:
        width, height = image.size[::-1] if _is_turned(image) else image.size
        if _is_photograph(image):
            return Looks("image/jpeg", width, height)
        is_animated = bool(getattr(image, "is_animated", False))
        return Looks(Image.MIME[image.format or ""], width, height, is_animated)

    try:
        return _looked_at(file, measure, SHOWN_FORMATS)
    except BadImage:
        return None


def thumbnail(file: IO[bytes]) -> bytes:
    """A picture made small, as WebP; of one that moves, how it begins. Raises BadImage."""

    def draw(image: Image.Image) -> bytes:
        box = THUMBNAIL_SIZE[::-1] if _is_turned(image) else THUMBNAIL_SIZE
        _checked(image, box).thumbnail(box, Image.Resampling.LANCZOS, reducing_gap=2.0)
        is_plain = image.mode == "RGB" and "transparency" not in image.info
        drawn = ImageOps.exif_transpose(image if is_plain else image.convert("RGBA"))
        out = io.BytesIO()
        drawn.save(out, "WEBP", quality=80)
        return out.getvalue()

    return _looked_at(file, draw, SHOWN_FORMATS)


def _looked_at(
    file: IO[bytes], draw: Callable[[Image.Image], T], formats: tuple[str, ...] = FORMATS
) -> T:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", Image.DecompressionBombWarning)
            with Image.open(file, formats=formats) as image:
                return draw(image)
    except (UnidentifiedImageError, Image.DecompressionBombError, Image.DecompressionBombWarning):
        raise _unreadable() from None
    except (OSError, ValueError, SyntaxError, EOFError, MemoryError):
        raise _unreadable() from None


def _is_photograph(image: Image.Image) -> bool:
    """Some cameras put several pictures into one file, which is a JPEG all the same."""
    return image.format in ("JPEG", "MPO")


def _is_turned(image: Image.Image) -> bool:
    """Only photographs are asked: of other pictures all would have to be decoded to know."""
    return (
        _is_photograph(image) and image.getexif().get(ExifTags.Base.Orientation, 1) >= FIRST_TURNED
    )


def _checked(image: Image.Image, box: tuple[int, int], frames: int = 1) -> Image.Image:
    """The picture, of which so much is to be decoded; raises BadImage if that is too much.

    A photograph is decoded no larger than need be, unless it comes in several passes: then all of
    it is held until the last.
    """
    pixels = image.width * image.height
    if _is_photograph(image):
        image.draft("RGB", box)
        if "progressive" not in image.info:
            pixels = image.width * image.height
    may_move = frames > 1 or image.format == "WEBP"
    if (
        pixels > (MAX_ANIMATED_PIXELS if may_move else MAX_PIXELS)
        or frames > MAX_FRAMES
        or pixels * frames > MAX_TOTAL_PIXELS
    ):
        raise _too_large()
    return image


def _drawn(image: Image.Image, size: int) -> Picture:
    if getattr(image, "n_frames", 1) == 1:
        return Picture(_png(_square(image, size)), "png")
    frames: list[Image.Image] = []
    durations: list[int] = []
    for frame in ImageSequence.Iterator(image):
        frames.append(_square(frame, size))
        durations.append(int(frame.info.get("duration") or 100))
    out = io.BytesIO()
    frames[0].save(
        out,
        "GIF",
        save_all=True,
        append_images=frames[1:],
        duration=durations,
        loop=0,
        disposal=2,
    )
    return Picture(out.getvalue(), "gif", still=_png(frames[0]))


def _square(image: Image.Image, size: int) -> Image.Image:
    """A photograph is large, so it is made smaller before anything else is done to it."""
    edge = min(image.width, image.height)
    left, top = (image.width - edge) // 2, (image.height - edge) // 2
    box = (left, top, left + edge, top + edge)
    drawn = _plain(image).resize((size, size), Image.Resampling.LANCZOS, box=box)
    return drawn.convert("RGBA")


def _plain(image: Image.Image) -> Image.Image:
    """The picture in colours that can be mixed; itself, if it is so already."""
    is_plain = image.mode in ("RGB", "RGBA", "L") and "transparency" not in image.info
    return image if is_plain else image.convert("RGBA")


def _png(image: Image.Image) -> bytes:
    out = io.BytesIO()
    image.save(out, "PNG", optimize=True)
    return out.getvalue()


def _too_large() -> BadImage:
    return BadImage(reason="Image size exceeds limit.")


def _unreadable() -> BadImage:
    return BadImage(reason="Could not decode image; did you upload an image file?")
