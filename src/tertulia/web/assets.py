"""The page's own files: joined, compressed, named by what is in them, and served.

Modules become three files for each language, by the folder they are in: `app` (what the first
messages need), `living` (what follows at once) and `later` (what a click asks for); stylesheets
become one. A name holds the hash of the content, so that a browser never has to ask again.
Everything is made once in a process, when it is first needed. With `--dev`, modules and stylesheets
are served as they are, so that a change is a reload away.
"""

import asyncio
import base64
import gzip
import hashlib
import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from tertulia.web import bundler

STATIC = Path(__file__).parent / "static"
LANGUAGES = sorted(path.name for path in (STATIC / "words").iterdir())
ALL_STYLES = frozenset(path.stem for path in (STATIC / "css").glob("*.css"))
STYLES = ("tokens", "base", "layout", "messages", "code", "compose", "lists", "dialogs", "phone")

FOLDERS = ("app", "living", "later")

# Modules that are another file in every language: what a person reads.
TEXTS = {
    "app/texts.js": "app",
    "later/texts.js": "later",
    "later/settings_texts.js": "settings",
}

# The desktop app looks for the last name: it tells of direct messages by it.
PICTURES = {
    "/static/logo.svg": "logo.svg",
    "/static/icon.png": "icon.png",
    "/static/icon-512.png": "icon-512.png",
    "/static/images/favicon/favicon-pms.png": "favicon-pms.png",
}

_IMMUTABLE = "public, max-age=31536000, immutable"
_FOR_AN_HOUR = "public, max-age=3600"
_TYPES = {
    ".js": "text/javascript; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".svg": "image/svg+xml",
    ".png": "image/png",
}


@dataclass(frozen=True, slots=True)
class Asset:
    """A file as it is sent: compressed, which is also how it is kept."""

    name: str
    kind: str
    compressed: bytes

    @property
    def address(self) -> str:
        return f"/static/page/{self.name}"

    def reply(self, request: Request, caching: str) -> Response:
        headers = {"Cache-Control": caching, "Vary": "Accept-Encoding"}
        if "gzip" in request.headers.get("accept-encoding", ""):
            headers["Content-Encoding"] = "gzip"
            return Response(self.compressed, headers=headers, media_type=self.kind)
        return Response(gzip.decompress(self.compressed), headers=headers, media_type=self.kind)


@dataclass(frozen=True, slots=True)
class Addresses:
    """Where the page finds its files."""

    early: str
    script: str
    living: str
    later: str
    styles: list[str]

    @property
    def all(self) -> list[str]:
        return [self.early, self.script, self.living, self.later, *self.styles]


class Assets:
    def __init__(self, *, as_they_are: bool = False) -> None:
        self._as_they_are = as_they_are
        self._by_name: dict[str, Asset] = {}
        self._preparing: asyncio.Task[None] | None = None

    def routes(self) -> list[Route]:
        return [
            Route("/static/page/{name}", self._serve),
            Route("/static/css/{name}.css", self._serve_style),
            *(Route(path, _picture) for path in PICTURES),
            Route("/static/dev/{language}/{path:path}", self._serve_as_it_is),
        ]

    async def prepare(self) -> None:
        """Make everything, once and on a thread: it takes a moment, and others are served."""
        if self._preparing is None:
            self._preparing = asyncio.create_task(asyncio.to_thread(self._find_all))
        await asyncio.shield(self._preparing)

    def _find_all(self) -> None:
        self._by_name = {made.name: made for made in make_all()}

    def addresses(self, language: str) -> Addresses:
        """Of the files in a language, or in English."""
        language = language if language in LANGUAGES else "en"
        if self._as_they_are:
            folder = f"/static/dev/{language}"
            styles = [f"{folder}/css/{name}.css" for name in STYLES]
            names = ("early.js", "app/main.js", "living.js", "later.js")
            early, app, living, later = (f"{folder}/{name}" for name in names)
        else:
            styles, early = [_style(STYLES).address], _early().address
            app, living, later = (_script(name, language).address for name in FOLDERS)
        return Addresses(early, app, living, later, styles)

    async def _serve(self, request: Request) -> Response:
        name = request.path_params["name"]
        if (
            name not in self._by_name
        ):  # asked for before the page was: by a browser that remembers it
            await self.prepare()
        made = self._by_name.get(name)
        if made is None:
            return Response("Not found", status_code=404, media_type="text/plain")
        return made.reply(request, _IMMUTABLE)

    async def _serve_style(self, request: Request) -> Response:
        """A stylesheet by itself, for the pages that need no more."""
        name = request.path_params["name"]
        if name not in ALL_STYLES:
            return Response("Not found", status_code=404, media_type="text/plain")
        return _style((name,)).reply(request, _FOR_AN_HOUR)

    async def _serve_as_it_is(self, request: Request) -> Response:
        path, language = request.path_params["path"], request.path_params["language"]
        file = (STATIC / path).resolve()
        if not self._as_they_are or language not in LANGUAGES:
            return Response("Not found", status_code=404, media_type="text/plain")
        if path in ("living.js", "later.js"):
            text = "".join(f'export * from "./{each}";\n' for each in modules(path[:-3]))
        elif path in TEXTS:
            text = _reader(language)(path)
        elif file.is_relative_to(STATIC) and file.is_file():
            text = file.read_text(encoding="utf-8")
        else:
            return Response("Not found", status_code=404, media_type="text/plain")
        headers = {"Cache-Control": "no-store"}
        return Response(text, headers=headers, media_type=_TYPES[Path(path).suffix])


async def _picture(request: Request) -> Response:
    file = STATIC / "images" / PICTURES[request.url.path]
    headers = {"Cache-Control": "public, max-age=86400"}
    return Response(file.read_bytes(), headers=headers, media_type=_TYPES[file.suffix])


def make_all() -> list[Asset]:
    scripts = [_script(folder, language) for language in LANGUAGES for folder in FOLDERS]
    assert worker()
    return [_early(), _style(STYLES), *scripts]


@cache
def worker() -> str:
    """The service worker's text, without comments."""
    return bundler.squeezed(_read("sw.js"))


@cache
def _script(folder: str, language: str) -> Asset:
    """The modules of a folder, which import from the folders before it."""
    before = FOLDERS[: FOLDERS.index(folder)]
    addresses = {each: _script(each, language).address for each in before}
    joined = bundler.join(_reader(language), modules(folder), elsewhere=addresses)
    return _made(f"{folder}-{language}", ".js", joined.text)


@cache
def _early() -> Asset:
    return _made("early", ".js", bundler.squeezed(_read("early.js")))


@cache
def _style(names: tuple[str, ...]) -> Asset:
    text = "\n".join(_read(f"css/{name}.css") for name in names)
    return _made("style", ".css", squeezed_style(text))


def _made(stem: str, suffix: str, text: str) -> Asset:
    digest = hashlib.sha256(text.encode()).digest()
    name = f"{stem}-{base64.b32encode(digest)[:10].decode().lower()}{suffix}"
    return Asset(name, _TYPES[suffix], gzip.compress(text.encode(), 9, mtime=0))


def modules(folder: str) -> list[str]:
    """In `app` one of them needs all the others."""
    if folder == "app":
        return ["app/main.js"]
    return sorted(f"{folder}/{path.name}" for path in (STATIC / folder).glob("*.js"))


def squeezed_style(text: str) -> str:
    """A stylesheet without comments and without the room between rules."""
    text = re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL)
    text = re.sub(r"\s+", " ", text)
    return re.sub(r"\s*([{};,])\s*", r"\1", text).replace(";}", "}").strip()


def _reader(language: str) -> bundler.Read:
    """Modules by their path; some are what the language says."""

    def read(path: str) -> str:
        return _read(f"words/{language}/{TEXTS[path]}.js" if path in TEXTS else path)

    return read


def _read(path: str) -> str:
    return (STATIC / path).read_text(encoding="utf-8")
