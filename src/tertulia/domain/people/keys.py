"""API keys: found by a fingerprint, stored encrypted, useless without the secret.

The secret is outside the database. The database alone is not enough to find or verify a key.
"""

import hashlib
import hmac
import secrets
import string
from collections.abc import Callable

from nacl.exceptions import CryptoError
from nacl.secret import SecretBox

from tertulia.errors import StartupError

KEY_LENGTH = 32
_ALPHABET = string.ascii_letters + string.digits


class WrongSecret(StartupError):
    pass


class Vault:
    """Encrypts and verifies keys with one server's secret.

    The secret can be replaced while the server runs. `read_again` returns the current one; it is
    called when a key is unknown. The former secret is valid until all keys are sealed again.
    """

    def __init__(
        self, secret: bytes, read_again: Callable[[], bytes | None] = lambda: None
    ) -> None:
        self._read_again = read_again
        self._former: Vault | None = None
        self._adopt(secret)

    def _adopt(self, secret: bytes) -> None:
        if len(secret) < 16:
            raise ValueError("the secret must be at least 16 bytes long")
        self._secret = secret
        self._finding = hashlib.blake2b(secret, digest_size=32, person=b"find a key").digest()
        sealing = hashlib.blake2b(secret, digest_size=32, person=b"seal a key").digest()
        self._signing = hashlib.blake2b(secret, digest_size=32, person=b"sign a link").digest()
        self._box = SecretBox(sealing)

    def reload(self) -> None:
        """Switch to the current secret if it was replaced."""
        secret = self._read_again()
        if secret is not None and len(secret) >= 16 and secret != self._secret:
            self._former = Vault(self._secret)
            self._adopt(secret)

    def other_fingerprints(self, key: str) -> list[bytes]:
        """Further fingerprints that a key may have while the secret is being replaced."""
        before = self._secret
        self.reload()
        others = [] if self._former is None else [self._former.fingerprint(key)]
        return others if self._secret == before else [self.fingerprint(key), *others]

    def fingerprint(self, key: str) -> bytes:
        return hmac.digest(self._finding, key.encode(), "sha256")

    def signature(self, text: str) -> str:
        """An HMAC that only a server with this secret can compute."""
        return hmac.digest(self._signing, text.encode(), "sha256").hex()

    def seal(self, key: str) -> bytes:
        return bytes(self._box.encrypt(key.encode()))

    def unseal(self, sealed: bytes) -> str:
        try:
            return self._box.decrypt(sealed).decode()
        except CryptoError as error:
            self.reload()
            try:
                return self._box.decrypt(sealed).decode()
            except CryptoError:
                if self._former is None:
                    raise WrongSecret from error
        return self._former.unseal(sealed)


def new_key() -> str:
    return "".join(secrets.choice(_ALPHABET) for _ in range(KEY_LENGTH))
