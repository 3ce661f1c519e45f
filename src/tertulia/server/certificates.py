"""The certificate of a server that speaks TLS itself, for those who have no proxy in front of it.

A certificate is renewed every few weeks: SIGHUP has it read again, and who connects from then on
is shown the new one. Connections that are open stay as they are.
"""

import ssl
from pathlib import Path

from tertulia.config import Config
from tertulia.errors import StartupError
from tertulia.log import log


class BadCertificate(StartupError):
    """The certificate or its key cannot be used."""


class Certificate:
    def __init__(self, cert: Path, key: Path) -> None:
        self._cert, self._key = cert, key
        self.context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self.context.minimum_version = ssl.TLSVersion.TLSv1_2
        self.context.set_alpn_protocols(["http/1.1"])
        self._load(self.context)

    @classmethod
    def of(cls, config: Config) -> "Certificate | None":
        """The one that the settings name, if they do; raises BadCertificate."""
        if not config.tls_cert and not config.tls_key:
            return None
        if not config.tls_cert or not config.tls_key:
            raise BadCertificate("--tls-cert and --tls-key belong together.")
        return cls(Path(config.tls_cert), Path(config.tls_key))

    def read_again(self) -> None:
        """Take what the files hold now. What cannot be used changes nothing."""
        try:
            self._load(ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER))  # half a change would be worse
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
