"""Finds and reads the files of DiscordChatExporter. An aborted run leaves one that is cut."""

import json
import re
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import msgspec

from tertulia.transfer.importing import archive_reader

HEAD_BYTES = 4096
ROOT_KEYS = (b'"guild"', b'"channel"', b'"dateRange"')

_MESSAGES = re.compile(r'"messages"\s*:\s*\[')
_SEPARATOR = re.compile(r"[\s,]*")

Row = dict[str, Any]


def exports_in(folder: Path) -> list[Path]:
    return [file for file in sorted(folder.rglob("*.json")) if _is_export(file)]


def decoded(file: Path) -> tuple[Row, list[Row], bool]:
    """The root and the messages of a file, and whether it is whole."""
    data = file.read_bytes()
    try:
        root: Row = msgspec.json.decode(data)
    except msgspec.DecodeError:
        return _salvaged(data.decode(errors="replace"))
    return root, root["messages"], True


def media_path(folder: Path, url: Any, file: Path) -> str | None:
    """The path of a media file in the folder; None if it is not there."""
    if not isinstance(url, str) or not url or url.startswith(("http://", "https://")):
        return None
    plain = url.replace("\\", "/")
    beside = file.parent.relative_to(folder).as_posix()
    last = "/".join(plain.split("/")[-2:])  # of an absolute path on another machine
    for name in (plain, unquote(plain), last):
        path = f"{beside}/{name}"
        if archive_reader.find(folder, path) is not None:
            return path
    return None


def _is_export(file: Path) -> bool:
    with file.open("rb") as opened:
        head = opened.read(HEAD_BYTES)
    return all(key in head for key in ROOT_KEYS)


def _salvaged(text: str) -> tuple[Row, list[Row], bool]:
    """The whole messages of a file that is cut off. Raises ValueError if it has no head."""
    start = _MESSAGES.search(text)
    if start is None:
        raise ValueError
    root: Row = json.loads(f"{text[: start.end()]}]}}")
    rows: list[Row] = []
    position, decode = start.end(), json.JSONDecoder().raw_decode
    while True:
        separator = _SEPARATOR.match(text, position)
        assert separator is not None
        try:
            row, position = decode(text, separator.end())
        except ValueError:
            return root, rows, False
        rows.append(row)
