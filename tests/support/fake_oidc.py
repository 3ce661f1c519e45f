"""Login providers: a real OpenID provider, and one that answers as a test says."""

import importlib
import json
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import cache
from http.client import HTTPConnection
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit

import pytest
from joserfc import jws
from joserfc.jwk import RSAKey


@cache
def key_of(owner: str) -> RSAKey:
    """Created on first use, which takes a while; all have the same name."""
    return RSAKey.generate_key(2048, {"kid": "one"})


@dataclass
class OpenIdSite:
    """A real provider that accepts any user."""

    address: str

    def knows(self, subject: str, **claims: Any) -> None:
        """The claims of a user."""
        self._send("PUT", f"/users/{subject}", json.dumps(claims), "application/json")

    def lets_in(self, address: str, subject: str) -> str:
        """A user agrees on its page; returns where the browser is redirected."""
        parts = urlsplit(address)
        sent = self._send(
            "POST",
            f"{parts.path}?{parts.query}",
            urlencode({"sub": subject}),
            "application/x-www-form-urlencoded",
        )
        where: str = sent.headers["Location"]
        return where

    def _send(self, method: str, target: str, body: str, kind: str) -> Any:
        connection = HTTPConnection(urlsplit(self.address).netloc)
        connection.request(method, target, body, {"Content-Type": kind})
        response = connection.getresponse()
        response.read()
        connection.close()
        assert response.status < 400, response.status
        return response


@contextmanager
def openid_site() -> Iterator[OpenIdSite]:
    mock = importlib.import_module("oidc_provider_mock")  # slow to load, and needed by few
    grants = importlib.import_module("authlib.oidc.core.grants.code")
    import_key = grants.import_any_key
    import_once = cache(lambda key: import_key(json.loads(key)))
    with pytest.MonkeyPatch.context() as patch:
        # The mock would check its key for each token, which takes longer than a login.
        patch.setattr(grants, "import_any_key", lambda key: import_once(json.dumps(key)))
        with mock.run_server_in_thread() as server:
            yield OpenIdSite(f"http://localhost:{server.server_port}")


@dataclass(frozen=True)
class RawAnswer:
    """An answer byte by byte, for what no JSON library would write."""

    chunks: Iterable[bytes]
    headers: tuple[tuple[str, str], ...] = ()
    status: int = 200


@dataclass
class MisbehavingProvider:
    """Answers by path what a test defines, or what its function makes of the request, and
    records requests."""

    address: str = ""
    answers: dict[str, Any] = field(default_factory=dict)
    asked: list[tuple[str, dict[str, str], dict[str, str]]] = field(default_factory=list)

    def is_openid(self, id_token: str, userinfo: dict[str, Any] | None = None) -> None:
        """Act as an OpenID provider that always returns this token."""
        self.answers = {
            "/.well-known/openid-configuration": {
                "issuer": self.address,
                "authorization_endpoint": f"{self.address}/authorize",
                "token_endpoint": f"{self.address}/token",
                "jwks_uri": f"{self.address}/keys",
            },
            "/keys": {"keys": [key_of("provider").as_dict(private=False)]},
            "/token": {"id_token": id_token, "access_token": "access", "token_type": "Bearer"},
        }
        if userinfo is not None:
            self.answers["/.well-known/openid-configuration"]["userinfo_endpoint"] = (
                f"{self.address}/userinfo"
            )
            self.answers["/userinfo"] = userinfo


def _as_json(answer: Any) -> bytes:
    return json.dumps(answer).encode()


def signed(claims: dict[str, Any], by: str = "provider", **header: Any) -> str:
    """Encoded as ASCII, so that it can contain what UTF-8 cannot."""
    protected = {"alg": "RS256", "kid": "one", **header}
    return jws.serialize_compact(protected, json.dumps(claims).encode(), key_of(by))


@contextmanager
def misbehaving_provider() -> Iterator[MisbehavingProvider]:
    site = MisbehavingProvider()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self._answer()

        def do_POST(self) -> None:
            self._answer()

        def _answer(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length", 0))).decode()
            path = urlsplit(self.path).path
            site.asked.append((path, dict(parse_qsl(body)), dict(self.headers)))
            response = site.answers.get(path)
            if callable(response):
                response = response(site.asked[-1][1])
            raw = response if isinstance(response, RawAnswer) else RawAnswer([_as_json(response)])
            self.send_response(404 if response is None else raw.status)
            for name, value in raw.headers:
                self.send_header(name, value)
            self.end_headers()
            with suppress(OSError):  # the client may have read enough
                for chunk in raw.chunks:
                    self.wfile.write(chunk)

        def log_message(self, format: str, *args: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    site.address = f"http://127.0.0.1:{server.server_port}"
    threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
    yield site
    server.shutdown()
    server.server_close()
