"""The payload of a push notification, in the format that phones expect."""

import asyncio
import re
from collections.abc import Sequence
from typing import Any

from msgspec.structs import replace

from tertulia import api, domain
from tertulia.api.call import Services
from tertulia.domain.channels.channel import Channel
from tertulia.domain.messages.message import Message
from tertulia.domain.outbox import POLICIES, OutboxItem, Transport
from tertulia.domain.people.known_people import UNKNOWN_NAME
from tertulia.domain.people.user import SECONDS_PER_DAY, User
from tertulia.domain.personal.devices import Device
from tertulia.domain.personal.web_push import SHOWN_DAYS, WORDS
from tertulia.errors.push import (
    PushServiceBroken,
    PushServiceBusy,
    PushServiceRejected,
    PushServiceUnavailable,
)
from tertulia.events.directory.organization import Organization
from tertulia.external.push import push_service, web_push
from tertulia.external.push.push_service import PushMessage
from tertulia.external.push.web_push import TOO_LARGE, PushRequest, PushResponse
from tertulia.external.safe_http import AddressNotAllowed, RequestFailed
from tertulia.fair_queue import FairQueue
from tertulia.features.notifications import push_servers
from tertulia.features.notifications.devices import delete_tokens
from tertulia.features.notifications.receivers import (
    NOTICES,
    PHONES,
    PushOutcome,
    Receivers,
    claim,
    delete_shown_before,
    find_correction,
    find_key,
    notified_subscriptions,
    record_correction,
    record_outcome,
    reschedule,
    shown,
)
from tertulia.features.presence import present_until
from tertulia.jobs.outbox import Outbox
from tertulia.jobs.runner import described
from tertulia.log import log

# --- payloads ---


_GROUP = re.compile(r'<span class="user-group-mention" data-user-group-id="(\d+)">')


def of_message(
    org: Organization, site: str, item: OutboxItem, message: Message, channel: Channel | None
) -> dict[str, Any]:
    user_id, _ = item.subjects
    sender, reader = org.users[message.sender_id], org.users.get(user_id)
    payload: dict[str, Any] = {
        "type": "message",
        "realm_url": site,
        "realm_name": org.realm.name,
        "user_id": user_id,
        "sender_id": sender.id,
        "sender_full_name": sender.full_name if org.may_know(reader, sender) else UNKNOWN_NAME,
        "sender_avatar_url": f"{site}/avatar/{sender.id}",
        "message_id": message.id,
        "time": int(message.sent_at),
        "content": words(message),
    }
    if channel is None:
        ids = sorted(message.member_ids)
        return payload | {"recipient_type": "direct", "recipient_user_ids": ids}
    channel_fields = {
        "channel_id": channel.id,
        "channel_name": channel.name,
        "topic": message.topic,
    }
    payload |= {"recipient_type": "channel", **channel_fields}
    group_id = _mentioned_group(org, item, message)
    if group_id is not None:
        payload["mentioned_user_group_id"] = group_id
        payload["mentioned_user_group_name"] = org.groups[group_id].name
    return payload


def words(message: Message) -> str:
    """The start of a message, as text."""
    text = domain.messages.notification_text.plain_text(message.rendered)
    return text if len(text) <= WORDS else f"{text[:WORDS]}…"


def shortened(payload: dict[str, Any]) -> dict[str, Any]:
    """The same payload without the text and without the list of recipients."""
    return {name: payload[name] for name in payload if name != "recipient_user_ids"} | {
        "content": ""
    }


def _mentioned_group(org: Organization, item: OutboxItem, message: Message) -> int | None:
    """The smallest group by which a user is mentioned who is not mentioned by name."""
    if item.kind != "mentioned":
        return None
    if f'<span class="user-mention" data-user-id="{item.user_id}">' in message.rendered:
        return None
    named = {int(number) for number in _GROUP.findall(message.rendered)} & org.groups.keys()
    members = {each: org.user_groups.all_members_of(each, org.clock()) for each in named}
    theirs = [each for each in named if item.user_id in members[each]]
    return min(theirs, key=lambda each: (len(members[each]), each), default=None)


# --- phones ---


# The fields that older phones receive where the organization requires encryption.
UNSEALED = "message_id", "type", "realm_url", "user_id", "time", "message_ids"


class Phones:
    def __init__(self, services: Services) -> None:
        self._config = services.config
        self._database = services.database
        self._vault = services.vault
        self.rests_until = 0.0  # the service asked to wait until then

    async def push(
        self, org: Organization, user_id: int, receivers: Receivers, message: PushMessage
    ) -> bool:
        """Returns whether the service accepted the notification."""
        if not self._config.pushes or not (receivers.devices or receivers.tokens):
            return False
        if self._database.clock() < self.rests_until:
            return False
        try:
            if receivers.devices:
                await self._push_to_devices(org, receivers.devices, message)
            if receivers.tokens:
                await push_service.notify_tokens(
                    self._config,
                    org.realm.uuid,
                    domain.personal.devices.person_uuid(org.realm.uuid, user_id),
                    receivers.tokens,
                    _for_older_kind(org, message),
                )
        except PushServiceBusy as busy:
            rest = max(busy.values["retry_seconds"], POLICIES["push"].first_pause_seconds)
            self.rests_until = self._database.clock() + rest
            log.warning("push.service_busy", retry_s=rest)
            return False
        except (PushServiceUnavailable, PushServiceBroken, PushServiceRejected) as trouble:
            log.warning("push.service_failed", code=trouble.code)
            return False
        return True

    async def _push_to_devices(
        self, org: Organization, devices: list[Device], message: PushMessage
    ) -> None:
        phones = [(each, domain.personal.devices.opened(self._vault, each)) for each in devices]
        gone = await push_service.notify(self._config, org.realm.uuid, phones, message)
        if gone:
            db = self._database.of(org.realm.id)
            await db.write(delete_tokens, gone)


def _for_older_kind(org: Organization, message: PushMessage) -> PushMessage:
    if not org.realm.setting("require_e2ee_push_notifications"):
        return message
    unsealed = {name: value for name, value in message.payload.items() if name in UNSEALED}
    return PushMessage(unsealed, message.is_urgent)


# --- sender ---


GONE = (404, 410)  # the subscription is gone
REFUSED = (400, 401, 403, 413)  # this notification, permanently
CHECKED_PER_RUN = 2000
MESSAGES_PER_REMOVAL = 200  # message ids, so that they fit into one notification

REMOVALS = FairQueue("push_removals", slots=20, slots_per_person=1, max_waiting=10)


class PushSender:
    transport: Transport = "push"
    job_name = "push"
    every_seconds = 2.0
    max_claimed = 500
    max_claimed_per_person = 1

    def __init__(self, services: Services, outbox: Outbox) -> None:
        self._services = services
        self._config = services.config
        self._database = services.database
        self._outbox = outbox
        self._delivery = services.delivery
        self._phones = Phones(services)
        self.timeout_seconds: float = web_push.SECONDS
        self._checked_upto = (0, 0)  # the user and message up to which reads were checked

    def lane_of(self, item: OutboxItem) -> int | None:
        """One notification at a time for a user."""
        return item.user_id

    async def send(self, items: Sequence[OutboxItem]) -> bool:
        (item,) = items
        org = await self._delivery.follower.finder.find(item.realm_id)
        if org is None:
            return False
        async with NOTICES.slot(item.person):
            await self._notify(org, item)
        return True

    def log_failure(self, item: OutboxItem, error: Exception) -> None:
        log.error("push.send_failed", user_id=item.user_id, **described(error))

    async def _notify(self, org: Organization, item: OutboxItem) -> None:
        db = self._database.of(item.realm_id)
        user_id, _ = item.subjects
        user = org.users.get(user_id)
        held_until = 0.0 if user is None else await self._held_until(org, user)
        if held_until:
            await db.write(reschedule, item, held_until)
            return
        taken = await db.write(claim, item)
        if taken is None:
            return
        message, channel, receivers = taken.message, taken.channel, taken.receivers
        site = api.call.site_of(self._config, org.realm)
        payload = of_message(org, site, item, message, channel)
        for_browser = payload | {"badge": taken.badge, "is_call": taken.is_call}
        now = self._database.clock()
        notified = notified_subscriptions(item)
        open_ones = [each for each in receivers.subscriptions if each.id not in notified]
        ready = [each for each in open_ones if each.retry_at <= now]
        phones_know = PHONES in notified or not self._config.pushes
        has_phones = bool(receivers.devices or receivers.tokens) and not phones_know
        phones, responses = await asyncio.gather(
            self._phones.push(org, user_id, receivers, PushMessage(payload))
            if has_phones
            else _nothing(),
            asyncio.gather(*(self._push(org, PushRequest(each, for_browser)) for each in ready)),
        )
        outcomes = list(zip(ready, responses, strict=True))
        outcome = PushOutcome(
            delivered=[each for each, response in outcomes if 200 <= response.status < 300],
            gone=[each for each, response in outcomes if response.status in GONE],
            refused=[each for each, response in outcomes if response.status in REFUSED],
            failed=[
                (each, response.retry_seconds)
                for each, response in outcomes
                if _is_temporary(response)
            ],
            waiting=[each for each in open_ones if each.retry_at > now],
            phones=phones,
            phones_retry_at=self._phones.rests_until,
        )
        await self._record(item, outcome)

    async def _held_until(self, org: Organization, user: User) -> float:
        """Until when notifications of a user wait; 0 if they are sent now."""
        quiet_until = domain.personal.quiet_hours.held_until(user, self._database.clock())
        if quiet_until or user.prefers("enable_online_push_notifications"):
            return quiet_until
        return await present_until(self._database, org, user.id)

    async def _record(self, item: OutboxItem, outcome: PushOutcome) -> None:
        db = self._database.of(item.realm_id)
        is_given_up = await db.write(record_outcome, item, outcome)
        self._outbox.sent["push"] += len(outcome.delivered) + bool(outcome.phones)
        for each in [*outcome.refused, *(failed for failed, _ in outcome.failed)]:
            if each.failures == 0:
                log.warning("push.endpoint_failed", subscription_id=each.id)
        if is_given_up:
            self._outbox.given_up["push"] += 1
            log.error("push.given_up", user_id=item.user_id, message_id=item.message_id)

    async def _push(self, org: Organization, request: PushRequest) -> PushResponse:
        """Send a notification; if it is too large, send it again in a shorter form."""
        response = await self._post(org, request)
        if response.status != TOO_LARGE or request.payload["type"] != "message":
            return response
        return await self._post(org, replace(request, payload=shortened(request.payload)))

    async def _post(self, org: Organization, request: PushRequest) -> PushResponse:
        if request.subscription.kind != "web":
            site = api.call.site_of(self._config, org.realm)
            response, _ = await push_servers.send(
                self._services, org, site, request, self.timeout_seconds
            )
            return response
        return await push_to_browser(self._services, org, request, self.timeout_seconds)

    # --- what devices show no longer as it is ---

    async def correct_shown(self) -> None:
        """Remove notifications of messages that the user has read on another device, or that were
        deleted, and correct those of edited messages."""
        found = await self._database.of(0).read(shown, self._checked_upto, CHECKED_PER_RUN)
        self._checked_upto = found[-1][1:] if len(found) == CHECKED_PER_RUN else (0, 0)
        by_person: dict[tuple[int, int], list[int]] = {}
        for realm_id, user_id, message_id in found:
            by_person.setdefault((realm_id, user_id), []).append(message_id)
        await asyncio.gather(*(self._correct_for_user(*each) for each in by_person.items()))
        await self._database.of(0).write(
            delete_shown_before,
            self._database.clock() - SHOWN_DAYS * SECONDS_PER_DAY,
        )

    async def _correct_for_user(self, who: tuple[int, int], message_ids: list[int]) -> None:
        """Ask a user's devices once; a correction that fails is not worth a retry."""
        realm_id, user_id = who
        async with REMOVALS.slot(user_id):
            org = await self._delivery.follower.finder.find(realm_id)
            if org is None:
                return
            db = self._database.of(realm_id)
            if not await db.read(find_correction, user_id, message_ids):
                return
            correction, receivers = await db.write(record_correction, user_id, message_ids)
            site = api.call.site_of(self._config, org.realm)
            head = {"realm_url": site, "user_id": user_id}
            for start in range(0, len(correction.gone), MESSAGES_PER_REMOVAL):
                removed = correction.gone[start : start + MESSAGES_PER_REMOVAL]
                payload = {"type": "remove", **head, "message_ids": removed}
                await asyncio.gather(
                    self._phones.push(
                        org, user_id, receivers, PushMessage(payload, is_urgent=False)
                    ),
                    self._push_silently(org, receivers, payload | {"badge": correction.badge}),
                )
            for message in correction.edited:
                edit = {"type": "edit", **head, "message_id": message.id, "content": words(message)}
                await self._push_silently(org, receivers, edit)

    async def _push_silently(
        self, org: Organization, receivers: Receivers, payload: dict[str, Any]
    ) -> None:
        """Send what shows no notification. Apple ends a subscription that gets such pushes."""
        now = self._database.clock()
        await asyncio.gather(
            *(
                self._push(org, PushRequest(each, payload, urgency="low"))
                for each in receivers.subscriptions
                if each.retry_at <= now and not each.must_show
            )
        )


async def push_to_browser(
    services: Services,
    org: Organization,
    request: PushRequest,
    timeout_seconds: float = web_push.SECONDS,
) -> PushResponse:
    """Send a notification to one browser."""
    config = services.config
    known = await services.database.of(org.realm.id).read(find_key)
    if known is None:
        return PushResponse(GONE[0])  # without a key there are no subscriptions
    site = api.call.site_of(config, org.realm)
    try:
        return await web_push.push(
            request,
            services.vault.unseal(known[1]),
            # Whom a push service writes to about our requests: it must be https or mailto.
            site if site.startswith("https:") else f"mailto:{config.sender}",
            services.clock(),
            config.webhook_networks,
            seconds=timeout_seconds,
        )
    except AddressNotAllowed:
        return PushResponse(GONE[0])
    except RequestFailed:
        return PushResponse()


async def _nothing() -> None:
    return None


def _is_temporary(response: PushResponse) -> bool:
    """Whether a later attempt may succeed."""
    status = response.status
    return not 200 <= status < 300 and status not in GONE and status not in REFUSED
