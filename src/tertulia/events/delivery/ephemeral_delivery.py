"""Delivers ephemeral events to the clients that are connected, here and at other servers."""

import contextlib
import uuid
from collections.abc import Callable, Hashable

import msgspec

from tertulia.database import Database
from tertulia.events import ephemeral
from tertulia.events.delivery.mailbox import Mailbox, MailboxRegistry, is_among, receiving
from tertulia.events.directory.organization import Organization
from tertulia.events.directory.registry import Organizations
from tertulia.events.ephemeral import Envelope, EphemeralEvent

_encode = msgspec.json.Encoder().encode


class EphemeralDelivery:
    def __init__(
        self,
        database: Database,
        organizations: Organizations,
        mailboxes: MailboxRegistry,
        wake: Callable[[Mailbox], None],
    ) -> None:
        self._database = database
        self._organizations = organizations
        self._mailboxes = mailboxes
        self._wake = wake
        self._server = uuid.uuid4().hex  # distinguishes our events from those of other servers

    def publish(self, realm_id: int, event: EphemeralEvent) -> None:
        """Deliver an event to connected clients of this and other servers. Nothing is stored."""
        self._deliver(self._organizations[realm_id], event)
        self._database.publish(realm_id, _encode(Envelope.wrap(event, self._server, realm_id)))

    def on_notice(self, notice: str) -> None:
        """Deliver an event of another server."""
        try:
            envelope = ephemeral.decode_envelope(notice)
            event = envelope.decode()
        except msgspec.DecodeError:  # from a newer server
            return
        org = self._organizations.get(envelope.realm_id)
        if org is None or envelope.server == self._server:
            return
        if event.on_remote(org):
            with contextlib.suppress(KeyError):  # a user whom this server does not know yet
                self._deliver(org, event)

    def _deliver(self, org: Organization, event: EphemeralEvent) -> None:
        to, now = event.audience(), self._database.clock()
        encoded: dict[Hashable, bytes] = {}
        for mailbox in receiving(self._mailboxes.for_audience(org, to), org.applied, now):
            listener = mailbox.listener
            if (
                not mailbox.is_full
                and listener.wants(event.type)
                and is_among(mailbox, to, org)
                and event.is_for(org, listener)
            ):
                variant = event.variant(listener)
                if variant not in encoded:
                    encoded[variant] = _encode(event.wire(org, listener))
                mailbox.add_ephemeral(org.applied, encoded[variant], org.position.stamp)
                self._wake(mailbox)
