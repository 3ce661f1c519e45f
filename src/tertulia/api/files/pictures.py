"""Pictures that come with a request, as far as they can be judged without looking at them."""

from tertulia import domain
from tertulia.errors.messages import BadImage, FileTooLarge
from tertulia.http.forms import UploadedFile, media_type


def picture_in(file: UploadedFile, most_bytes: int) -> bytes:
    if len(file.data) > most_bytes:
        raise FileTooLarge(limit=most_bytes >> 20)
    if media_type(file.content_type) not in domain.files.images.CONTENT_TYPES:
        raise BadImage(reason="Invalid image format")
    return file.data
