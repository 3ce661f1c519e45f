"""A stand-in for an ACME authority over loopback: RFC 8555 as a client sees it.

It checks signatures, nonces and URLs of requests, connects to the server for HTTP-01 and
TLS-ALPN-01, checks the signing request, and issues certificates of a test authority.
"""

import base64
import hashlib
import ipaddress
import json
import secrets
import socket
import ssl
import threading
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from joserfc import jws
from joserfc.jwk import ECKey
from joserfc.jws import JWSRegistry

REGISTRY = JWSRegistry(algorithms=["ES256"], strict_check_header=False)
ERROR = "urn:ietf:params:acme:error:"


class Refused(Exception):
    def __init__(self, kind: str, detail: str, status: int = 400) -> None:
        self.problem = {"type": ERROR + kind, "detail": detail}
        self.status = status


class Authority:
    """`offered` are the kinds of challenges; `http_port` and `tls_port` are the server's."""

    def __init__(self, offered: tuple[str, ...]) -> None:
        self.offered = offered
        self.http_port = self.tls_port = 0
        self.days = 90.0
        self.issued: list[str] = []
        self.refuses = ""  # why the next orders fail
        self.bad_nonces = 1  # so many good nonces are refused
        self.site = ""
        self._nonces: set[str] = set()
        self._accounts: dict[str, ECKey] = {}
        self._orders: dict[str, dict[str, Any]] = {}
        self._key = ec.generate_private_key(ec.SECP256R1())
        name = x509.Name([x509.NameAttribute(x509.oid.NameOID.COMMON_NAME, "Test ACME")])
        now = datetime.now(UTC)
        self.certificate = (
            x509.CertificateBuilder(name, name, self._key.public_key(), 1)
            .not_valid_before(now - timedelta(days=1))
            .not_valid_after(now + timedelta(days=400))
            .add_extension(x509.BasicConstraints(True, None), critical=True)
            .sign(self._key, hashes.SHA256())
        )

    def write_root(self, path: Path) -> Path:
        path.write_bytes(self.certificate.public_bytes(serialization.Encoding.PEM))
        return path

    # --- requests ---

    def nonce(self) -> str:
        self._nonces.add(made := secrets.token_urlsafe(12))
        return made

    def answer(self, path: str, body: dict[str, str]) -> tuple[int, dict[str, str], bytes]:
        header, key, payload = self._verified(path, body)
        what, _, name = path.strip("/").partition("/")
        if what == "account":
            return self._account(key, payload)
        if "kid" not in header:
            raise Refused("malformed", "this request needs an account")
        thumbprint = key.thumbprint()
        if what == "new-order":
            return self._new_order(payload)
        order = self._orders[name]
        if what == "authorization":
            return self._json(self._authorization(name, order))
        if what.startswith("challenge-"):
            self._validate(what.removeprefix("challenge-"), order, thumbprint)
            return self._json({"status": order["status"]})
        if what == "finalize":
            self._finalize(order, payload)
            return self._json(self._order(name, order))
        if what == "order":
            return self._json(self._order(name, order))
        return 200, {}, str(order["chain"]).encode()

    def _verified(self, path: str, body: dict[str, str]) -> tuple[dict[str, Any], ECKey, Any]:
        header = json.loads(_decoded(body["protected"]))
        if header["url"] != self.site + path:
            raise Refused("unauthorized", "the URL is another one")
        nonce = header["nonce"]
        if nonce not in self._nonces or self.bad_nonces > 0:
            self.bad_nonces -= nonce in self._nonces
            raise Refused("badNonce", "this nonce is not good")
        self._nonces.remove(nonce)
        if ("jwk" in header) == ("kid" in header):
            raise Refused("malformed", "jwk or kid, not both")
        key = self._accounts[header["kid"]] if "kid" in header else ECKey.import_key(header["jwk"])
        found = jws.deserialize_json(body, key, registry=REGISTRY)  # type: ignore[call-overload]
        return header, key, json.loads(found.payload) if found.payload else None

    def _account(self, key: ECKey, payload: Any) -> tuple[int, dict[str, str], bytes]:
        if not payload["termsOfServiceAgreed"]:
            raise Refused("userActionRequired", "agree to the terms")
        location = f"{self.site}/account/{key.thumbprint()}"
        status = 200 if location in self._accounts else 201
        self._accounts[location] = key
        return status, {"Location": location}, b'{"status": "valid"}'

    @property
    def accounts(self) -> int:
        return len(self._accounts)

    def _new_order(self, payload: Any) -> tuple[int, dict[str, str], bytes]:
        if self.refuses:
            raise Refused("rateLimited", self.refuses, 429)
        (identifier,) = payload["identifiers"]
        name = secrets.token_hex(4)
        token = secrets.token_urlsafe(16)
        self._orders[name] = {"host": identifier["value"], "token": token, "status": "pending"}
        fields = {"Location": f"{self.site}/order/{name}"}
        return 201, fields, json.dumps(self._order(name, self._orders[name])).encode()

    def _order(self, name: str, order: dict[str, Any]) -> dict[str, Any]:
        shown = {
            "status": order["status"],
            "authorizations": [f"{self.site}/authorization/{name}"],
            "finalize": f"{self.site}/finalize/{name}",
        }
        if "chain" in order:
            shown |= {"status": "valid", "certificate": f"{self.site}/certificate/{name}"}
        return shown

    def _authorization(self, name: str, order: dict[str, Any]) -> dict[str, Any]:
        status = {"pending": "pending", "invalid": "invalid"}.get(order["status"], "valid")
        challenges = [
            {
                "type": kind,
                "url": f"{self.site}/challenge-{kind}/{name}",
                "token": order["token"],
                "status": status,
                **({"error": order["error"]} if "error" in order else {}),
            }
            for kind in self.offered
        ]
        identifier = {"type": "dns", "value": order["host"]}
        return {"status": status, "identifier": identifier, "challenges": challenges}

    # --- validation ---

    def _validate(self, kind: str, order: dict[str, Any], thumbprint: str) -> None:
        expected = f"{order['token']}.{thumbprint}"
        try:
            check = self._check_http if kind == "http-01" else self._check_tls
            check(order, expected)
        except (OSError, AssertionError) as error:
            problem = {"type": ERROR + "connection", "detail": f"{kind}: {error}"}
            order |= {"status": "invalid", "error": problem}
        else:
            order["status"] = "ready"

    def _check_http(self, order: dict[str, Any], expected: str) -> None:
        path = f"/.well-known/acme-challenge/{order['token']}"
        request = urllib.request.Request(
            f"http://127.0.0.1:{self.http_port}{path}", headers={"Host": order["host"]}
        )
        with urllib.request.urlopen(request, timeout=10) as reply:
            assert reply.read().decode() == expected, "another answer"

    def _check_tls(self, order: dict[str, Any], expected: str) -> None:
        context = ssl.create_default_context()
        context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
        context.set_alpn_protocols(["acme-tls/1"])
        with (
            socket.create_connection(("127.0.0.1", self.tls_port), 10) as line,
            context.wrap_socket(line, server_hostname=order["host"]) as tls,
        ):
            assert tls.selected_alpn_protocol() == "acme-tls/1", "another protocol"
            shown = x509.load_der_x509_certificate(tls.getpeercert(binary_form=True) or b"")
        names = shown.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
        assert names.get_values_for_type(x509.DNSName) == [order["host"]], "another host"
        identifier = x509.ObjectIdentifier("1.3.6.1.5.5.7.1.31")
        extension = shown.extensions.get_extension_for_oid(identifier)
        assert extension.critical, "not critical"
        digest = hashlib.sha256(expected.encode()).digest()
        assert extension.value.public_bytes() == b"\x04\x20" + digest, "another digest"

    def _finalize(self, order: dict[str, Any], payload: Any) -> None:
        if order["status"] != "ready":
            raise Refused("orderNotReady", "not validated", 403)
        request = x509.load_der_x509_csr(_decoded(payload["csr"]))
        assert request.is_signature_valid
        names = request.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
        hosts = names.get_values_for_type(x509.DNSName)
        if hosts != [order["host"]]:
            raise Refused("badCSR", "another host")
        now = datetime.now(UTC)
        local = x509.IPAddress(ipaddress.ip_address("127.0.0.1"))  # so that tests can connect
        made = (
            x509.CertificateBuilder(
                self.certificate.subject,
                request.subject,
                request.public_key(),
                x509.random_serial_number(),
            )
            .not_valid_before(now - timedelta(hours=1))
            .not_valid_after(now + timedelta(days=self.days))
            .add_extension(
                x509.SubjectAlternativeName([x509.DNSName(hosts[0]), local]), critical=False
            )
            .sign(self._key, hashes.SHA256())
        )
        both = (made, self.certificate)
        order["chain"] = "".join(
            each.public_bytes(serialization.Encoding.PEM).decode() for each in both
        )
        self.issued.append(hosts[0])

    def _json(self, value: Any) -> tuple[int, dict[str, str], bytes]:
        return 200, {}, json.dumps(value).encode()


def _decoded(text: str) -> bytes:
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


@contextmanager
def running(offered: tuple[str, ...] = ("http-01", "tls-alpn-01")) -> Iterator[Authority]:
    authority = Authority(offered)

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            paths = {"newNonce": "/nonce", "newAccount": "/account", "newOrder": "/new-order"}
            found = {name: authority.site + path for name, path in paths.items()}
            self._send(200, {}, json.dumps(found).encode())

        def do_HEAD(self) -> None:
            self._send(200, {}, b"")

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            assert self.headers["Content-Type"] == "application/jose+json"
            try:
                self._send(*authority.answer(self.path, body))
            except Refused as refused:
                self._send(refused.status, {}, json.dumps(refused.problem).encode())

        def _send(self, status: int, headers: dict[str, str], body: bytes) -> None:
            self.send_response(status)
            for name, value in {**headers, "Replay-Nonce": authority.nonce()}.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            if self.command != "HEAD":
                self.wfile.write(body)

        def log_message(self, format: str, *args: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    authority.site = f"http://127.0.0.1:{server.server_port}"
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield authority
    finally:
        server.shutdown()
        server.server_close()
