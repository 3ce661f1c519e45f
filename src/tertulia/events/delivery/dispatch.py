"""Delivery: puts events into mailboxes and answers polls from them.

Everything here runs on the event loop. A mailbox that was dropped is filled again from the log,
with the directory rewound to that moment (`events.delivery.past_directory`), so a restart
changes nothing for the client.
"""

from collections import defaultdict
from dataclasses import replace
from functools import partial

import msgspec

from tertulia import storage
from tertulia.caches.all_caches import Caches
from tertulia.database import Database
from tertulia.database.tx import Tx
from tertulia.domain.messages.external_pictures import AS_IT_IS, Shown
from tertulia.domain.people.user import User
from tertulia.errors.events import BadQueue, EventNotInQueue
from tertulia.events import log_identity
from tertulia.events.audience import Users, WasSubscribed
from tertulia.events.delivery import log_pages
from tertulia.events.delivery.ephemeral_delivery import EphemeralDelivery
from tertulia.events.delivery.heartbeats import Heartbeats
from tertulia.events.delivery.mailbox import (
    Mailbox,
    MailboxRegistry,
    event_id,
    is_among,
    new_receipts,
    receiving,
    seq_of,
)
from tertulia.events.delivery.past_directory import PastOrganization
from tertulia.events.delivery.poll_wakeup import WakeupQueue
from tertulia.events.directory.follower import Follower
from tertulia.events.directory.organization import Organization
from tertulia.events.directory.registry import Organizations
from tertulia.events.listener import Listener, decode_options
from tertulia.events.logged_event import LoggedEvent
from tertulia.events.types.event import Receipt, Record
from tertulia.storage.queues import Position, StoredQueue

COLD_AFTER_SECONDS = 150  # then the mailbox is dropped; its queue stays
HEARTBEAT = b'{"type":"heartbeat"}'


class Delivery:
    def __init__(
        self,
        database: Database,
        email_domain: str,
        heartbeat_seconds: float,
        caches: Caches,
        shown: Shown = AS_IT_IS,
    ) -> None:
        """`shown` converts a message's HTML when it is sent to a client."""
        self.follower = Follower(
            database, email_domain, shown, caches, self._distribute, self._reset_mailboxes
        )
        self.mailboxes = MailboxRegistry()
        self._database = database
        self._heartbeats = Heartbeats(self.mailboxes, heartbeat_seconds, self._send_heartbeat)
        self._waking = WakeupQueue()
        self.ephemeral = EphemeralDelivery(
            database, self.organizations, self.mailboxes, self._waking.wake
        )
        self._stopping = False

    @property
    def organizations(self) -> Organizations:
        """The organizations in memory; `follower.finder` loads the others."""
        return self.follower.organizations

    def evict_unused(self) -> None:
        """Evict organizations without recent requests and without queues."""
        for realm_id in self.organizations.unused():
            if not self.mailboxes.is_listening(realm_id):
                self.follower.evict(realm_id)

    # --- events into mailboxes ---

    def _distribute(self, org: Organization, logged: LoggedEvent) -> None:
        found, now = self.mailboxes.for_event(org, logged), self._database.clock()
        for mailbox in receiving(found, logged.seq - 1, now):
            if logged.seq > mailbox.scanned:
                self._deliver_to(mailbox, org, logged)
        self._revoke(org, logged)

    def _deliver_to(self, mailbox: Mailbox, org: Organization, logged: LoggedEvent) -> None:
        """An event that cannot be encoded for one client is still delivered to the others."""
        subscribed_now = partial(org.subscriptions.includes, mailbox.listener.user_id)
        try:
            self._enqueue(mailbox, org, logged, subscribed_now)
        except Exception as error:
            self.follower.skipped.add(logged, error)
            self._drop(mailbox)
        if mailbox.is_full:
            mailbox.mark_behind(logged.seq)

    def _enqueue(
        self,
        mailbox: Mailbox,
        org: Organization,
        logged: LoggedEvent,
        was_subscribed: WasSubscribed,
    ) -> bool:
        """Put an event into a mailbox. False if the event is not for it or produces no output."""
        if not logged.is_for(org, mailbox.listener, was_subscribed):
            return False
        if logged.about.mergeable is not None:
            event = mailbox.merge(logged.event)
            if event is not logged.event:
                logged = replace(logged, event=event, encoded={})
        bodies = logged.encode_for(org, mailbox.listener)
        mailbox.add_durable(logged.seq, bodies, logged.about, logged.stamp)
        self._waking.wake(mailbox)
        return bool(bodies)

    def _revoke(self, org: Organization, logged: LoggedEvent) -> None:
        """Close the queues of revoked keys; drop messages that their readers have lost access
        to."""
        lost = logged.event.revocation()
        for mailbox in self.mailboxes.of_users(org.realm.id, lost.queues_of):
            self._close(mailbox)
        among = self.mailboxes.for_audience(org, logged.audience) if lost.channels else []
        for channel_id, user_ids in lost.channels.items():
            for mailbox in (
                among
                if user_ids is None
                else self.mailboxes.for_audience(org, Users(list(user_ids)))
            ):
                if mailbox.pending and not org.may_read(mailbox.listener.user_id, channel_id):
                    mailbox.drop_channel(channel_id)
        if lost.messages:
            for mailbox in self.mailboxes.of_organization(org.realm.id):
                if not logged.audience.others_keep or is_among(mailbox, logged.audience, org):
                    mailbox.drop_messages(lost.messages)

    def _reset_mailboxes(self, org: Organization) -> None:
        """The organization was loaded again: mailboxes must be filled from the log."""
        for mailbox in self.mailboxes.of_organization(org.realm.id):
            self._drop(mailbox)

    def _drop(self, mailbox: Mailbox) -> None:
        """Drop a mailbox. A poll that waits at it continues with a new one."""
        self.mailboxes.discard(mailbox)
        mailbox.poll.wake()

    # --- polls ---

    async def poll(
        self, user: User, queue_id: str, last_event_id: int, *, block: bool
    ) -> tuple[list[bytes], bool]:
        """The events after the given one, and whether the poll had to wait for them."""
        mailbox = await self.open(user, queue_id, last_event_id)
        check_stamp, applied = log_identity.check, self.organizations[user.realm_id].applied
        try:
            last_event_id, index = await check_stamp(self._database, mailbox, last_event_id)
            mailbox.acknowledge(last_event_id, applied, index)
        except (BadQueue, EventNotInQueue):
            self._drop(mailbox)  # the wrong id may have advanced it
            raise
        await self._fill(mailbox)
        mailbox.seen_at = self._database.clock()
        if self._is_dropped(mailbox):
            return await self.poll(user, queue_id, last_event_id, block=block)
        if mailbox.pending or not block or self._stopping:
            mailbox.poll.wake()
            return await self._contents(mailbox), False

        self._heartbeats.schedule(mailbox)
        try:
            await mailbox.poll.wait()
        finally:
            mailbox.seen_at = self._database.clock()
        if self._is_dropped(mailbox):
            return await self.poll(user, queue_id, last_event_id, block=block)
        return await self._contents(mailbox), True

    async def _contents(self, mailbox: Mailbox) -> list[bytes]:
        """The pending events as they are sent, with the current flags of their messages."""
        while receipts := new_receipts(mailbox.pending):
            db = self._database.of(mailbox.realm_id)
            still = await db.write(_record_receipts, [*receipts.values()])
            refused = {number for number, each in receipts.items() if each.id not in still}
            for entry in mailbox.pending:
                entry.is_recorded |= entry.id in receipts
            mailbox.drop(entry for entry in mailbox.pending if entry.id in refused)
        entries = mailbox.take_pending()
        message_ids = {each.about.flags_of for each in entries if each.about.flags_of is not None}
        flags: dict[int, bytes] = {}
        if message_ids:
            flags = await self._database.of(mailbox.realm_id).read(
                _read_flags, mailbox.listener.user_id, sorted(message_ids)
            )
            still = {each.id for each in mailbox.pending}
            entries = [entry for entry in entries if entry.id in still]
        return [entry.encoded(flags) for entry in entries]

    def _send_heartbeat(self, mailbox: Mailbox) -> None:
        org = self.organizations[mailbox.realm_id]
        mailbox.add_ephemeral(org.applied, HEARTBEAT, org.position.stamp)
        mailbox.poll.wake()

    async def open(self, user: User, queue_id: str, last_event_id: int = -1) -> Mailbox:
        """The mailbox of a queue; filled from the log if it is not in memory."""
        org = self.organizations[user.realm_id]
        seq = seq_of(last_event_id)
        if seq > org.applied:  # another server may be ahead of us
            await self.follower.catch_up()
            if seq > org.applied:  # the id is from another log
                raise BadQueue(queue_id=queue_id)
        mailbox = self.mailboxes.find(queue_id)
        if mailbox is None:
            stored = await self._database.of(user.realm_id).query(storage.queues.find, queue_id)
            if stored is None or stored.user_id != user.id:
                raise BadQueue(queue_id=queue_id)
            await log_identity.check_epoch(self.follower, stored, last_event_id)
            mailbox = self.mailboxes.find(queue_id) or self._load_mailbox(stored)
        if mailbox.listener.user_id != user.id:
            raise BadQueue(queue_id=queue_id)
        mailbox.seen_at = self._database.clock()
        if mailbox.behind:
            mailbox.seek(last_event_id)
        await self._fill(mailbox)
        if self._is_dropped(mailbox):
            return await self.open(user, queue_id, last_event_id)
        return mailbox

    def create_mailbox(self, queue: StoredQueue) -> None:
        """Create the mailbox of a new queue at this moment, before the queue is stored."""
        self._load_mailbox(queue).behind = False

    def _is_dropped(self, mailbox: Mailbox) -> bool:
        return self.mailboxes.find(mailbox.listener.queue_id) is not mailbox

    def _load_mailbox(self, stored: StoredQueue) -> Mailbox:
        listener = Listener(stored.id, stored.user_id, decode_options(stored.options))
        mailbox = Mailbox(
            listener,
            stored.realm_id,
            start=event_id(stored.start_seq),
            acked=stored.acked,
            seen_at=self._database.clock(),
        )
        mailbox.scanned = max(mailbox.scanned, stored.scanned)
        self.mailboxes.add(mailbox)
        return mailbox

    async def _fill(self, mailbox: Mailbox) -> None:
        """Read on in the log until there is something to deliver or nothing more to read.

        One poll at a time reads; others wait for its result. Two would add the same events twice.
        """
        if mailbox.needs_refill:
            async with mailbox.filling:
                while mailbox.needs_refill:
                    await self._refill_page(mailbox)

    async def _refill_page(self, mailbox: Mailbox) -> None:
        """Read the next page of the log into a mailbox.

        The directory may advance during the read. `applied` decides: later events are delivered
        when they are applied, earlier ones only here.
        """
        org = self.organizations[mailbox.realm_id]
        if mailbox.scanned >= org.applied:  # after a restart, for a client that had everything
            mailbox.behind = False
            return
        page = await self._database.of(mailbox.realm_id).read(log_pages.read_page, mailbox.scanned)
        if page is None:  # the log was trimmed
            self._close(mailbox)
            raise BadQueue(queue_id=mailbox.listener.queue_id)
        if org.turned_at > page.head:  # events that affect delivery are missing in the page
            return
        turns = page.turned_after(mailbox.scanned, org.applied)
        then = PastOrganization.before(turns, org, mailbox.listener.user_id) if turns else org
        for logged in page.logged:
            if mailbox.is_full:
                break
            if mailbox.scanned < logged.seq <= org.applied:
                self._enqueue_again(mailbox, then, logged)
                mailbox.scanned = logged.seq
        mailbox.behind = mailbox.scanned < org.applied

    def _enqueue_again(self, mailbox: Mailbox, then: Organization, logged: LoggedEvent) -> None:
        """An event that can no longer be sent may have been sent before, by this server or
        another."""
        user_id, event = mailbox.listener.user_id, logged.event
        if not event.is_readable:
            self.follower.skipped.add(logged)
        try:
            if then is not then.present and event.affects_delivery():
                event.apply(then)
            subscribed_then = partial(then.subscriptions.includes, user_id)
            is_delivered = not event.is_hidden_from(then, user_id) and self._enqueue(
                mailbox, then, logged, subscribed_then
            )
            if not is_delivered and logged.is_for(then, mailbox.listener, subscribed_then):
                mailbox.drop_deleted(logged.seq, logged.stamp)
        except Exception as error:
            self.follower.skipped.add(logged, error)
            mailbox.drop_deleted(logged.seq, logged.stamp)

    # --- closing ---

    def close_queue(self, queue_id: str) -> None:
        mailbox = self.mailboxes.find(queue_id)
        if mailbox is not None:
            self._close(mailbox)

    def shift_idle_deadlines(self, seconds: float) -> None:
        """The clock jumped forward: mailboxes seen before the jump were not idle for that long."""
        before = self._database.clock() - seconds
        for mailbox in self.mailboxes:
            if mailbox.seen_at <= before:
                mailbox.seen_at += seconds

    def release_all_polls(self) -> None:
        """Answer every poll at once from now on, because the server is about to stop."""
        self._stopping = True
        for mailbox in self.mailboxes:
            mailbox.poll.wake()

    def drop_idle_mailboxes(self) -> None:
        now = self._database.clock()
        for mailbox in self.mailboxes:
            if mailbox.is_idle(now):
                mailbox.evict(self.organizations[mailbox.realm_id].applied)
            if not mailbox.poll.is_parked and now - mailbox.seen_at > COLD_AFTER_SECONDS:
                self.mailboxes.discard(mailbox)

    def _close(self, mailbox: Mailbox) -> None:
        self.mailboxes.discard(mailbox)
        mailbox.close()

    # --- positions ---

    def positions(self, realm_id: int) -> list[Position]:
        """How far the client of each mailbox has read."""
        now, applied = self._database.clock(), self.organizations[realm_id].applied
        return [
            mailbox.position(applied, now) for mailbox in self.mailboxes.of_organization(realm_id)
        ]


def _record_receipts(tx: Tx, receipts: list[Receipt]) -> set[int]:
    by_record: defaultdict[Record, list[int]] = defaultdict(list)
    for each in receipts:
        by_record[each.record].append(each.id)
    return {number for record, ids in by_record.items() for number in record(tx, ids)}


def _read_flags(tx: Tx, user_id: int, message_ids: list[int]) -> dict[int, bytes]:
    found = storage.messages.table.find_many(tx, tx.realm_id, message_ids)
    shown = {message_id: message.provenance for message_id, message in found.items()}
    flags = storage.messages.unread.flags_for(tx, user_id, shown)
    return {message_id: msgspec.json.encode(each) for message_id, each in flags.items()}
