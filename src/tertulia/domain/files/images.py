"""Uploaded images: checked, limited in size, and always re-encoded.

Only pixels that this server has encoded are stored, never the uploaded bytes. The library is
imported with the first image: an idle server does without it.
"""

import io
import warnings
from collections.abc import Callable
from typing import IO, TYPE_CHECKING, TypeVar

from tertulia.domain.files.attachments import THUMBNAIL_SIZE, MediaInfo
from tertulia.domain.files.picture import Avatar, Picture
from tertulia.errors.messages import BadImage

if TYPE_CHECKING:
    from PIL.Image import Image as Bitmap

FORMATS = ("PNG", "JPEG", "GIF", "WEBP")
SHOWN_FORMATS = (*FORMATS, "BMP")  # for uploaded files
CONTENT_TYPES = frozenset(
    {
        "image/png",
        "image/jpeg",
        "image/gif",
        "image/webp",
        # Sent by clients that do not know the type; the content decides.
        "application/octet-stream",
    }
)
# Decoding needs 4 bytes per pixel, 16 for an animation: 70 MB are enough for any image. The header
# states the number of pixels, so it is checked before decoding.
MAX_PIXELS = 16_000_000
MAX_ANIMATED_PIXELS = 4_000_000
MAX_FRAMES = 200
MAX_TOTAL_PIXELS = 100_000_000  # of all frames

AVATAR_EDGE = 100
MEDIUM_AVATAR_EDGE = 500
ICON_EDGE = 100
LOGO_SIZE = (800, 100)  # maximum

FIRST_TURNED = 5  # from this EXIF orientation on, width and height are swapped

T = TypeVar("T")


def emoji_picture(data: bytes, size: int = 64) -> Picture:
    """A square of the given size; the image is cropped. Raises BadImage."""

    def draw(image: "Bitmap") -> Picture:
        return _drawn(_checked(image, (size, size), getattr(image, "n_frames", 1)), size)

    return _inspected(io.BytesIO(data), draw)


def avatar(data: bytes) -> Avatar:
    """Two squares as PNG; the image is rotated upright and cropped."""
    from PIL import Image, ImageOps

    def draw(image: "Bitmap") -> Avatar:
        box = (MEDIUM_AVATAR_EDGE, MEDIUM_AVATAR_EDGE)
        medium = ImageOps.exif_transpose(_square(_checked(image, box), MEDIUM_AVATAR_EDGE))
        small = medium.resize((AVATAR_EDGE, AVATAR_EDGE), Image.Resampling.LANCZOS)
        return Avatar(_png(small), _png(medium))

    return _inspected(io.BytesIO(data), draw)


def icon(data: bytes) -> bytes:
    """A small square as PNG; the image is rotated upright and cropped."""
    from PIL import ImageOps

    def draw(image: "Bitmap") -> bytes:
        square = _square(_checked(image, (ICON_EDGE, ICON_EDGE)), ICON_EDGE)
        return _png(ImageOps.exif_transpose(square))

    return _inspected(io.BytesIO(data), draw)


def logo(data: bytes) -> bytes:
    """The whole image as PNG, rotated upright and scaled down if it is too large."""
    from PIL import Image, ImageOps

    def draw(image: "Bitmap") -> bytes:
        box = LOGO_SIZE[::-1] if _is_turned(image) else LOGO_SIZE
        drawn = _plain(_checked(image, box))
        drawn.thumbnail(box, Image.Resampling.LANCZOS)
        return _png(ImageOps.exif_transpose(drawn.convert("RGBA")))

    return _inspected(io.BytesIO(data), draw)


def image_info(file: IO[bytes]) -> MediaInfo | None:
    """Type and size of an image that clients can display; None for other files.

    Reads only the header of the file.
    """
    from PIL import Image

    def measure(image: "Bitmap") -> MediaInfo:
        width, height = image.size[::-1] if _is_turned(image) else image.size
        if _is_photograph(image):
            return MediaInfo("image/jpeg", width, height)
        is_animated = bool(getattr(image, "is_animated", False))
        return MediaInfo(Image.MIME[image.format or ""], width, height, is_animated)

    try:
        return _inspected(file, measure, SHOWN_FORMATS)
    except BadImage:
        return None


def thumbnail(file: IO[bytes]) -> bytes:
    """A thumbnail as WebP; of an animation, the first frame. Raises BadImage."""
    from PIL import Image, ImageOps

    def draw(image: "Bitmap") -> bytes:
        box = THUMBNAIL_SIZE[::-1] if _is_turned(image) else THUMBNAIL_SIZE
        _checked(image, box).thumbnail(box, Image.Resampling.LANCZOS, reducing_gap=2.0)
        is_plain = image.mode == "RGB" and "transparency" not in image.info
        drawn = ImageOps.exif_transpose(image if is_plain else image.convert("RGBA"))
        out = io.BytesIO()
        drawn.save(out, "WEBP", quality=80)
        return out.getvalue()

    return _inspected(file, draw, SHOWN_FORMATS)


def _inspected(
    file: IO[bytes], draw: "Callable[[Bitmap], T]", formats: tuple[str, ...] = FORMATS
) -> T:
    from PIL import Image, UnidentifiedImageError

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", Image.DecompressionBombWarning)
            with Image.open(file, formats=formats) as image:
                return draw(image)
    except (UnidentifiedImageError, Image.DecompressionBombError, Image.DecompressionBombWarning):
        raise _unreadable() from None
    except (OSError, ValueError, SyntaxError, EOFError, MemoryError):
        raise _unreadable() from None


def _is_photograph(image: "Bitmap") -> bool:
    """Some cameras store several images in one JPEG file (MPO)."""
    return image.format in ("JPEG", "MPO")


def _is_turned(image: "Bitmap") -> bool:
    """Only photographs are checked: other images would have to be decoded."""
    from PIL import ExifTags

    return (
        _is_photograph(image) and image.getexif().get(ExifTags.Base.Orientation, 1) >= FIRST_TURNED
    )


def _checked(image: "Bitmap", box: tuple[int, int], frames: int = 1) -> "Bitmap":
    """The image, prepared for decoding; raises BadImage if it is too large.

    A photograph is decoded at a reduced size, unless it is progressive: then all of it is held in
    memory.
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


def _drawn(image: "Bitmap", size: int) -> Picture:
    from PIL import ImageSequence

    if getattr(image, "n_frames", 1) == 1:
        return Picture(_png(_square(image, size)), "png")
    frames: list[Bitmap] = []
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


def _square(image: "Bitmap", size: int) -> "Bitmap":
    """Scales first, because photographs are large."""
    from PIL import Image

    edge = min(image.width, image.height)
    left, top = (image.width - edge) // 2, (image.height - edge) // 2
    box = (left, top, left + edge, top + edge)
    drawn = _plain(image).resize((size, size), Image.Resampling.LANCZOS, box=box)
    return drawn.convert("RGBA")


def _plain(image: "Bitmap") -> "Bitmap":
    """The image in a mode that can be resampled."""
    is_plain = image.mode in ("RGB", "RGBA", "L") and "transparency" not in image.info
    return image if is_plain else image.convert("RGBA")


def _png(image: "Bitmap") -> bytes:
    out = io.BytesIO()
    image.save(out, "PNG", optimize=True)
    return out.getvalue()


def _too_large() -> BadImage:
    return BadImage("Image size exceeds limit.", problem="image-too-large")


def _unreadable() -> BadImage:
    return BadImage(
        "Could not decode image; did you upload an image file?", problem="image-not-decoded"
    )
