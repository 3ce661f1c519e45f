"""Helpers for tests of uploaded files."""

from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from tests.support.client import Reply
from tests.support.people import Caller, Person
from tests.support.pictures import BOUNDARY

FORM = f"multipart/form-data; boundary={BOUNDARY}"


@dataclass(frozen=True)
class File:
    """An uploaded file."""

    url: str
    name: str

    @property
    def path_id(self) -> str:
        return self.url.removeprefix("/user_uploads/")

    @property
    def link(self) -> str:
        """The link to it in a message."""
        return f"[{self.name}]({self.url})"


def form(*files: tuple[str, bytes], kind: str | None = "text/plain") -> bytes:
    """A form with files; each is a name and bytes."""
    about = "" if kind is None else f"Content-Type: {kind}\r\n"
    parts = [
        f'--{BOUNDARY}\r\nContent-Disposition: form-data; name="f{number}"; filename="{name}"'
        f"\r\n{about}\r\n".encode()
        + data
        + b"\r\n"
        for number, (name, data) in enumerate(files)
    ]
    return b"".join(parts) + f"--{BOUNDARY}--\r\n".encode()


def sends_form(person: Caller, body: bytes, path: str = "/user_uploads") -> Reply:
    return person.raw("POST", f"/api/v1{path}", body, Content_Type=FORM)


def uploads(
    person: Caller, name: str = "notes.txt", data: bytes = b"low tide", kind: str = "text/plain"
) -> File:
    response = sends_form(person, form((name, data), kind=kind)).succeeds()
    return File(response["url"], response["filename"])


def fetches(person: Caller, file: File, query: str = "", **headers: str) -> Reply:
    """Request a file as clients do, outside of the API."""
    return person.with_headers(**headers).raw("GET", quote(file.url) + query)


def own(person: Person) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = person.get("/attachments").succeeds()["attachments"]
    return found
