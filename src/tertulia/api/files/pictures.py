"""Images in requests, and the queue for decoding and scaling them.

Scaling takes much time and memory. Two images are processed at once, of different people, so that a
small image does not wait for another person's large one.
"""

from collections.abc import Callable
from functools import partial
from typing import TypeVar

from tertulia import domain
from tertulia.errors.messages import BadImage, FileTooLarge
from tertulia.fair_queue import FairQueue, Person
from tertulia.http.forms import UploadedFile, media_type

# What waits to be drawn is in memory. A reader has up to 8 pictures of other sites looked at.
MAX_WAITING_PICTURES = 16

PICTURES = FairQueue("pictures", slots=2, slots_per_person=1, max_waiting=MAX_WAITING_PICTURES)

D = TypeVar("D")
T = TypeVar("T")


async def process(person: Person, draw: Callable[[D], T], data: D) -> T:
    """Raises RateLimited if this person has too many images waiting."""
    return await PICTURES.run(person, partial(draw, data))


def picture_in(file: UploadedFile, max_bytes: int) -> bytes:
    if len(file.data) > max_bytes:
        raise FileTooLarge(limit=max_bytes >> 20)
    if media_type(file.content_type) not in domain.files.images.CONTENT_TYPES:
        raise BadImage("Invalid image format", problem="invalid-image-format")
    return file.data
