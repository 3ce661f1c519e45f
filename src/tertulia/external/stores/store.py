"""The interface of a file store, and its exceptions."""

from collections.abc import Iterator
from typing import IO, Protocol

from tertulia.errors import StartupError

CHUNK_BYTES = 1 << 20  # bytes per read


class StoreUnavailable(StartupError):
    """The store cannot be reached or refuses; the file may or may not exist."""


class NotInStore(Exception):
    """The store has no such file."""


class Store(Protocol):
    max_file_bytes: int | None  # maximum size of a file

    def put(self, name: str, contents: IO[bytes], size: int, digest: str) -> None:
        """Store a file, completely or not at all."""

    def read(self, name: str, start: int, max_bytes: int) -> bytes:
        """Some bytes of a file; none after its end. Raises NotInStore."""

    def delete(self, name: str) -> None:
        """Succeeds if there is no such file."""

    def sizes(self) -> Iterator[tuple[str, int]]:
        """The names and sizes of all files, including unfinished ones."""


def chunks(store: Store, name: str, size: int) -> Iterator[bytes]:
    """A whole file in parts. Raises NotInStore, also if it is too short."""
    at = 0
    while at < size:
        chunk = store.read(name, at, min(CHUNK_BYTES, size - at))
        if not chunk:
            raise NotInStore(name)
        yield chunk
        at += len(chunk)
