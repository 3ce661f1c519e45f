"""Pictures to upload, and their upload form."""

import io
from typing import TYPE_CHECKING, Any

from PIL import Image
from tests.support.client import Reply

if TYPE_CHECKING:
    from tests.support.people import Caller

BOUNDARY = "a-line-that-is-in-no-picture"


def picture(kind: str = "PNG", size: tuple[int, int] = (100, 80), color: str = "red") -> bytes:
    out = io.BytesIO()
    Image.new("RGB", size, color).save(out, kind)
    return out.getvalue()


def huge(width: int, height: int) -> bytes:
    """Black and white, which is fast to create."""
    out = io.BytesIO()
    Image.new("1", (width, height)).save(out, "PNG")
    return out.getvalue()


def animation(frames: int = 3) -> bytes:
    images = [Image.new("RGB", (20, 20), (n, 80 * n % 256, 0)) for n in range(frames)]
    out = io.BytesIO()
    images[0].save(out, "GIF", save_all=True, append_images=images[1:], duration=50)
    return out.getvalue()


def frames_of(image: Any) -> int:
    count: int = getattr(image, "n_frames", 1)
    return count


def uploads(person: "Caller", name: str, *files: bytes, kind: str | None = "image/png") -> Reply:
    """Add a custom emoji."""
    return uploads_to(person, f"/realm/emoji/{name}", *files, kind=kind)


def uploads_to(
    person: "Caller",
    path: str,
    *files: bytes,
    kind: str | None = "image/png",
    method: str = "POST",
) -> Reply:
    text = "" if kind is None else f"Content-Type: {kind}\r\n"
    parts = [
        f'--{BOUNDARY}\r\nContent-Disposition: form-data; name="f{n}"; filename="f{n}"\r\n'
        f"{text}\r\n".encode()
        + data
        + b"\r\n"
        for n, data in enumerate(files)
    ]
    body = b"".join(parts) + f"--{BOUNDARY}--\r\n".encode()
    return person.raw(
        method,
        f"/api/v1{path}",
        body,
        Content_Type=f"multipart/form-data; boundary={BOUNDARY}",
    )
