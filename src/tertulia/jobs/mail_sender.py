"""Sends the mails of the outbox by SMTP, several over one connection.

If the server is killed after a mail was sent and before it was deleted, it is sent again some
minutes later, with the same Message-ID.
"""

import contextlib
from collections.abc import Sequence

import msgspec
from msgspec import field

from tertulia import actions, storage
from tertulia.config import Config
from tertulia.database import Database
from tertulia.domain.outbox import OutboxItem, Transport
from tertulia.domain.people.keys import Vault
from tertulia.external.mail import mail_composer, smtp
from tertulia.external.mail.smtp import SendFailed, SmtpConnection
from tertulia.jobs.outbox import Outbox
from tertulia.jobs.runner import described
from tertulia.log import log


class BatchResult(msgspec.Struct):
    """The outcome for each mail of one batch."""

    sent: list[OutboxItem] = field(default_factory=list)
    failed: list[OutboxItem] = field(default_factory=list)
    refused: list[OutboxItem] = field(default_factory=list)  # permanently


class MailSender:
    transport: Transport = "mail"
    job_name = "mail"
    every_seconds = 1.0
    max_claimed = 20
    max_claimed_per_person = 20

    def __init__(self, config: Config, database: Database, outbox: Outbox, vault: Vault) -> None:
        self._config = config
        self._database = database
        self._outbox = outbox
        self._vault = vault
        self._is_failing = False

    def lane_of(self, item: OutboxItem) -> None:
        """One connection to the mail server is enough."""
        return

    async def send(self, items: Sequence[OutboxItem]) -> bool:
        claimed = await self._database.of(0).write(actions.outbox.claim, items)
        if not claimed:
            return False
        done = await self._send_batch(claimed)
        given_up = done.refused + await self._database.of(0).write(
            actions.outbox.record_results, done.sent + done.refused, done.failed
        )
        self._outbox.sent["mail"] += len(done.sent)
        self._outbox.given_up["mail"] += len(given_up)
        for item in given_up:
            log.error("mail.given_up", mail_id=item.id, kind=item.kind)
        return bool(done.sent)

    def log_failure(self, item: OutboxItem, error: Exception) -> None:
        log.error("mail.compose_failed", mail_id=item.id, kind=item.kind, **described(error))

    async def _send_batch(self, items: list[OutboxItem]) -> BatchResult:
        done = BatchResult()
        async with contextlib.AsyncExitStack() as stack:
            try:
                connection = await stack.enter_async_context(smtp.connect(self._config))
            except SendFailed as error:
                self._log_outage(str(error))
                done.failed.extend(items)
                return done
            for item in items:
                await self._send(connection, item, done)
        return done

    async def _send(self, connection: SmtpConnection, item: OutboxItem, done: BatchResult) -> None:
        try:
            realm = await self._database.of(0).query(
                storage.organization.realms.find, item.realm_id
            )
            await connection.send(
                mail_composer.compose(
                    actions.outbox.opened_mail(self._vault, item),
                    sender=self._config.sender,
                    name="Tertulia" if realm is None else realm.name,
                    number=self._vault.signature(f"letter {item.id} {item.created_at}")[:32],
                    now=item.created_at,
                )
            )
            done.sent.append(item)
            self._is_failing = False
        except SendFailed as error:
            self._log_outage(str(error))
            (done.refused if error.is_final else done.failed).append(item)
        except Exception as error:  # it must not block the other mails
            self.log_failure(item, error)
            done.failed.append(item)

    def _log_outage(self, reason: str) -> None:
        """Log the first of several failures in a row as a warning, the others as `debug`."""
        if self._is_failing:
            log.debug("mail.send_failed_again", server=self._config.smtp_host, reason=reason)
        else:
            log.warning("mail.send_failed", server=self._config.smtp_host, reason=reason)
        self._is_failing = True
