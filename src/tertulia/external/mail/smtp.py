"""SMTP client: sends mails through the operator's mail server.

Its certificate is always verified against the authorities that the system trusts.
"""

import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from email.message import EmailMessage
from typing import Any

from tertulia.config import Config

TIMEOUT_SECONDS = 30.0


class SendFailed(Exception):
    """The mail server did not accept a mail. With `is_final` a retry is useless."""

    def __init__(self, words: str, *, is_final: bool = False) -> None:
        super().__init__(words)
        self.is_final = is_final


class SmtpConnection:
    def __init__(self, client: Any, library: Any) -> None:
        self._client = client
        self._library = library

    async def send(self, message: EmailMessage) -> None:
        """Raises SendFailed."""
        try:
            await self._client.send_message(message)
        except self._library.SMTPRecipientsRefused as refused:
            codes = [each.code for each in refused.recipients]
            words = "; ".join(f"{each.code} {each.message}" for each in refused.recipients)
            raise SendFailed(words, is_final=all(code >= 500 for code in codes)) from refused
        except (self._library.SMTPException, OSError) as trouble:
            raise SendFailed(_describe(trouble)) from trouble


@asynccontextmanager
async def connect(config: Config) -> AsyncIterator[SmtpConnection]:
    """A connection to the mail server for several mails. Raises SendFailed."""
    import aiosmtplib as library

    client = library.SMTP(
        hostname=config.smtp_host,
        port=config.smtp_port,
        username=config.smtp_user or None,
        password=config.smtp_password or None,
        use_tls=config.smtp_security == "tls",
        start_tls=config.smtp_security == "starttls",
        tls_context=None if config.smtp_security == "none" else ssl.create_default_context(),
        timeout=TIMEOUT_SECONDS,
    )
    try:
        await client.connect()
    except (library.SMTPException, OSError) as trouble:
        client.close()
        hint = _setting_to_check(trouble)
        raise SendFailed(f"{_describe(trouble)}{hint and f' (look at {hint})'}") from trouble
    try:
        yield SmtpConnection(client, library)
    finally:
        try:
            await client.quit()
        except (library.SMTPException, OSError):
            client.close()


def _setting_to_check(trouble: Exception) -> str:
    """The settings that a failed connection is about, if it is about encryption."""
    text = str(trouble).lower()
    if "certificate" in text:
        return "smtp_host, whose certificate is not valid for this name"
    if any(word in text for word in ("tls", "ssl", "unexpected eof", "connection lost")):
        return "smtp_security and smtp_port"
    return ""


def _describe(trouble: Exception) -> str:
    words = getattr(trouble, "message", "") or str(trouble) or type(trouble).__name__
    code = getattr(trouble, "code", None)
    return f"{code} {words}" if code else str(words)
