"""Small files that decode to large pictures: refused by their headers, decoded one at a time."""

import asyncio
import io
import struct
import threading

import pytest
from PIL import Image
from tests.support.event_queue import in_background
from tests.support.pictures import picture, uploads_to
from tests.support.waiting import TIMEOUT_SECONDS, eventually

from tertulia import api, domain
from tertulia.errors.messages import BadImage

MINE = "/users/me/avatar"
DRAWINGS = {
    "avatar": domain.files.images.avatar,
    "emoji": domain.files.images.emoji_picture,
    "icon": domain.files.images.icon,
    "logo": domain.files.images.logo,
    "thumbnail": lambda data: domain.files.images.thumbnail(io.BytesIO(data)),
}


def webp_with_size(width: int, height: int) -> bytes:
    """A few bytes whose header declares a large size."""
    out = io.BytesIO()
    Image.new("RGB", (16, 16)).save(out, "WEBP", lossless=True)
    chunk = bytearray(out.getvalue()[12:])
    (size,) = struct.unpack_from("<I", chunk, 9)
    struct.pack_into("<I", chunk, 9, size & ~0xFFFFFFF | width - 1 | height - 1 << 14)
    return b"RIFF" + struct.pack("<I", 4 + len(chunk)) + b"WEBP" + bytes(chunk)


def progressive_jpeg(size: tuple[int, int]) -> bytes:
    out = io.BytesIO()
    Image.new("RGB", size).save(out, "JPEG", progressive=True)
    return out.getvalue()


@pytest.mark.parametrize("draw", DRAWINGS.values(), ids=DRAWINGS)
@pytest.mark.parametrize("size", [(2001, 2000), (16_000, 5000), (16_383, 16_383)])
def test_a_too_large_picture_is_refused_before_it_is_decoded(draw, size, monkeypatch):
    bomb = webp_with_size(*size)
    monkeypatch.setattr(Image.Image, "load", lambda image: pytest.fail("it was decoded"))

    with pytest.raises(BadImage):
        draw(bomb)


@pytest.mark.parametrize("draw", DRAWINGS.values(), ids=DRAWINGS)
def test_a_photo_is_measured_by_its_decoded_size(draw, monkeypatch):
    monkeypatch.setattr(domain.files.images, "MAX_PIXELS", 2_000_000)

    assert draw(picture("JPEG", (2400, 1800)))
    with pytest.raises(BadImage):  # this format is held in memory until the last pass
        draw(progressive_jpeg((2400, 1800)))


class Slow:
    """Work that runs until a test ends it, and counts how much ran at once."""

    def __init__(self) -> None:
        self.at_once = self.most_at_once = 0
        self.may_end = threading.Event()

    def __call__(self, data: bytes) -> domain.files.picture.Avatar:
        self.at_once += 1
        self.most_at_once = max(self.most_at_once, self.at_once)
        self.may_end.wait(TIMEOUT_SECONDS)
        self.at_once -= 1
        return domain.files.picture.Avatar(data, data)


@pytest.mark.parametrize("people, expected", [(1, 1), (3, 2)])
def test_two_pictures_are_decoded_at_once_and_one_of_each_person(people, expected):
    slow = Slow()

    async def scene() -> None:
        drawings = [
            asyncio.create_task(api.files.pictures.process(n % people, slow, b""))
            for n in range(15)
        ]
        await asyncio.to_thread(eventually, lambda: slow.at_once == expected)
        slow.may_end.set()
        await asyncio.gather(*drawings)

    asyncio.run(scene())

    assert slow.most_at_once == expected


def test_many_uploads_of_one_user_wait_without_delaying_others(chat, monkeypatch):
    slow = Slow()
    monkeypatch.setattr(domain.files.images, "avatar", slow)
    ana, ben = chat.people("ana", "ben")
    cleo = chat.person("cleo", password="open sesame")
    most = api.files.pictures.MAX_WAITING_PICTURES
    waiting = [in_background(lambda: uploads_to(ana, MINE, picture())) for _ in range(most + 1)]
    eventually(lambda: api.files.pictures.PICTURES.waiting == most)

    refused = uploads_to(ana, MINE, picture())
    his = in_background(lambda: uploads_to(ben, MINE, picture()))
    logged_in = chat.stranger.post(
        "/fetch_api_key", username=cleo.email, password="open sesame"
    ).succeeds()

    assert (refused.status, refused.json["code"]) == (429, "RATE_LIMIT_HIT")
    assert logged_in["user_id"] == cleo.id
    slow.may_end.set()
    for each in (*waiting, his):
        each.result(TIMEOUT_SECONDS).succeeds()
    assert (api.files.pictures.PICTURES.waiting, slow.at_once) == (0, 0)
