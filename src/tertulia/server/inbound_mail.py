"""Inbound mail: turns a received mail into a message.

A mail is acknowledged only after its message is stored; until then the mail server keeps it and
tries again. A mail that arrives twice is one message, identified by its Message-ID. Parsing may
take long, so it runs on threads that are shared fairly between senders.
"""

import re
from collections.abc import Awaitable, Callable
from functools import partial
from typing import ParamSpec, TypeVar

from tertulia import actions, domain
from tertulia.actions.files.upload import UploadWriter
from tertulia.actions.inbound_mail import MailDestination
from tertulia.actions.messages.draft import Author
from tertulia.config import Config
from tertulia.database import Database, OrgDatabase
from tertulia.database.blocking import BlockingRunner
from tertulia.domain.files.attachments import Attachment, Quota
from tertulia.domain.inbound_mail import (
    MAX_FILES,
    MAX_HOPS,
    NO_WORDS,
    ChannelAddress,
    MailAddress,
    MailFile,
    MailRefused,
    ReceivedMail,
    ReplyAddress,
)
from tertulia.domain.limits import MAX_MESSAGE_LENGTH, MAX_TOPIC_LENGTH
from tertulia.domain.messages.message import Draft
from tertulia.errors import ClientError
from tertulia.errors.http import RateLimited, ServiceUnavailable
from tertulia.events.directory.organization import Organization
from tertulia.external.mail import mail_parser
from tertulia.external.mail.mail_parser import DEFAULT_FILE_NAME
from tertulia.fair_queue import FairQueue, Person
from tertulia.log import log

CLIENT = "Mail"

_CALL = re.compile(r"@(?=\*)")
_MARKUP = re.compile(r"[*`\[\]]")

MAILS = FairQueue("mails", slots=2, slots_per_person=1, max_waiting=8)

P = ParamSpec("P")
T = TypeVar("T")

FindOrganization = Callable[[int], Awaitable[Organization | None]]


class InboundMail:
    def __init__(
        self,
        config: Config,
        database: Database | BlockingRunner,
        find_organization: FindOrganization,
    ) -> None:
        self._config = config
        self._database = database
        self._find_organization = find_organization
        self.counts = {"accepted": 0, "deferred": 0, "refused": 0}

    async def resolve(self, recipient: str) -> None:
        """Raises MailRefused for an unknown address."""
        await self._target(recipient)

    async def accept(self, recipient: str, raw: bytes, sender: str = "") -> str:
        """Post a mail to the destination of its address. Returns what was done with it, as text.

        `sender` is the envelope sender, used for fair scheduling. Raises MailRefused.
        """
        try:
            done = await self._accept(recipient, raw, sender)
        except MailRefused as refusal:
            self.counts["deferred" if refusal.code.startswith("4") else "refused"] += 1
            raise
        self.counts["accepted"] += 1
        return done

    async def _accept(self, recipient: str, raw: bytes, sender: str) -> str:
        """The same; other errors become MailRefused."""
        try:
            return await self._post(recipient, raw, sender.strip().lower())
        except RateLimited:
            words = "Too many mails of this sender wait; try again later."
            raise MailRefused("4.7.0", words) from None
        except ServiceUnavailable:
            raise MailRefused("4.3.0", "The data is away for a moment; try again later.") from None
        except ClientError as refusal:
            raise MailRefused("5.7.1", refusal.msg) from None

    async def _post(self, recipient: str, raw: bytes, sender: str) -> str:
        address, target = await self._target(recipient)
        if len(raw) > domain.inbound_mail.MAX_BYTES:
            raise too_large()
        db = self._database.of(target.realm_id)
        await db.write(actions.inbound_mail.count, address)
        mail = await _in_thread(sender, mail_parser.parse, raw)
        if _is_to_be_dropped(mail, address):
            # No reply: two machines might answer each other forever.
            log.info("mail.inbound_dropped", reason="automatic reply")
            return "dropped: it was written by a machine"
        if mail.hops > MAX_HOPS:
            raise MailRefused("5.4.6", "This mail goes in circles.")
        org = await self._find_organization(target.realm_id)
        if org is None:
            raise _unknown(recipient)
        destination = await db.read(actions.inbound_mail.destination, target)
        if not await db.read(actions.inbound_mail.is_new, address, mail.number):
            return "already posted"
        words, destination, files = await _in_thread(
            sender, _content_of, mail, address, destination
        )
        if not words and not files:
            raise MailRefused("5.6.0", "The mail says nothing of its own.")
        uploaded: list[Attachment] = []
        is_posted = False
        try:
            for each in files[:MAX_FILES]:
                uploaded.append(await self._uploaded(db, destination, each))
            links = [_link(each) for each in uploaded]
            if len(files) > MAX_FILES:
                links.append(f"(+ {len(files) - MAX_FILES})")
            text = domain.inbound_mail.with_links(words, links, MAX_MESSAGE_LENGTH)
            draft = await self._composed(db, org, destination, text)
            is_posted = await db.write(
                actions.inbound_mail.post_message,
                address,
                mail.number,
                destination,
                draft,
                org.email_domain,
            )
        finally:
            if uploaded and not is_posted:
                ids = [each.id for each in uploaded]
                await db.write(actions.inbound_mail.delete_unused_files, ids)
        return "posted" if is_posted else "already posted"

    async def _target(self, recipient: str) -> tuple[MailAddress, ReplyAddress | ChannelAddress]:
        address = domain.inbound_mail.read_address(recipient, self._config.mail_in_address)
        if address is None:
            raise _unknown(recipient)
        found = await self._database.of(0).read(actions.mail_addresses.find, address)
        if found is None:
            raise _unknown(recipient)
        return address, found

    async def _uploaded(
        self, db: OrgDatabase, destination: MailDestination, file: MailFile
    ) -> Attachment:
        quota = Quota(self._config.upload_quota_mib, self._config.user_upload_quota_mib)
        receiving = UploadWriter(
            db, destination.owner, self._config.max_upload_mib, quota, len(file.data)
        )
        try:
            await receiving.write(file.data)
            return await receiving.finish(file.name, file.content_type)
        except Exception:
            await receiving.abort()
            raise

    async def _composed(
        self, db: OrgDatabase, org: Organization, destination: MailDestination, text: str
    ) -> Draft:
        author = Author(db, org, destination.owner)
        return await actions.messages.draft.compose(author, text, CLIENT, None)


def too_large() -> MailRefused:
    limit = domain.inbound_mail.MAX_BYTES >> 20
    return MailRefused("5.3.4", f"The mail is larger than {limit} MiB.")


def _unknown(recipient: str) -> MailRefused:
    shown = "".join(each for each in recipient if each.isprintable())[:200]
    return MailRefused("5.1.1", f"Bad destination mailbox address: {shown}")


def _link(file: Attachment) -> str:
    """A link whose text has no markup, so that a file name can mention no user, group or
    channel."""
    name = _MARKUP.sub(lambda found: {"[": "(", "]": ")"}.get(found[0], ""), file.name)
    return f"[{name or DEFAULT_FILE_NAME}]({file.url})"


async def _in_thread(sender: Person, read: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Parse a mail on a thread, when it is this sender's turn.

    The result depends on the mail alone, so a mail that makes the parser fail is rejected for good.
    The mail server would send it again for days otherwise.
    """
    try:
        return await MAILS.run(sender, partial(read, *args, **kwargs))
    except (MailRefused, ClientError, MemoryError):
        raise
    except Exception as error:
        log.error("mail.inbound_unreadable", exc_info=error)
        raise MailRefused("5.6.0", "The mail cannot be read.") from None


def _is_to_be_dropped(mail: ReceivedMail, address: MailAddress) -> bool:
    """Programs may write to a channel, but not reply there, and never as a person."""
    if mail.is_ours or mail.is_answer_of_machine:
        return True
    return address.is_reply and mail.is_written_by_machine


def _content_of(
    mail: ReceivedMail, address: MailAddress, destination: MailDestination
) -> tuple[str, MailDestination, list[MailFile]]:
    """The text, its destination, and its files."""
    options = address.options
    quotes = "include-quotes" in options or (not address.is_reply and mail.is_forwarded)
    footer = "include-footer" in options
    words, pictures = "", {each.content_id for each in mail.files}
    if mail.text.strip() and not ("prefer-html" in options and mail.html):
        words = domain.mail_text.written(mail.text, quotes=quotes, footer=footer)
    if mail.html:
        shown, kept = domain.mail_html.text_of(mail.html, quotes=quotes, footer=footer)
        words = words or domain.mail_text.written(shown, quotes=quotes, footer=footer)
        pictures = kept
    files = [each for each in mail.files if not each.content_id or each.content_id in pictures]
    if address.is_reply:
        return words, destination, files
    return *_for_channel(mail, address, destination, words), files


def _for_channel(
    mail: ReceivedMail, address: MailAddress, destination: MailDestination, words: str
) -> tuple[str, MailDestination]:
    """A mail of an unknown sender mentions no one. The subject becomes the topic."""
    assert destination.channel is not None
    topic, is_cut = domain.inbound_mail.topic_of(mail.subject, MAX_TOPIC_LENGTH)
    if destination.channel.topics_policy == domain.channels.topics.EMPTY_ONLY:
        topic, is_cut = "", bool(mail.subject)
    parts = [_CALL.sub("@_", words) or NO_WORDS]
    if is_cut:
        subject = _CALL.sub("@_", " ".join(mail.subject.split()))
        parts.insert(0, f"Subject: {subject}")
    if "show-sender" in address.options:
        parts.insert(0, f"From: {mail_parser.sender_text(mail.sender)}")
    destination = MailDestination(destination.author, destination.owner, destination.channel, topic)
    return "\n".join([*parts[:-1], "", parts[-1]]).strip(), destination
