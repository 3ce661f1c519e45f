"""A software passkey: answers as a browser would, or as a test says."""

import base64
import hashlib
import json
import secrets
from typing import Any

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from fido2 import cbor
from fido2.cose import ES256


class SoftPasskey:
    def __init__(self, site: str) -> None:
        self.site = site
        self.name = secrets.token_bytes(16)
        self.count = 0
        self._key = ec.generate_private_key(ec.SECP256R1())

    def is_made(self, options: dict[str, Any], **odd: Any) -> str:
        """The answer to `navigator.credentials.create`."""
        public = cbor.encode(dict(ES256.from_cryptography_key(self._key.public_key())))
        kept = bytes(16) + len(self.name).to_bytes(2, "big") + self.name + public
        found = self._about(options["rp"]["id"], flags=0x41) + kept
        attested = cbor.encode({"fmt": "none", "attStmt": {}, "authData": found})
        requested = self._asked("webauthn.create", options, **odd)
        return self._answer(clientDataJSON=requested, attestationObject=attested)

    def answers(self, options: dict[str, Any], **odd: Any) -> str:
        """The answer to `navigator.credentials.get`."""
        self.count += 1
        found = self._about(options["rpId"], flags=odd.pop("flags", 0x01))
        requested = self._asked("webauthn.get", options, **odd)
        signed = found + hashlib.sha256(requested).digest()
        signature = self._key.sign(signed, ec.ECDSA(hashes.SHA256()))
        return self._answer(clientDataJSON=requested, authenticatorData=found, signature=signature)

    def _about(self, host: str, flags: int) -> bytes:
        return (
            hashlib.sha256(host.encode()).digest() + bytes([flags]) + self.count.to_bytes(4, "big")
        )

    def _asked(self, kind: str, options: dict[str, Any], **odd: Any) -> bytes:
        expected = {"type": kind, "challenge": options["challenge"], "origin": self.site}
        return json.dumps(expected | odd).encode()

    def _answer(self, **parts: bytes) -> str:
        response = {name: _text(value) for name, value in parts.items()}
        name = _text(self.name)
        return json.dumps({"id": name, "rawId": name, "type": "public-key", "response": response})


def _text(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()
