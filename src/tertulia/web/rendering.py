"""Pages from templates. All values are escaped.

The template engine is loaded with the first page: a server that only bots use does not need it.
"""

import asyncio
import hashlib
from functools import cache
from pathlib import Path
from typing import Any

from starlette.responses import Response

from tertulia.documents import template_engine
from tertulia.http import compression
from tertulia.http.request import ApiRequest
from tertulia.web import page_texts, security_headers

TEMPLATES = Path(__file__).parent / "templates"
FOLDERS = (TEMPLATES, template_engine.TEMPLATES)


async def page(
    request: ApiRequest,
    template: str,
    *,
    status: int = 200,
    headers: dict[str, str] | None = None,
    **values: Any,
) -> Response:
    """A page without scripts, in the caller's language. Browsers and proxies must not cache it."""
    t = page_texts.of(request)
    await load()
    body = text(template, language=t.language, t=t, **values)
    own = {"Cache-Control": "no-store", **security_headers.of_page(), **(headers or {})}
    return await answer(request, body.encode(), "text/html; charset=utf-8", status, own)


async def answer(
    request: ApiRequest,
    body: bytes,
    media_type: str,
    status: int = 200,
    headers: dict[str, str] | None = None,
) -> Response:
    """A response, compressed if the client accepts it."""
    own = {"Vary": "Accept-Encoding, Accept-Language", **request.reply_headers, **(headers or {})}
    if compression.is_accepted(request.header("accept-encoding"), len(body)):
        body = await compression.compressed(request.person, body)
        own["Content-Encoding"] = "gzip"
    return Response(body, status, own, media_type=media_type)


def text(template: str, **values: Any) -> str:
    rendered: str = _engine().get_template(template).render(**values)
    return rendered


@cache
def fingerprint() -> str:
    """Changes with the templates: part of the ETag of pages that are made from them."""
    files = sorted(path for folder in FOLDERS for path in folder.rglob("*") if path.is_file())
    texts = (path.read_bytes() for path in files)
    return hashlib.sha256(b"\0".join(texts)).hexdigest()[:12]


async def load() -> None:
    """Load the engine and all templates, in a thread because it takes a moment."""
    if _engine.cache_info().currsize == 0:
        await asyncio.to_thread(_load_all)


def _load_all() -> None:
    fingerprint()
    templates = _engine()
    for name in templates.list_templates():
        templates.get_template(name)


@cache
def _engine() -> Any:
    return template_engine.environment(FOLDERS)
