"""The TLS certificate of a server that runs without a proxy.

SIGHUP reloads the certificate after a renewal. New connections use the new one; open connections
stay as they are.
"""

import ssl
from pathlib import Path

from tertulia.config import Config
from tertulia.errors import StartupError
from tertulia.log import log


class BadCertificate(StartupError):
    pass


class Certificate:
    def __init__(self, cert: Path, key: Path) -> None:
        self._cert, self._key = cert, key
        self.context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self.context.minimum_version = ssl.TLSVersion.TLSv1_2
        self.context.set_alpn_protocols(["http/1.1"])
        self._load(self.context)

    @classmethod
    def of(cls, config: Config) -> "Certificate | None":
        """The certificate that the settings name, or None. Raises BadCertificate."""
        if not config.tls_cert and not config.tls_key:
            return None
        if not config.tls_cert or not config.tls_key:
            raise BadCertificate("--tls-cert and --tls-key belong together.")
        return cls(Path(config.tls_cert), Path(config.tls_key))

    def read_again(self) -> None:
        """Load the files again. If they cannot be used, the old certificate stays."""
        try:
            # Check first: a half-loaded context would be worse.
            self._load(ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER))
            self._load(self.context)
        except BadCertificate as error:
            log.error("server.certificate_rejected", reason=str(error))
        else:
            log.info("server.certificate_reloaded")

    def _load(self, context: ssl.SSLContext) -> None:
        try:
            context.load_cert_chain(self._cert, self._key)
        except ssl.SSLError as error:
            reason = error.reason or "it is not in the form that is expected"
            raise BadCertificate(
                f"The certificate in {self._cert} cannot be used with the key in {self._key}:"
                f" {reason}."
            ) from None
        except OSError as error:
            raise BadCertificate(
                f"The certificate in {self._cert} or the key in {self._key} cannot be read:"
                f" {error.strerror}."
            ) from None
