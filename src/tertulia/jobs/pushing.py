"""Pushing: telling browsers and phones of messages at once, and taking back what was read."""

import asyncio
from typing import Any

import structlog

from tertulia import actions, domain, storage
from tertulia.config import Config
from tertulia.domain.channels.channel import Channel
from tertulia.domain.messages.message import Message
from tertulia.domain.people.keys import Vault
from tertulia.domain.people.user import SECONDS_PER_DAY
from tertulia.domain.personal.missed import PRESENT_SECONDS
from tertulia.domain.personal.web_push import SHOWN_DAYS, WORDS, PushNotice
from tertulia.events.delivery import Delivery
from tertulia.events.directory import Organization
from tertulia.jobs.missed import site_of
from tertulia.jobs.runner import described
from tertulia.links import web_push
from tertulia.links.guarded import AnswerTooLarge, NotAllowed, NotReached, TookTooLong
from tertulia.links.web_push import PushOrder
from tertulia.storage.database import Database
from tertulia.storage.database.tx import Tx

AT_ONCE = 20
GONE = (404, 410)  # a browser that was told to forget us
SHOWN_AT_ONCE = 2000

log = structlog.get_logger()


class Herald:
    def __init__(
        self, config: Config, database: Database, delivery: Delivery, vault: Vault
    ) -> None:
        self._config = config
        self._database = database
        self._delivery = delivery
        self._vault = vault

    async def look(self) -> None:
        """Tell what is due, some at a time."""
        due = await self._database.read_in(0, storage.personal.web_push.due, AT_ONCE)
        await asyncio.gather(*(self._safely(notice) for notice in due))

    async def take_back(self) -> None:
        """Have devices no longer show what was read elsewhere."""
        shown = await self._database.read_in(0, storage.personal.web_push.shown, SHOWN_AT_ONCE)
        by_person: dict[tuple[int, int], list[int]] = {}
        for realm_id, user_id, message_id in shown:
            by_person.setdefault((realm_id, user_id), []).append(message_id)
        for (realm_id, user_id), message_ids in by_person.items():
            org = self._delivery.organizations.get(realm_id)
            if org is not None:
                await self._take_back(org, user_id, message_ids)
        await self._database.write_in(
            0,
            storage.personal.web_push.forget_shown_before,
            self._database.clock() - SHOWN_DAYS * SECONDS_PER_DAY,
        )

    async def _take_back(self, org: Organization, user_id: int, message_ids: list[int]) -> None:
        db = self._database.of(org.realm.id)
        unread = await db.read(storage.messages.unread.among, user_id, message_ids)
        if len(unread) == len(message_ids):
            return
        read, subscriptions = await db.write(
            actions.personal.web_push.take_read, user_id, message_ids
        )
        site = site_of(self._config, org.realm)
        said = {"type": "remove", "realm_url": site, "user_id": user_id, "message_ids": read}
        for subscription in subscriptions:
            await self._push(org, PushOrder(subscription, said, urgency="low"))

    async def _safely(self, notice: PushNotice) -> None:
        try:
            await self._tell(notice)
        except Exception as error:
            log.error("somebody could not be pushed", **described(error))

    async def _tell(self, notice: PushNotice) -> None:
        org = self._delivery.organizations.get(notice.realm_id)
        user = None if org is None else org.users.get(notice.user_id)
        if org is None or user is None:
            return
        db = self._database.of(notice.realm_id)
        if self._is_here(org, user.id) and not user.prefers("enable_online_push_notifications"):
            await db.write(actions.personal.web_push.drop, notice)
            return
        taken = await db.write(actions.personal.web_push.take, notice)
        if taken is None:
            return
        message, channel, subscriptions = taken
        said = self._said(org, user.id, message, channel)
        statuses = await asyncio.gather(
            *(self._push(org, PushOrder(each, said)) for each in subscriptions)
        )
        gone = [
            each.id for each, status in zip(subscriptions, statuses, strict=True) if status in GONE
        ]
        is_told = any(200 <= status < 300 for status in statuses) or len(gone) == len(statuses)
        await db.write(_done, notice, gone, is_told)

    def _is_here(self, org: Organization, user_id: int) -> bool:
        presence = org.presence.find(user_id)
        return (
            presence is not None
            and presence.active_at is not None
            and self._database.clock() - presence.active_at < PRESENT_SECONDS
        )

    def _said(
        self, org: Organization, user_id: int, message: Message, channel: Channel | None
    ) -> dict[str, Any]:
        """What a device is told of a message; the words are those that phones get."""
        sender = org.users[message.sender_id]
        text = " ".join(domain.messages.plain_text.text_of(message.rendered).split())
        said: dict[str, Any] = {
            "type": "message",
            "realm_url": site_of(self._config, org.realm),
            "realm_name": org.realm.name,
            "user_id": user_id,
            "sender_id": sender.id,
            "sender_full_name": sender.full_name,
            "message_id": message.id,
            "time": int(message.sent_at),
            "content": text if len(text) <= WORDS else f"{text[:WORDS]}…",
        }
        if channel is None:
            ids = sorted(message.member_ids)
            return said | {"recipient_type": "direct", "recipient_user_ids": ids}
        place = {"channel_id": channel.id, "channel_name": channel.name, "topic": message.topic}
        return said | {"recipient_type": "channel", **place}

    async def _push(self, org: Organization, order: PushOrder) -> int:
        """The status of the answer; 0 if there was none."""
        db = self._database.of(org.realm.id)
        known = await db.read(storage.personal.web_push.key)
        if known is None:
            return GONE[0]  # nobody can have subscribed with a key that is not there
        try:
            return await web_push.push(
                order,
                self._vault.unseal(known[1]),
                site_of(self._config, org.realm),
                self._database.clock(),
                self._config.webhook_networks,
            )
        except NotAllowed:
            return GONE[0]
        except (NotReached, TookTooLong, AnswerTooLarge):
            return 0


def _done(tx: Tx, notice: PushNotice, gone: list[int], is_told: bool) -> None:
    actions.personal.web_push.done(tx, notice, gone, is_told=is_told)
