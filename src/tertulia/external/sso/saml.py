"""SAML: the authentication request, and verification of the response.

The library checks the signature, issuer, audience and validity period. This module checks that the
response answers the login that was started, is meant for our return address, and is confirmed for
its bearer (Web Browser SSO Profile, 4.1.4.3). Only the signed element is read. Comments are not
allowed in a response, because they could truncate a name.
"""

import base64
import binascii
import codecs
import datetime
import re
from collections.abc import Iterator
from typing import Any
from xml.sax.saxutils import quoteattr

from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import rsa
from lxml import etree
from minisaml.errors import MiniSAMLError
from minisaml.request import get_request_redirect_url
from minisaml.response import TimeDriftLimits, validate_response
from minisignxml.errors import MiniSignXMLError
from minisignxml.verify import extract_verified_element_and_certificate

from tertulia.config.login_providers import SamlProvider
from tertulia.external.sso.provider_types import ProviderError, SamlPerson

LEEWAY = datetime.timedelta(seconds=60)
MAX_RESPONSE_LENGTH = 200_000
MAX_FAULT_LENGTH = 300
PLAIN_ENCODINGS = (b"utf-8", b"us-ascii", b"iso-8859-1")  # supersets of ASCII
BEARER = "urn:oasis:names:tc:SAML:2.0:cm:bearer"
SUCCESS = "urn:oasis:names:tc:SAML:2.0:status:Success"
NAMES = {
    "p": "urn:oasis:names:tc:SAML:2.0:protocol",
    "a": "urn:oasis:names:tc:SAML:2.0:assertion",
    "ds": "http://www.w3.org/2000/09/xmldsig#",
}

_ENCODING = re.compile(rb"<\?xml\s[^>]*?encoding\s*=\s*[\"']([^\"']*)")


def authn_request_url(
    provider: SamlProvider, entity: str, return_address: str, request_id: str, state: str
) -> str:
    """The URL of the authentication request; `entity` is our entity id."""
    return get_request_redirect_url(
        saml_endpoint=provider.url,
        expected_audience=entity,
        acs_url=return_address,
        request_id=request_id,
        relay_state=state,
    )


def read_response(
    provider: SamlProvider, entity: str, return_address: str, request_id: str, answer: str
) -> SamlPerson:
    """Verify a response and return its user. Raises ProviderError."""
    if len(answer) > MAX_RESPONSE_LENGTH:
        raise ProviderError("the answer is too long")
    try:
        xml = checked_xml(base64.b64decode("".join(answer.split()), validate=True))
        with_one_signature = _with_one_signature(xml)
        found = validate_response(
            data=base64.b64encode(with_one_signature),
            certificate=list(certificates(provider)),
            expected_audience=entity,
            idp_issuer=provider.entity_id,
            allowed_time_drift=TimeDriftLimits(LEEWAY, LEEWAY),
        )
        signed = _signed_element(provider, with_one_signature)
    except (MiniSAMLError, MiniSignXMLError, binascii.Error, etree.Error, ValueError) as error:
        raise ProviderError(f"the answer is not valid: {_error_text(error)}") from error
    except (KeyError, AttributeError, TypeError) as error:  # a missing element
        raise ProviderError(f"the answer is incomplete: {error}") from error
    _check_envelope(xml)
    _check_destination(signed, xml, return_address)
    assertion = _assertion(signed)
    now = datetime.datetime.now(datetime.UTC)
    _check_confirmed(assertion, return_address, request_id, now)
    attributes = {each.name: list(filter(None, each.values)) for each in found.attributes}
    return SamlPerson(
        (found.name_id or "").strip(),
        attributes,
        *_session(assertion),
        _session_end(assertion, now),
    )


def check_certificates(provider: SamlProvider) -> None:
    """Raises ProviderError for a certificate that cannot be read or cannot verify signatures."""
    try:
        keys = [each.public_key() for each in certificates(provider)]
    except ValueError as error:
        raise ProviderError(f"its certificate cannot be read: {error}") from error
    if not all(isinstance(key, rsa.RSAPublicKey) for key in keys):
        raise ProviderError("its certificate must have an RSA key")


def checked_xml(xml: bytes) -> bytes:
    """Raises ProviderError for XML with comments or entities, and for encodings that could hide
    them."""
    if b"<!" in xml:
        raise ProviderError("it contains comments or declarations")
    text = xml.removeprefix(codecs.BOM_UTF8).lstrip()
    declared = _ENCODING.match(text)
    is_plain = text.startswith(b"<") and b"\0" not in text
    if not is_plain or (declared is not None and declared[1].lower() not in PLAIN_ENCODINGS):
        raise ProviderError("it is not encoded in UTF-8")
    return xml


def metadata(entity: str, return_address: str, logout_address: str) -> str:
    """Our metadata, for the provider."""
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        '<EntityDescriptor xmlns="urn:oasis:names:tc:SAML:2.0:metadata"'
        f" entityID={quoteattr(entity)}>\n"
        '<SPSSODescriptor AuthnRequestsSigned="false" WantAssertionsSigned="true"'
        f' protocolSupportEnumeration="{NAMES["p"]}">\n'
        + "".join(
            f'<SingleLogoutService Binding="urn:oasis:names:tc:SAML:2.0:bindings:{binding}"'
            f" Location={quoteattr(logout_address)}/>\n"
            for binding in ("HTTP-Redirect", "HTTP-POST")
        )
        + '<AssertionConsumerService Binding="urn:oasis:names:tc:SAML:2.0:bindings:HTTP-POST"'
        f' Location={quoteattr(return_address)} index="1"/>\n'
        "</SPSSODescriptor>\n</EntityDescriptor>\n"
    )


def certificates(provider: SamlProvider) -> Iterator[x509.Certificate]:
    yield from x509.load_pem_x509_certificates(provider.certificate.encode())


def parse_xml(xml: bytes) -> Any:
    return etree.fromstring(xml, etree.XMLParser(resolve_entities=False, no_network=True))


def _with_one_signature(xml: bytes) -> bytes:
    """Some providers sign both the response and the assertion. Only the assertion is read, so its
    signature is the one to check, and the library supports only one."""
    tree = parse_xml(xml)
    if tree.find(".//a:EncryptedAssertion", NAMES) is not None:
        raise ProviderError("its assertions are encrypted, which is not supported")
    outer = tree.findall("./ds:Signature", NAMES)
    if len(outer) != 1 or len(tree.findall("./a:Assertion/ds:Signature", NAMES)) != 1:
        return xml
    tree.remove(outer[0])
    left: bytes = etree.tostring(tree)
    return left


def _error_text(error: Exception) -> str:
    """The library's error, with the received and expected values if it names them."""
    name = type(error).__name__
    if not isinstance(error, MiniSAMLError):
        return name
    about = ", ".join(f"{key} {value}" for key, value in vars(error).items())
    return "".join(filter(str.isprintable, f"{name} {about}".strip()))[:MAX_FAULT_LENGTH]


def _signed_element(provider: SamlProvider, xml: bytes) -> Any:
    """The signed element: the response, or the assertion in it."""
    found, _ = extract_verified_element_and_certificate(
        xml=xml, certificates=set(certificates(provider))
    )
    return found


def _assertion(signed: Any) -> Any:
    if signed.tag == f"{{{NAMES['a']}}}Assertion":
        return signed
    found = signed.findall("./a:Assertion", NAMES)
    if len(found) != 1:
        raise ProviderError("there must be one assertion")
    return found[0]


def _session(assertion: Any) -> tuple[str, str]:
    """The format of the NameID, and the session index."""
    named = assertion.find("./a:Subject/a:NameID", NAMES)
    begun = assertion.find("./a:AuthnStatement", NAMES)
    name_format = "" if named is None else named.get("Format", "")
    return name_format, "" if begun is None else begun.get("SessionIndex", "")


def _session_end(assertion: Any, now: datetime.datetime) -> float | None:
    """When the session at the provider ends. Raises ProviderError if it has ended."""
    ends = [
        _timestamp(each, "SessionNotOnOrAfter")
        for each in assertion.findall("./a:AuthnStatement", NAMES)
        if "SessionNotOnOrAfter" in each.attrib
    ]
    if not ends:
        return None
    if min(ends) <= now - LEEWAY:
        raise ProviderError("the session has ended: SessionNotOnOrAfter has passed")
    return min(ends).timestamp()


def _check_confirmed(
    assertion: Any, return_address: str, request_id: str, now: datetime.datetime
) -> None:
    """Raises ProviderError unless one confirmation is for us, now, and for this login."""
    faults = [
        _confirmation_fault(each, return_address, request_id, now)
        for each in assertion.findall("./a:Subject/a:SubjectConfirmation", NAMES)
    ]
    if "" not in faults:
        raise ProviderError(f"its SubjectConfirmation is not valid: {'; '.join(faults) or 'none'}")


def _confirmation_fault(
    confirmation: Any, return_address: str, request_id: str, now: datetime.datetime
) -> str:
    """What is wrong with a confirmation; empty if it is valid."""
    data = confirmation.find("./a:SubjectConfirmationData", NAMES)
    if confirmation.get("Method") != BEARER:
        return "its Method is not bearer"
    if data is None or "NotOnOrAfter" not in data.attrib:
        return "it has no NotOnOrAfter"
    if _timestamp(data, "NotOnOrAfter") <= now - LEEWAY:
        return "NotOnOrAfter has passed"
    if "NotBefore" in data.attrib and _timestamp(data, "NotBefore") > now + LEEWAY:
        return "NotBefore is in the future"
    if data.get("Recipient") != return_address:
        return "its Recipient is another address"
    if data.get("InResponseTo") != request_id:
        return "it answers another login"
    return ""


def _timestamp(element: Any, name: str) -> datetime.datetime:
    try:
        moment = datetime.datetime.fromisoformat(element.get(name).strip())
    except ValueError as error:
        raise ProviderError(f"{name} is not a time") from error
    if moment.tzinfo is None:
        raise ProviderError(f"{name} has no time zone")
    return moment


def _check_destination(signed: Any, xml: bytes, return_address: str) -> None:
    """Check the Destination; it is required in a signed response."""
    is_signed = signed.tag == f"{{{NAMES['p']}}}Response"
    destination = signed.get("Destination") if is_signed else parse_xml(xml).get("Destination")
    if destination != return_address and (is_signed or destination is not None):
        raise ProviderError("its Destination is another address")


def _check_envelope(xml: bytes) -> None:
    """Check the unsigned parts, which may only cause a rejection."""
    tree = parse_xml(xml)
    if len(tree.findall(".//a:Assertion", NAMES)) != 1:
        raise ProviderError("there must be one assertion")
    for status in tree.findall("./p:Status/p:StatusCode", NAMES):
        if status.get("Value") != SUCCESS:
            raise ProviderError("the provider refused the login")
