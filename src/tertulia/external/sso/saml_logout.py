"""SAML single logout: sends logout requests to a provider and handles those of the provider.

Our requests are not signed. The provider's requests must be: in the query (HTTP-Redirect) or in the
document (HTTP-POST).
"""

import base64
import binascii
import datetime
import zlib
from collections.abc import Mapping
from typing import Any
from urllib.parse import unquote_plus, urlencode
from xml.sax.saxutils import escape, quoteattr

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import padding, rsa
from lxml import etree
from minisignxml.errors import MiniSignXMLError
from minisignxml.verify import extract_verified_element_and_certificate

from tertulia.config.login_providers import SamlProvider
from tertulia.external.sso import saml
from tertulia.external.sso.provider_types import ProviderError, SamlLogoutRequest, SamlSession

MAX_REQUEST_LENGTH = 50_000  # of a request, decompressed
MAX_AGE = datetime.timedelta(minutes=5)
HASHES = {
    "http://www.w3.org/2001/04/xmldsig-more#rsa-sha256": hashes.SHA256(),
    "http://www.w3.org/2001/04/xmldsig-more#rsa-sha512": hashes.SHA512(),
}
_PROTOCOL = saml.NAMES["p"]
_ASSERTION = saml.NAMES["a"]


def request_url(
    provider: SamlProvider, entity: str, session: SamlSession, request_id: str, now: float
) -> str:
    """The URL that logs a browser out at the provider."""
    kind = f" Format={quoteattr(session.name_format)}" if session.name_format else ""
    index = ""
    if session.index:
        index = f"<p:SessionIndex>{escape(session.index)}</p:SessionIndex>"
    inside = f"<a:NameID{kind}>{escape(session.name_id)}</a:NameID>{index}"
    return _address(provider, "LogoutRequest", entity, request_id, now, "", inside)


def response_url(provider: SamlProvider, entity: str, logout: SamlLogoutRequest, now: float) -> str:
    """The URL that answers the provider's logout request."""
    about = f" InResponseTo={quoteattr(logout.id)}"
    status = f'<p:Status><p:StatusCode Value="{saml.SUCCESS}"/></p:Status>'
    answer_id = f"_{logout.id}"
    where = _address(provider, "LogoutResponse", entity, answer_id, now, about, status)
    return f"{where}&{urlencode({'RelayState': logout.state})}" if logout.state else where


def read(
    provider: SamlProvider, address: str, query: bytes, params: Mapping[str, str], now: float
) -> SamlLogoutRequest:
    """Verify a logout request of a provider. Raises ProviderError."""
    try:
        if "Signature" in params:
            tree = _inflate(_signed_part(provider, query))
        else:
            tree = _signed(provider, params["SAMLRequest"])
    except (MiniSignXMLError, binascii.Error, zlib.error, etree.Error, ValueError) as error:
        raise ProviderError(f"the logout request is not valid: {type(error).__name__}") from error
    except (KeyError, AttributeError, TypeError, IndexError) as error:  # a required part is missing
        raise ProviderError(f"the logout request is incomplete: {error}") from error
    if tree.tag != f"{{{_PROTOCOL}}}LogoutRequest" or tree.get("Destination", address) != address:
        raise ProviderError("the logout request is for another address")
    if (tree.findtext(f"{{{_ASSERTION}}}Issuer") or "").strip() != provider.entity_id:
        raise ProviderError("the logout request is of another issuer")
    _check_time(tree, now)
    name_id = (tree.findtext(f"{{{_ASSERTION}}}NameID") or "").strip()
    indexes = [each.text or "" for each in tree.findall(f"{{{_PROTOCOL}}}SessionIndex")]
    return SamlLogoutRequest(
        tree.get("ID", ""), name_id, tuple(indexes), params.get("RelayState", "")
    )


def _address(
    provider: SamlProvider,
    kind: str,
    entity: str,
    request_id: str,
    now: float,
    attributes: str,
    inside: str,
) -> str:
    moment = datetime.datetime.fromtimestamp(now, datetime.UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    xml = (
        f'<p:{kind} xmlns:p="{_PROTOCOL}" xmlns:a="{_ASSERTION}" ID={quoteattr(request_id)}'
        f' Version="2.0" IssueInstant="{moment}" Destination={quoteattr(provider.logout_url)}'
        f"{attributes}><a:Issuer>{escape(entity)}</a:Issuer>{inside}</p:{kind}>"
    )
    field = "SAMLRequest" if kind == "LogoutRequest" else "SAMLResponse"
    packed = base64.b64encode(zlib.compress(xml.encode())[2:-4]).decode()
    mark = "&" if "?" in provider.logout_url else "?"
    return f"{provider.logout_url}{mark}{urlencode({field: packed})}"


def _signed_part(provider: SamlProvider, query: bytes) -> str:
    """The request from the signed part of the query, which is the beginning of the query as it was
    written. The rest of the query is ignored."""
    pairs = [part.partition("=") for part in query.decode("ascii").split("&")]
    written = {name: value for name, _, value in pairs}
    if len(written) < len(pairs):
        raise ProviderError("the logout request has a parameter twice")
    names = ("SAMLRequest", "RelayState", "SigAlg")
    text = "&".join(f"{name}={written[name]}" for name in names if name in written)
    signature = base64.b64decode(unquote_plus(written["Signature"]))
    hashing = HASHES[unquote_plus(written["SigAlg"])]
    for certificate in saml.certificates(provider):
        key = certificate.public_key()
        if not isinstance(key, rsa.RSAPublicKey):
            continue
        try:
            key.verify(signature, text.encode(), padding.PKCS1v15(), hashing)
        except InvalidSignature:
            continue
        return unquote_plus(written["SAMLRequest"])
    raise ProviderError("the logout request is not signed by the provider")


def _inflate(packed: str) -> Any:
    unpacking = zlib.decompressobj(-15)
    xml = unpacking.decompress(base64.b64decode(packed), MAX_REQUEST_LENGTH)
    if unpacking.unconsumed_tail:
        raise ProviderError("the logout request is too long")
    return saml.parse_xml(saml.checked_xml(xml))


def _signed(provider: SamlProvider, encoded: str) -> Any:
    xml = saml.checked_xml(base64.b64decode("".join(encoded.split()), validate=True))
    found, _ = extract_verified_element_and_certificate(
        xml=xml, certificates=set(saml.certificates(provider))
    )
    return found


def _check_time(tree: Any, now: float) -> None:
    """Raises ProviderError for a request that is too old."""
    made = datetime.datetime.fromisoformat(tree.get("IssueInstant", ""))
    moment = datetime.datetime.fromtimestamp(now, datetime.UTC)
    if made.tzinfo is None or abs(moment - made) > MAX_AGE:
        raise ProviderError("the logout request is too old")
