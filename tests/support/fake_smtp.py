"""A mail server of the tests: accepts or rejects mails, and shows what it has."""

import email
import email.policy
import ssl
from datetime import UTC, datetime, timedelta
from email.message import EmailMessage
from ipaddress import ip_address
from pathlib import Path
from typing import Any

from aiosmtpd.controller import Controller
from aiosmtpd.smtp import SMTP, AuthResult, Envelope, LoginPassword, Session
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID
from tests.support.people import Chat
from tests.support.ports import own_port
from tests.support.waiting import TIMEOUT_SECONDS, eventually


class FakeSmtp:
    """`answers` are replies to certain addresses in place of acceptance."""

    def __init__(self, tls: ssl.SSLContext | None = None, login: tuple[str, str] | None = None):
        self.received: list[EmailMessage] = []
        self.answers: dict[str, str] = {}
        self.is_closed = False
        self._login = login
        options: dict[str, Any] = {}
        if tls is not None:
            options = {"tls_context": tls, "require_starttls": True}
        if login is not None:
            options |= {"authenticator": self._check, "auth_required": True}
            options |= {"auth_require_tls": tls is not None}
        self.port = own_port()
        options |= {"ready_timeout": TIMEOUT_SECONDS}
        self._controller = Controller(self, hostname="127.0.0.1", port=self.port, **options)

    def open(self) -> "FakeSmtp":
        self._controller.start()
        return self

    def close(self) -> None:
        self._controller.stop()

    @property
    def settings(self) -> dict[str, Any]:
        there = {"smtp_host": "127.0.0.1", "smtp_port": self.port, "smtp_security": "none"}
        return there | {"external_url": "http://localhost"}

    def mails_of(self, chat: Chat) -> list[EmailMessage]:
        """To any user of an organization; the server sends to others, too."""
        return self.mails_to(f"@{chat.host}")

    def mails_to(self, address: str) -> list[EmailMessage]:
        return [each for each in self.received if address in each["To"]]

    def last_mail_to(self, address: str, chat: Chat) -> EmailMessage:
        """The last mail to an address, once everything was sent."""
        chat.server.deliver("mail")
        eventually(lambda: self.mails_to(address))
        return self.mails_to(address)[-1]

    # --- callbacks of aiosmtpd ---

    async def handle_RCPT(  # noqa: N802
        self, server: SMTP, session: Session, envelope: Envelope, address: str, options: Any
    ) -> str:
        if self.is_closed:
            return "451 4.3.0 come back later"
        response = self.answers.get(address, "250 OK")
        if response.startswith("250"):
            envelope.rcpt_tos.append(address)
        return response

    async def handle_DATA(  # noqa: N802
        self, server: SMTP, session: Session, envelope: Envelope
    ) -> str:
        assert isinstance(envelope.content, bytes)
        message = email.message_from_bytes(envelope.content, policy=email.policy.default)
        assert isinstance(message, EmailMessage)
        self.received.append(message)
        return "250 OK"

    def _check(
        self, server: SMTP, session: Session, envelope: Envelope, mechanism: str, data: Any
    ) -> AuthResult:
        assert isinstance(data, LoginPassword)
        given = (data.login.decode(), data.password.decode())
        return AuthResult(success=given == self._login, handled=False)


def text_in(message: EmailMessage) -> str:
    part = message.get_body(("plain",))
    assert part is not None
    text: str = part.get_content()
    return text


def html_in(message: EmailMessage) -> str:
    part = message.get_body(("html",))
    assert part is not None
    text: str = part.get_content()
    return text


def link_in(message: EmailMessage) -> str:
    """The path of the only button in a mail."""
    (address,) = (line for line in text_in(message).splitlines() if line.startswith("http"))
    return "/" + address.split("/", 3)[3]


def certificate(folder: Path) -> ssl.SSLContext:
    """An untrusted certificate."""
    made, key = folder / "certificate.pem", folder / "key.pem"
    _write_self_signed(made, key)
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(made, key)
    return context


def _write_self_signed(made: Path, key: Path) -> None:
    secret = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "127.0.0.1")])
    now = datetime.now(UTC)
    written = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(secret.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(
            x509.SubjectAlternativeName([x509.IPAddress(ip_address("127.0.0.1"))]), critical=False
        )
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(secret, hashes.SHA256())
    )
    made.write_bytes(written.public_bytes(serialization.Encoding.PEM))
    key.write_bytes(
        secret.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        )
    )
