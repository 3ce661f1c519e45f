"""Gets and renews the certificate by ACME, as the leader; loads it, on every server.

An authority limits failures per hour, so the time between attempts grows.
"""

import time
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Protocol

from cryptography import x509

from tertulia import actions
from tertulia.actions.acme import Issued, PendingChallenge
from tertulia.config import Config
from tertulia.database import Database
from tertulia.domain.people.keys import Vault
from tertulia.external import acme
from tertulia.external.acme import HTTP_01, TLS_ALPN_01, AcmeClient, AcmeError, Challenge
from tertulia.log import log

RENEW_DAYS = 30
MIN_RETRY_SECONDS, MAX_RETRY_SECONDS = 300.0, 6 * 3600.0


class ShownCertificate(Protocol):
    """The certificate that this server shows to clients."""

    def use(self, chain: str, key: str) -> None: ...
    def begin_challenge(self, host: str, digest: bytes) -> None: ...
    def end_challenge(self) -> None: ...


class CertificateRenewal:
    """`shown` returns the certificate of this server, which is there once the server listens."""

    def __init__(
        self,
        config: Config,
        database: Database,
        vault: Vault,
        shown: Callable[[], ShownCertificate | None],
    ) -> None:
        self._config, self._database, self._vault = config, database, vault
        self._shown = shown
        self._host = config.external_host
        self._retry_seconds = MIN_RETRY_SECONDS
        self._next_attempt = 0.0

    async def load(self) -> None:
        """Show the newest certificate, on every server."""
        certificate = self._shown()
        issued = await self._database.of(0).query(actions.acme.certificate, self._vault)
        if certificate is not None and issued is not None and issued.host == self._host:
            certificate.use(issued.chain, issued.key)

    async def renew(self) -> None:
        """Get a certificate if there is none for the host, or it expires within a month."""
        issued = await self._database.of(0).query(actions.acme.certificate, self._vault)
        is_good = issued is not None and issued.host == self._host and not _is_old(issued)
        if is_good or time.monotonic() < self._next_attempt:
            return
        try:
            await self._obtain()
        except AcmeError as error:
            self._next_attempt = time.monotonic() + self._retry_seconds
            retry = round(self._retry_seconds)
            log.error(
                "server.certificate_not_issued",
                host=self._host,
                authority=self._config.acme_directory,
                reason=str(error)[:300],
                retry_s=retry,
            )
            self._retry_seconds = min(2 * self._retry_seconds, MAX_RETRY_SECONDS)
        else:
            self._retry_seconds = MIN_RETRY_SECONDS
            log.info("server.certificate_issued", host=self._host)
            await self.load()

    async def _obtain(self) -> None:
        database, vault, config = self._database, self._vault, self._config
        account = await database.of(0).write(actions.acme.account_key, vault, acme.new_key())
        kinds = [HTTP_01, TLS_ALPN_01] if config.acme_http_port else [TLS_ALPN_01]
        client = AcmeClient(config.acme_directory, account, config.acme_email, kinds)
        key = acme.new_key()
        try:
            chain = await client.obtain(self._host, key, self._prepare)
        finally:
            if (certificate := self._shown()) is not None:
                certificate.end_challenge()
        issued = Issued(self._host, chain, key)
        await database.of(0).write(actions.acme.store_certificate, vault, issued)

    async def _prepare(self, challenge: Challenge) -> None:
        certificate = self._shown()
        if challenge.kind == HTTP_01:
            pending = PendingChallenge(challenge.token, challenge.authorization)
            await self._database.of(0).write(actions.acme.set_challenge, pending)
        elif certificate is not None:
            certificate.begin_challenge(challenge.host, challenge.digest)


def _is_old(issued: Issued) -> bool:
    shown = x509.load_pem_x509_certificate(issued.chain.encode())
    return (shown.not_valid_after_utc - datetime.now(UTC)).days < RENEW_DAYS
