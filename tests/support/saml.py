"""A SAML provider: signs answers to logins, valid and invalid ones."""

import base64
import datetime
import zlib
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import padding, rsa
from cryptography.x509.oid import NameOID
from lxml import etree
from minisignxml.sign import sign

ENTITY = "https://id.example.com/saml"
RSA_SHA256 = "http://www.w3.org/2001/04/xmldsig-more#rsa-sha256"
NAMES = (
    'xmlns:p="urn:oasis:names:tc:SAML:2.0:protocol" xmlns:a="urn:oasis:names:tc:SAML:2.0:assertion"'
)


@dataclass
class SamlSite:
    key: rsa.RSAPrivateKey = field(
        default_factory=lambda: rsa.generate_private_key(public_exponent=65537, key_size=1024)
    )

    def __post_init__(self) -> None:
        now = datetime.datetime.now(datetime.UTC)
        name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "A SAML provider")])
        self.certificate = (
            x509.CertificateBuilder()
            .subject_name(name)
            .issuer_name(name)
            .public_key(self.key.public_key())
            .serial_number(x509.random_serial_number())
            .not_valid_before(now - datetime.timedelta(days=1))
            .not_valid_after(now + datetime.timedelta(days=1))
            .sign(self.key, hashes.SHA256())
        )

    @property
    def pem(self) -> str:
        return self.certificate.public_bytes(serialization.Encoding.PEM).decode()

    def asked(self, address: str) -> dict[str, str]:
        """The request that a browser was sent with."""
        query = parse_qs(urlsplit(address).query)
        xml = zlib.decompress(base64.b64decode(query["SAMLRequest"][0]), -15)
        request = etree.fromstring(xml)
        return {
            "id": request.get("ID"),
            "return": request.get("AssertionConsumerServiceURL"),
            "entity": request.findtext("{urn:oasis:names:tc:SAML:2.0:assertion}Issuer"),
            "state": query["RelayState"][0],
        }

    def answers(self, asked: dict[str, str], name_id: str, **others: Any) -> str:
        """A signed answer; `others` says what is unusual about it."""
        now = datetime.datetime.now(datetime.UTC)
        texts: dict[str, Any] = {
            "issuer": ENTITY,
            "audience": asked["entity"],
            "request": asked["id"],
            "recipient": asked["return"],
            "status": "urn:oasis:names:tc:SAML:2.0:status:Success",
            "until": now + datetime.timedelta(minutes=5),
            "attributes": {},
            "signs": "response",  # or the assertion, or both
            "session": "s-1",
            "edits": (),  # texts to replace before signing
        } | others
        attributes = "".join(
            f'<a:Attribute Name="{name}">'
            + "".join(f"<a:AttributeValue>{value}</a:AttributeValue>" for value in values)
            + "</a:Attribute>"
            for name, values in texts["attributes"].items()
        )
        since, until = _written(now - datetime.timedelta(minutes=1)), _written(texts["until"])
        text = f"""<p:Response {NAMES} ID="_r" Version="2.0" Destination="{texts["recipient"]}">
            <a:Issuer>{texts["issuer"]}</a:Issuer>
            <p:Status><p:StatusCode Value="{texts["status"]}"/></p:Status>
            <a:Assertion ID="_a" Version="2.0"><a:Issuer>{texts["issuer"]}</a:Issuer>
            <a:Subject><a:NameID>{name_id}</a:NameID>
            <a:SubjectConfirmation Method="urn:oasis:names:tc:SAML:2.0:cm:bearer">
            <a:SubjectConfirmationData InResponseTo="{texts["request"]}"
             Recipient="{texts["recipient"]}" NotOnOrAfter="{until}"/>
            </a:SubjectConfirmation></a:Subject>
            <a:Conditions NotBefore="{since}" NotOnOrAfter="{until}"><a:AudienceRestriction>
            <a:Audience>{texts["audience"]}</a:Audience></a:AudienceRestriction></a:Conditions>
            <a:AuthnStatement AuthnInstant="{since}" SessionIndex="{texts["session"]}"/>
            <a:AttributeStatement>{attributes}</a:AttributeStatement>
            </a:Assertion></p:Response>"""
        for old, new in texts["edits"]:
            assert old in text, old
            text = text.replace(old, new)
        response = etree.fromstring(text)
        part = response if texts["signs"] == "response" else response.find("{*}Assertion")
        signed = self._sign(part)
        if texts["signs"] == "both":
            signed = self._sign(etree.fromstring(signed))
        return base64.b64encode(signed).decode()

    def values_at(self, address: str) -> dict[str, str]:
        """What a browser brings after a logout here: a logout request, or a confirmation."""
        query = parse_qs(urlsplit(address).query)
        field = "SAMLRequest" if "SAMLRequest" in query else "SAMLResponse"
        found = etree.fromstring(zlib.decompress(base64.b64decode(query[field][0]), -15))
        status = found.find("{*}Status/{*}StatusCode")
        return {
            "kind": etree.QName(found).localname,
            "who": found.findtext("{*}NameID") or "",
            "session": found.findtext("{*}SessionIndex") or "",
            "answers": found.get("InResponseTo", ""),
            "status": "" if status is None else status.get("Value").rpartition(":")[2],
            "state": query.get("RelayState", [""])[0],
        }

    def requests_logout(self, address: str, name_id: str, **others: Any) -> tuple[str, str]:
        """A logout at the provider: as a query, and as a form field."""
        now = datetime.datetime.now(datetime.UTC)
        expected: dict[str, Any] = {"issuer": ENTITY, "session": "", "when": now, "to": address}
        expected |= others
        index = (
            f"<p:SessionIndex>{expected['session']}</p:SessionIndex>" if expected["session"] else ""
        )
        request = etree.fromstring(
            f"""<p:LogoutRequest {NAMES} ID="_l" Version="2.0" Destination="{expected["to"]}"
            IssueInstant="{_written(expected["when"])}"><a:Issuer>{expected["issuer"]}</a:Issuer>
            <a:NameID>{name_id}</a:NameID>{index}</p:LogoutRequest>"""
        )
        packed = base64.b64encode(zlib.compress(etree.tostring(request))[2:-4]).decode()
        text = urlencode({"SAMLRequest": packed, "RelayState": "there", "SigAlg": RSA_SHA256})
        signature = self.key.sign(text.encode(), padding.PKCS1v15(), hashes.SHA256())
        query = f"{text}&{urlencode({'Signature': base64.b64encode(signature).decode()})}"
        return query, base64.b64encode(self._sign(request)).decode()

    def _sign(self, element: Any) -> bytes:
        return sign(element=element, private_key=self.key, certificate=self.certificate, index=1)


def _written(moment: datetime.datetime) -> str:
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ")
