"""The page's scripts, styles and images: bundled, compressed, named by their hash, and served.

`static/chunks.toml` says which modules load first (`initial`), second (`interactive`) and on
demand (`dialogs`, `emoji`). Each chunk is one file per language; the stylesheets are one file, but
for those that load with a chunk. The hash in
a name lets browsers cache a file for ever. A process builds all files once, when the first of them
is needed. A released package also has them compressed with brotli (`scripts/compress_page.py`).
With `--dev`, modules and stylesheets are served as they are: a reload shows a change.
"""

import asyncio
import base64
import gzip
import hashlib
import re
import tomllib
from functools import cache
from pathlib import Path

import msgspec
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from tertulia import locale
from tertulia.web import bundler, chunk_texts

STATIC = Path(__file__).parent / "static"
BROTLI = STATIC / "brotli"  # only in released packages
TEXTS = "texts/"  # texts/CHUNK.js adds the texts of a chunk
ALL_STYLES = frozenset(path.stem for path in (STATIC / "css").glob("*.css"))
STYLES = (
    "tokens",
    "base",
    "layout",
    "messages",
    "code",
    "compose",
    "lists",
    "switcher",
    "dialogs",
    "phone",
)

# The desktop app recognizes unread direct messages by the path of the favicon. Clients draw the
# special emoji from the last path.
IMAGES = {
    "/static/logo.svg": "logo.svg",
    "/static/icon.png": "icon.png",
    "/static/icon-192.png": "icon-192.png",
    "/static/icon-512.png": "icon-512.png",
    "/static/icon-mono.png": "icon-mono.png",
    "/static/screenshot-wide.png": "screenshot-wide.png",
    "/static/screenshot-narrow.png": "screenshot-narrow.png",
    "/static/images/favicon/favicon-pms.png": "favicon-pms.png",
    "/static/generated/emoji/images/emoji/unicode/zulip.png": "icon.png",
}

_IMMUTABLE = "public, max-age=31536000, immutable"
_ONE_HOUR = "public, max-age=3600"
_TYPES = {
    ".js": "text/javascript; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".svg": "image/svg+xml",
    ".png": "image/png",
}


class Chunks(msgspec.Struct, frozen=True):
    """The table of `static/chunks.toml`."""

    modules: dict[str, list[str]]  # of each chunk, in the order in which chunks load
    styles: dict[str, str]  # stylesheets that load with a chunk

    @property
    def names(self) -> list[str]:
        return list(self.modules)


def load_chunks() -> Chunks:
    table = tomllib.loads(_read("chunks.toml"))
    styles = table.pop("styles")
    return Chunks(table, styles)


class Asset(msgspec.Struct, frozen=True):
    """A built file, kept compressed."""

    name: str
    content_type: str
    compressed: bytes
    brotli: bytes | None = None

    @property
    def path(self) -> str:
        return f"/static/page/{self.name}"

    def reply(self, request: Request, caching: str) -> Response:
        headers = {"Cache-Control": caching, "Vary": "Accept-Encoding"}
        accepted = request.headers.get("accept-encoding", "")
        if self.brotli is not None and "br" in accepted.replace(" ", "").split(","):
            headers["Content-Encoding"] = "br"
            return Response(self.brotli, headers=headers, media_type=self.content_type)
        if "gzip" in accepted:
            headers["Content-Encoding"] = "gzip"
            return Response(self.compressed, headers=headers, media_type=self.content_type)
        text = gzip.decompress(self.compressed)
        return Response(text, headers=headers, media_type=self.content_type)


class PageFiles(msgspec.Struct, frozen=True):
    """Paths of the files that the page loads."""

    preload: str
    initial: str
    lazy: dict[str, str]  # chunks that load later, by name
    lazy_styles: dict[str, str]  # stylesheets that load with a chunk, by its name
    styles: list[str]

    @property
    def all(self) -> list[str]:
        later = [*self.lazy.values(), *self.lazy_styles.values()]
        return [self.preload, self.initial, *later, *self.styles]


class Assets:
    def __init__(self, *, unbundled: bool = False) -> None:
        self._unbundled = unbundled
        self._by_name: dict[str, Asset] = {}
        self._preparing: dict[str, asyncio.Task[None]] = {}  # by language

    def routes(self) -> list[Route]:
        return [
            Route("/static/page/{name}", self._serve),
            Route("/static/css/{name}.css", self._serve_style),
            *(Route(path, _serve_image) for path in IMAGES),
            Route("/static/dev/{language}/{path:path}", self._serve_unbundled),
        ]

    async def prepare(self, language: str) -> None:
        """Build the files of a language, once and in a thread, while the server answers others."""
        if language not in self._preparing:
            task = asyncio.to_thread(self._build, language)
            self._preparing[language] = asyncio.create_task(task)
        await asyncio.shield(self._preparing[language])

    def _build(self, language: str) -> None:
        self._by_name |= {asset.name: asset for asset in build(language)}

    def page_files(self, language: str) -> PageFiles:
        """The files of a language that has a translation."""
        if self._unbundled:
            base = f"/static/dev/{language}"
            styles = [f"{base}/css/{name}.css" for name in STYLES]
            preload, initial = f"{base}/preload.js", f"{base}/main.js"
            lazy = {chunk: f"{base}/{chunk}.js" for chunk in _chunks().names[1:]}
            lazy_styles = {
                chunk: f"{base}/css/{name}.css" for chunk, name in _chunks().styles.items()
            }
        else:
            styles, preload = [_style(STYLES).path], _preload().path
            initial, *others = (_script(chunk, language).path for chunk in _chunks().names)
            lazy = dict(zip(_chunks().names[1:], others, strict=True))
            lazy_styles = {
                chunk: _style((name,), name).path for chunk, name in _chunks().styles.items()
            }
        return PageFiles(preload, initial, lazy, lazy_styles, styles)

    async def _serve(self, request: Request) -> Response:
        name = request.path_params["name"]
        if name not in self._by_name:  # a browser may request a file before the page
            language = name.rpartition("-")[0].rpartition("-")[2]
            await self.prepare(language if language in locale.LANGUAGES else "en")
        asset = self._by_name.get(name)
        if asset is None:
            return _not_found()
        return asset.reply(request, _IMMUTABLE)

    async def _serve_style(self, request: Request) -> Response:
        """Serve one stylesheet, for pages that do not load all of them."""
        name = request.path_params["name"]
        if name not in ALL_STYLES:
            return _not_found()
        return _style((name,)).reply(request, _ONE_HOUR)

    async def _serve_unbundled(self, request: Request) -> Response:
        path, language = request.path_params["path"], request.path_params["language"]
        file = (STATIC / path).resolve()
        if not self._unbundled or language not in locale.LANGUAGES or file.suffix not in _TYPES:
            return _not_found()
        chunk = path.removesuffix(".js")
        if chunk in _chunks().modules:
            modules = _chunks().modules[chunk]
            text = "".join(f'export * from "./{module}";\n' for module in modules)
        elif path == chunk_texts.INITIAL:
            text = _current_texts(language)
        elif file.is_relative_to(STATIC) and file.is_file():
            text = file.read_text(encoding="utf-8")
        else:
            return _not_found()
        headers = {"Cache-Control": "no-store"}
        return Response(text, headers=headers, media_type=_TYPES[file.suffix])


async def _serve_image(request: Request) -> Response:
    file = STATIC / "images" / IMAGES[request.url.path]
    headers = {"Cache-Control": "public, max-age=86400"}
    return Response(file.read_bytes(), headers=headers, media_type=_TYPES[file.suffix])


def _not_found() -> Response:
    return Response("Not found", status_code=404, media_type="text/plain")


def build(language: str) -> list[Asset]:
    scripts = [_script(chunk, language) for chunk in _chunks().names]
    assert service_worker()
    lazy_styles = [_style((name,), name) for name in _chunks().styles.values()]
    return [_preload(), _style(STYLES), *lazy_styles, *scripts]


@cache
def service_worker() -> str:
    return bundler.minify(_read("sw.js"))


@cache
def _chunks() -> Chunks:
    return load_chunks()


@cache
def _script(chunk: str, language: str) -> Asset:
    """Bundle a chunk; it imports the modules of earlier chunks from their files."""
    names = _chunks().names
    external = {
        module: _script(earlier, language).path
        for earlier in names[: names.index(chunk)]
        for module in _chunks().modules[earlier]
    }
    modules = _chunks().modules[chunk]
    if chunk != names[0]:
        modules = [f"{TEXTS}{chunk}.js", *modules]
    bundle = bundler.bundle(module_reader(language), modules, external=external)
    if others := set(bundle.modules) - set(modules):
        raise bundler.BundleError(f"chunk {chunk} imports from a later one: {sorted(others)}")
    return _asset(f"{chunk}-{language}", ".js", bundle.text)


@cache
def _preload() -> Asset:
    return _asset("preload", ".js", bundler.minify(_read("preload.js")))


@cache
def _style(names: tuple[str, ...], stem: str = "style") -> Asset:
    text = "\n".join(_read(f"css/{name}.css") for name in names)
    return _asset(stem, ".css", minify_css(text))


def _asset(stem: str, suffix: str, text: str) -> Asset:
    digest = hashlib.sha256(text.encode()).digest()
    name = f"{stem}-{base64.b32encode(digest)[:10].decode().lower()}{suffix}"
    file = BROTLI / f"{name}.br"
    brotli = file.read_bytes() if file.exists() else None
    return Asset(name, _TYPES[suffix], gzip.compress(text.encode(), 9, mtime=0), brotli)


def minify_css(text: str) -> str:
    text = re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL)
    text = re.sub(r"\s+", " ", text)
    return re.sub(r"\s*([{};,])\s*", r"\1", text).replace(";}", "}").strip()


def module_reader(language: str) -> bundler.Read:
    """Returns a function that reads modules, with the texts of a language."""

    def read(path: str) -> str:
        catalogue = locale.catalogue(language)
        if path == chunk_texts.INITIAL:
            keys = _keys_by_chunk()[_chunks().names[0]]
            return chunk_texts.initial_module(catalogue, language, keys)
        if path.startswith(TEXTS):
            chunk = path.removeprefix(TEXTS).removesuffix(".js")
            return chunk_texts.later_module(catalogue, _keys_by_chunk()[chunk])
        return _read(path)

    return read


@cache
def _keys_by_chunk() -> dict[str, list[str]]:
    return chunk_texts.keys_by_chunk(
        _chunks().modules, lambda path: "" if path == chunk_texts.INITIAL else _read(path)
    )


def _current_texts(language: str) -> str:
    """All texts as they are in the catalogue now."""
    catalogue = locale.current_catalogue(language)
    return chunk_texts.initial_module(catalogue, language, catalogue.texts)


def _read(path: str) -> str:
    return (STATIC / path).read_text(encoding="utf-8")
