"""The search index of an archive: for each word, the pages that contain it.

A browser that opens a file may not fetch others, but may load scripts. So the index is scripts: one
per first two letters of a word, and one per thousand pages with their titles. While it is built,
words are appended to one text file per script, so that memory does not grow with the archive.
"""

import json
from pathlib import Path

from tertulia import domain

PAGES_PER_FILE = 1_000
MAX_BUFFERED = 200_000  # pairs of a word and a page


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
        for scratch in sorted(self._scratch.iterdir()):
            found: dict[str, list[int]] = {}
            for line in scratch.read_text(encoding="utf-8").splitlines():
                word, _, page = line.rpartition(" ")
                found.setdefault(word, []).append(int(page))
            self._write(f"{scratch.name}.js", "words", scratch.name, found)
            scratch.unlink()
        self._scratch.rmdir()

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
        text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
        script = f"archiveSearch.{kind}[{json.dumps(key)}]={text};\n"
        (self._folder / name).write_text(script, encoding="utf-8")


def shard_of(word: str) -> str:
    """The name of the file of a word: the code points of its first two letters."""
    return "-".join(f"{ord(letter):x}" for letter in word[:2])
