"""ACME (RFC 8555): gets a certificate for one host from an authority such as Let's Encrypt.

Signatures are joserfc's, X.509 is cryptography's, HTTP is httpx's; the order of requests is here.
Imported only by a server that has `acme_directory`.
"""

import asyncio
import base64
import hashlib
from collections.abc import Awaitable, Callable
from typing import Any

import httpx
import msgspec
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID
from joserfc import jws
from joserfc.jwk import ECKey
from joserfc.jws import JWSRegistry

HTTP_01, TLS_ALPN_01 = "http-01", "tls-alpn-01"
REQUEST_SECONDS = 30
POLL_SECONDS, MAX_POLLS = 1.0, 90
MAX_BAD_NONCES = 5
BAD_NONCE = "urn:ietf:params:acme:error:badNonce"
TYPE = "application/jose+json"
REGISTRY = JWSRegistry(algorithms=["ES256"], strict_check_header=False)


class AcmeError(Exception):
    """The authority refused something, or did not answer. The text is for the log."""


class Challenge(msgspec.Struct, frozen=True):
    """What the authority will look for at the host."""

    kind: str
    host: str
    token: str
    authorization: str  # the key authorization

    @property
    def digest(self) -> bytes:
        return hashlib.sha256(self.authorization.encode()).digest()


Prepare = Callable[[Challenge], Awaitable[None]]


class AcmeClient:
    """One account with one authority. `prepare` makes a challenge visible before it is checked."""

    def __init__(self, directory: str, account_key: str, email: str, kinds: list[str]) -> None:
        self._directory_url = directory
        self._key = ECKey.import_key(account_key)
        self._email = email
        self._kinds = kinds  # the kinds of challenges that we can answer, best first
        self._account = ""
        self._nonce = ""
        self._directory: dict[str, Any] = {}

    async def obtain(self, host: str, private_key: str, prepare: Prepare) -> str:
        """Returns the certificate with its chain, as PEM. Raises AcmeError."""
        async with httpx.AsyncClient(timeout=REQUEST_SECONDS) as http:
            try:
                return await self._obtain(http, host, private_key, prepare)
            except httpx.HTTPError as error:
                raise AcmeError(f"{type(error).__name__}: {error}") from error
            except (KeyError, ValueError, TypeError) as error:
                raise AcmeError(f"unexpected answer: {type(error).__name__}") from error

    async def _obtain(
        self, http: httpx.AsyncClient, host: str, private_key: str, prepare: Prepare
    ) -> str:
        self._directory = (await http.get(self._directory_url)).raise_for_status().json()
        await self._register(http)
        identifiers = {"identifiers": [{"type": "dns", "value": host}]}
        placed = await self._post(http, self._directory["newOrder"], identifiers)
        order_url, order = placed.headers["Location"], placed.json()
        for url in order["authorizations"]:
            await self._authorize(http, url, host, prepare)
        request = base64.urlsafe_b64encode(_signing_request(host, private_key)).rstrip(b"=")
        await self._post(http, order["finalize"], {"csr": request.decode()})
        order = await self._poll(http, order_url, "valid")
        return (await self._post(http, order["certificate"], None)).text

    async def _register(self, http: httpx.AsyncClient) -> None:
        about: dict[str, Any] = {"termsOfServiceAgreed": True}
        if self._email:
            about["contact"] = [f"mailto:{self._email}"]
        answer = await self._post(http, self._directory["newAccount"], about)
        self._account = answer.headers["Location"]

    async def _authorize(
        self, http: httpx.AsyncClient, url: str, host: str, prepare: Prepare
    ) -> None:
        found = (await self._post(http, url, None)).json()
        if found["status"] == "valid":
            return
        offered = {each["type"]: each for each in found["challenges"]}
        kind = next((each for each in self._kinds if each in offered), None)
        if kind is None:
            raise AcmeError(f"the authority offers only {', '.join(sorted(offered))}")
        token = str(offered[kind]["token"])
        await prepare(Challenge(kind, host, token, f"{token}.{self._key.thumbprint()}"))
        await self._post(http, offered[kind]["url"], {})
        await self._poll(http, url, "valid")

    async def _poll(self, http: httpx.AsyncClient, url: str, wanted: str) -> dict[str, Any]:
        for _ in range(MAX_POLLS):
            found: dict[str, Any] = (await self._post(http, url, None)).json()
            if found["status"] == wanted:
                return found
            if found["status"] == "invalid":
                raise AcmeError(_reason(found))
            await asyncio.sleep(POLL_SECONDS)
        raise AcmeError(f"no decision after {MAX_POLLS * POLL_SECONDS:.0f} seconds")

    async def _post(
        self, http: httpx.AsyncClient, url: str, payload: dict[str, Any] | None
    ) -> httpx.Response:
        """A signed request; without a payload it reads. Raises AcmeError if it is refused."""
        text = b"" if payload is None else msgspec.json.encode(payload)
        for _ in range(MAX_BAD_NONCES):
            if not self._nonce:
                answer = await http.head(self._directory["newNonce"])
                self._nonce = answer.headers["Replay-Nonce"]
            header: dict[str, Any] = {"alg": "ES256", "nonce": self._nonce, "url": url}
            if self._account:
                header["kid"] = self._account
            else:
                header["jwk"] = self._key.as_dict(private=False)
            signed = jws.serialize_json({"protected": header}, text, self._key, registry=REGISTRY)
            answer = await http.post(
                url, content=msgspec.json.encode(signed), headers={"Content-Type": TYPE}
            )
            self._nonce = answer.headers.get("Replay-Nonce", "")
            if answer.is_success:
                return answer
            problem = _problem(answer)
            if problem.get("type") != BAD_NONCE:
                raise AcmeError(f"{answer.status_code} {problem.get('detail', '')}".strip())
        raise AcmeError("every nonce was refused")


def new_key() -> str:
    """A private key, as PEM."""
    key = ec.generate_private_key(ec.SECP256R1())
    return key.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        serialization.NoEncryption(),
    ).decode()


def _signing_request(host: str, private_key: str) -> bytes:
    key = serialization.load_pem_private_key(private_key.encode(), None)
    assert isinstance(key, ec.EllipticCurvePrivateKey)
    names = x509.SubjectAlternativeName([x509.DNSName(host)])
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, host)] if len(host) < 65 else [])
    builder = x509.CertificateSigningRequestBuilder().subject_name(subject)
    signed = builder.add_extension(names, critical=False).sign(key, hashes.SHA256())
    return signed.public_bytes(serialization.Encoding.DER)


def _problem(answer: httpx.Response) -> dict[str, Any]:
    try:
        found = answer.json()
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}


def _reason(found: dict[str, Any]) -> str:
    """Why an order or an authorization failed: the first error in it."""
    errors = [found.get("error"), *(each.get("error") for each in found.get("challenges", ()))]
    first: dict[str, Any] = next((each for each in errors if each), {})
    return f"refused: {str(first.get('detail', 'no reason given'))[:300]}"
