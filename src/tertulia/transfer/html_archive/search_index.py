"""The search index of an archive: for each word, the pages that contain it.

A browser that opens a file may not fetch others, but may load scripts. So the index is scripts: one
per first two letters of a word, and one per thousand pages with their titles. While it is built,
words are appended to one text file per script, and a long file is divided before it is read, so
that memory does not grow with the archive.
"""

import json
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import TextIO

from tertulia import domain

PAGES_PER_FILE = 1_000
MAX_BUFFERED = 50_000  # pairs of a word and a page, 5 MB
MAX_PART_BYTES = 1 << 20  # of a text file that is read at once


class SearchIndex:
    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._scratch = folder / "words"
        self._scratch.mkdir(parents=True)
        self._buffered: dict[str, list[str]] = {}
        self._size = 0
        self._pages: list[tuple[str, str]] = []
        self._count = 0

    def add(self, path: str, title: str, texts: list[str]) -> None:
        """Add a page by its path in the archive."""
        words: set[str] = set()
        for text in [title, *texts]:
            words |= domain.search.words.words_in(domain.search.words.fold(text))
        for word in words:
            self._buffered.setdefault(shard_of(word), []).append(f"{word} {self._count}\n")
        self._size += len(words)
        if self._size > MAX_BUFFERED:
            self._flush()
        self._pages.append((path, title))
        self._count += 1
        if len(self._pages) == PAGES_PER_FILE:
            self._write_pages()

    def finish(self) -> None:
        self._flush()
        if self._pages:
            self._write_pages()
        for name in sorted(path.name for path in self._scratch.iterdir()):
            with (self._folder / f"{name}.js").open("w", encoding="utf-8") as script:
                self._write_shard(name, script)
        self._scratch.rmdir()

    def _write_shard(self, name: str, script: TextIO) -> None:
        script.write(f"archiveSearch.words[{json.dumps(name)}]={{")
        separator = ""
        for part in _divided(self._scratch / name):
            found: dict[str, list[int]] = {}
            with part.open(encoding="utf-8") as lines:
                for line in lines:
                    word, _, page = line.rpartition(" ")
                    found.setdefault(word, []).append(int(page))
            part.unlink()
            for word, pages in found.items():
                script.write(f"{separator}{_json(word)}:{_json(pages)}")
                separator = ","
        script.write("};\n")

    def _flush(self) -> None:
        for shard, lines in self._buffered.items():
            with (self._scratch / shard).open("a", encoding="utf-8") as scratch:
                scratch.writelines(lines)
        self._buffered.clear()
        self._size = 0

    def _write_pages(self) -> None:
        number = (self._count - 1) // PAGES_PER_FILE
        self._write(f"pages-{number}.js", "pages", str(number), self._pages)
        self._pages = []

    def _write(self, name: str, kind: str, key: str, value: object) -> None:
        script = f"archiveSearch.{kind}[{json.dumps(key)}]={_json(value)};\n"
        (self._folder / name).write_text(script, encoding="utf-8")


def shard_of(word: str) -> str:
    """The name of the file of a word: the code points of its first two letters."""
    return "-".join(f"{ord(letter):x}" for letter in word[:2])


def _divided(scratch: Path) -> Iterator[Path]:
    """A text file as files of about MAX_PART_BYTES; all lines of a word are in the same one."""
    count = -(-scratch.stat().st_size // MAX_PART_BYTES)
    if count <= 1:
        yield scratch
        return
    paths = [scratch.with_name(f"{scratch.name}.{number}") for number in range(count)]
    parts = [path.open("w", encoding="utf-8") for path in paths]
    with scratch.open(encoding="utf-8") as lines:
        for line in lines:
            parts[zlib.crc32(line.rpartition(" ")[0].encode()) % count].write(line)
    for part in parts:
        part.close()
    scratch.unlink()
    yield from paths


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
