"""The TLS certificate of a server that runs without a proxy.

SIGHUP reloads the certificate after a renewal. New connections use the new one; open connections
stay as they are.
"""

import ssl
import tempfile
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from tertulia import file_permissions
from tertulia.config import Config
from tertulia.errors import StartupError
from tertulia.log import log

if TYPE_CHECKING:
    from cryptography import x509


WARNING_DAYS = 14
ACME_PROTOCOL = "acme-tls/1"
ACME_EXTENSION = "1.3.6.1.5.5.7.1.31"


class BadCertificate(StartupError):
    pass


class Certificate:
    """`host` is the name that clients use, if it is known; the certificate must be valid for it."""

    def __init__(self, cert: Path, key: Path, host: str = "") -> None:
        self._cert, self._key, self._host = cert, key, host
        self.expires_at = 0.0
        self.challenge: ssl.SSLContext | None = None  # for clients that ask for `acme-tls/1`
        self.context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self.context.minimum_version = ssl.TLSVersion.TLSv1_2
        self.context.set_alpn_protocols(["http/1.1"])
        self._load(self.context)

    @classmethod
    def of(cls, config: Config) -> "Certificate | None":
        """The certificate that the settings name, or None. Raises BadCertificate."""
        if config.acme_directory:
            return AcmeCertificate.of_host(config)
        if not config.tls_cert and not config.tls_key:
            return None
        if not config.tls_cert or not config.tls_key:
            raise BadCertificate("--tls-cert and --tls-key belong together.")
        # Behind a proxy, the certificate is for the name that the proxy uses.
        url = "" if config.trusted_proxies else config.external_url
        host = urlsplit(url).hostname or "" if url.startswith("https:") else ""
        return cls(Path(config.tls_cert), Path(config.tls_key), host)

    def reload(self) -> None:
        """Load the files again. If they cannot be used, the old certificate stays."""
        try:
            # Check first: a half-loaded context would be worse.
            self._load(ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER))
            self._load(self.context)
        except BadCertificate as error:
            log.error("server.certificate_rejected", reason=str(error))
        else:
            log.info("server.certificate_reloaded")

    def warn_before_expiry(self) -> None:
        """Log a warning in the last two weeks."""
        if not self.expires_at:
            return
        days = (self.expires_at - time.time()) / 86_400
        if days < WARNING_DAYS:
            log.warning("server.certificate_expires_soon", days=round(days, 1))

    def _load(self, context: ssl.SSLContext) -> None:
        """Load the files into a context. Raises BadCertificate."""
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
        self._check(self._cert.read_bytes())

    def _check(self, pem: bytes) -> None:
        """Raise BadCertificate if clients would reject the certificate; set `expires_at`."""
        from cryptography import x509

        shown = x509.load_pem_x509_certificate(pem)
        now, begin, end = datetime.now(UTC), shown.not_valid_before_utc, shown.not_valid_after_utc
        if now > end:
            raise BadCertificate(f"The certificate in {self._cert} expired on {_date(end)}.")
        if now < begin:
            raise BadCertificate(
                f"The certificate in {self._cert} is not valid before {_date(begin)}."
                " Check this machine's clock."
            )
        names = _names(shown)
        if self._host and not any(_covers(name, self._host) for name in names):
            raise BadCertificate(
                f"The certificate in {self._cert} is for {', '.join(names) or 'no host'},"
                f" not for {self._host}, which is in external_url."
            )
        # A temporary certificate has no expiry to warn of: the job replaces it.
        self.expires_at = 0.0 if shown.subject == _temporary_name() else end.timestamp()


class AcmeCertificate(Certificate):
    """A certificate that a job gets by ACME. Until then the server shows a self-signed one."""

    def __init__(self, path: Path, host: str) -> None:
        try:
            super().__init__(path, path, host)
        except BadCertificate:
            file_permissions.write_private(path, _self_signed(host))
            super().__init__(path, path, host)

    @classmethod
    def of_host(cls, config: Config) -> "AcmeCertificate":
        if config.tls_cert or config.tls_key:
            raise BadCertificate("acme_directory and tls_cert exclude each other.")
        if not config.external_url.startswith("https://"):
            raise BadCertificate(
                "acme_directory needs external_url, such as https://chat.example.com."
            )
        return cls(config.data / "acme.pem", config.external_host)

    def use(self, chain: str, key: str) -> None:
        """Show a certificate from now on, unless it is the present one."""
        pem = f"{chain.rstrip()}\n{key}".encode()
        if self._cert.read_bytes() != pem:
            file_permissions.write_private(self._cert, pem)
            self.reload()

    def begin_challenge(self, host: str, digest: bytes) -> None:
        """Answer TLS-ALPN-01 (RFC 8737): only clients that ask for `acme-tls/1` see this."""
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.set_alpn_protocols([ACME_PROTOCOL])
        with tempfile.NamedTemporaryFile(dir=self._cert.parent, suffix=".pem") as file:
            file.write(_self_signed(host, digest))
            file.flush()
            context.load_cert_chain(file.name)
        self.challenge = context

    def end_challenge(self) -> None:
        self.challenge = None


def _self_signed(host: str, digest: bytes | None = None) -> bytes:
    """A certificate and its key as PEM, with the digest of an ACME challenge if there is one."""
    from cryptography import x509
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec

    key, now = ec.generate_private_key(ec.SECP256R1()), datetime.now(UTC)
    name = _temporary_name()
    builder = (
        x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=7))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName(host)]), critical=False)
    )
    if digest is not None:
        value = b"\x04" + bytes([len(digest)]) + digest  # an OCTET STRING
        builder = builder.add_extension(
            x509.UnrecognizedExtension(x509.ObjectIdentifier(ACME_EXTENSION), value), critical=True
        )
    text = key.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        serialization.NoEncryption(),
    )
    return builder.sign(key, hashes.SHA256()).public_bytes(serialization.Encoding.PEM) + text


def _temporary_name() -> "x509.Name":
    from cryptography import x509

    return x509.Name([x509.NameAttribute(x509.oid.NameOID.COMMON_NAME, "temporary")])


def _names(shown: "x509.Certificate") -> list[str]:
    from cryptography import x509

    try:
        found = shown.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    except x509.ExtensionNotFound:
        return []
    addresses = map(str, found.get_values_for_type(x509.IPAddress))
    return [*found.get_values_for_type(x509.DNSName), *addresses]


def _covers(name: str, host: str) -> bool:
    """Whether a name is the host, a wildcard for it, or one for its subdomains, where the
    organizations of a server are."""
    name, host = name.lower(), host.lower()
    return name in (host, f"*.{host}", f"*.{host.partition('.')[2]}")


def _date(moment: datetime) -> str:
    return f"{moment:%Y-%m-%d %H:%M} UTC"
