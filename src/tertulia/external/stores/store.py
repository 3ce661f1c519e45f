"""What every store can do, and how it says that it cannot."""

from collections.abc import Iterator
from typing import IO, Protocol

from tertulia.errors import StartupError

CHUNK_BYTES = 1 << 20  # how much of a file is fetched at a time


class StoreTrouble(StartupError):
    """A store cannot be reached, or refuses; nothing is known of the file."""


class NotInStore(Exception):
    """The store answers that it has no such file."""


class Store(Protocol):
    largest_bytes: int | None  # of a file that it takes

    def put(self, name: str, contents: IO[bytes], size: int, digest: str) -> None:
        """Keep a file; it is there as a whole or not at all."""

    def read(self, name: str, start: int, most: int) -> bytes:
        """Some bytes of a file; none after its end. Raises NotInStore."""

    def delete(self, name: str) -> None:
        """That there is none is just as well."""

    def sizes(self) -> Iterator[tuple[str, int]]:
        """All that it holds, with the sizes; unfinished files too, by names of their own."""


def chunks(store: Store, name: str, size: int) -> Iterator[bytes]:
    """A whole file, a part at a time. Raises NotInStore, also if it is too short."""
    at = 0
    while at < size:
        chunk = store.read(name, at, min(CHUNK_BYTES, size - at))
        if not chunk:
            raise NotInStore(name)
        yield chunk
        at += len(chunk)
