"""Sends queued mails: each at least once, with exponential backoff, for at most a day.

A mail is claimed before it is sent and deleted afterwards. If the server is killed in between, the
mail is sent again some minutes later, with the same Message-ID.
"""

import asyncio
import contextlib

import msgspec
from msgspec import field

from tertulia import actions, storage
from tertulia.config import Config
from tertulia.database import Database
from tertulia.domain.emails import PostedLetter
from tertulia.domain.people.keys import Vault
from tertulia.external.mail import mail_composer, smtp
from tertulia.external.mail.smtp import NotSent, SmtpConnection
from tertulia.jobs.runner import described
from tertulia.log import log


class Round(msgspec.Struct):
    """The outcome for each mail of one batch."""

    sent: list[PostedLetter] = field(default_factory=list)
    failed: list[PostedLetter] = field(default_factory=list)
    refused: list[PostedLetter] = field(default_factory=list)  # permanently


class MailSender:
    def __init__(self, config: Config, database: Database, vault: Vault) -> None:
        self._config = config
        self._database = database
        self._vault = vault
        self._turn = asyncio.Lock()
        self._is_in_trouble = False
        self.sent = 0
        self.given_up = 0
        self.waiting = 0

    async def send_due(self) -> None:
        """Send everything that is due, one batch at a time."""
        async with self._turn:
            await self._go_round()

    async def _go_round(self) -> None:
        while await self._database.read_in(0, storage.mail_outbox.is_any_due):
            letters = await self._database.write_in(0, actions.mail_outbox.take_due)
            done = await self._carry(letters)
            given_up = await self._database.write_in(
                0, actions.mail_outbox.note_outcome, done.sent, done.failed, done.refused
            )
            self.sent += len(done.sent)
            self.given_up += len(given_up)
            for letter in given_up:
                log.error("mail.given_up", mail_id=letter.id, kind=letter.kind)
            if not done.sent:
                break
        self.waiting = await self._database.read_in(0, storage.mail_outbox.count)

    async def _carry(self, letters: list[PostedLetter]) -> Round:
        done = Round()
        async with contextlib.AsyncExitStack() as stack:
            try:
                post = await stack.enter_async_context(smtp.connected(self._config))
            except NotSent as trouble:
                self._note_trouble(str(trouble))
                done.failed.extend(letters)
                return done
            for letter in letters:
                await self._send(post, letter, done)
        return done

    async def _send(self, post: SmtpConnection, letter: PostedLetter, done: Round) -> None:
        try:
            realm = await self._database.query(0, storage.organization.find, letter.realm_id)
            await post.send(
                mail_composer.mail(
                    actions.mail_outbox.opened(self._vault, letter),
                    sender=self._config.sender,
                    name="Tertulia" if realm is None else realm.name,
                    number=self._vault.signature(f"letter {letter.id} {letter.written_at}")[:32],
                    now=letter.written_at,
                )
            )
            done.sent.append(letter)
            self._is_in_trouble = False
        except NotSent as trouble:
            self._note_trouble(str(trouble))
            (done.refused if trouble.is_final else done.failed).append(letter)
        except Exception as error:  # it must not block the other mails
            log.error(
                "mail.compose_failed", mail_id=letter.id, kind=letter.kind, **described(error)
            )
            done.failed.append(letter)

    def _note_trouble(self, reason: str) -> None:
        """Log the first of several failures in a row as a warning, the others as `debug`."""
        if self._is_in_trouble:
            log.debug("mail.send_failed_again", server=self._config.smtp_host, reason=reason)
        else:
            log.warning("mail.send_failed", server=self._config.smtp_host, reason=reason)
        self._is_in_trouble = True
