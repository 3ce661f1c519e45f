"""What a call shows on devices without an open page: a notification with Answer and Decline, which
goes when it stops ringing.

It is sent once to each device, not through the outbox: half a minute later it is worth nothing.
"""

import asyncio
import hmac
from typing import Any

from tertulia import api, domain, locale
from tertulia.api.call import Services
from tertulia.domain.people.keys import Vault
from tertulia.domain.people.known_people import UNKNOWN_NAME
from tertulia.domain.personal.web_push import PushSubscription
from tertulia.events.directory.organization import Organization
from tertulia.external.push.web_push import PushRequest
from tertulia.features.calls import running_calls
from tertulia.features.calls.running_calls import RING_SECONDS, Ringing
from tertulia.features.notifications import push_servers, receivers, sender
from tertulia.http.parameter_rules import parse_id
from tertulia.jobs.runner import for_each

DECLINE_PATH = "/calls/decline"
SECONDS = 5.0  # for a push service


class Rings:
    """Notifies the devices of those for whom it has begun to ring, and of those for whom it has
    stopped."""

    def __init__(self, services: Services) -> None:
        self._services = services
        self._dirty_logs = services.delivery.follower.activity.reader()
        self._shown: dict[int, dict[tuple[str, int], Ringing]] = {}  # by organization

    async def run_once(self) -> None:
        if self._dirty_logs.take_all() == [] and not self._shown:
            return
        found = await self._services.database.of(0).read(running_calls.realms_with_calls)
        await for_each(sorted({*found, *self._shown}), self._refresh)

    async def _refresh(self, realm_id: int) -> None:
        org = await self._services.delivery.follower.finder.find(realm_id)
        if org is None:
            return
        calls = await self._services.database.of(realm_id).read(running_calls.ringing)
        now = {(each.token, user_id): each for each in calls for user_id in each.user_ids}
        before = self._shown.pop(realm_id, {})
        if now:
            self._shown[realm_id] = now
        await asyncio.gather(
            *(
                self._notify(org, key[1], self._ring(org, now[key], key[1]))
                for key in now.keys() - before.keys()
            ),
            *(
                self._notify(org, user_id, {"type": "ring_end", "call_token": token})
                for token, user_id in before.keys() - now.keys()
            ),
        )

    def _ring(self, org: Organization, call: Ringing, user_id: int) -> dict[str, Any]:
        site = api.call.site_of(self._services.config, org.realm)
        reader, caller = org.users[user_id], org.users[call.caller_id]
        name = caller.full_name if org.may_know(reader, caller) else UNKNOWN_NAME
        words = locale.texts(domain.emails.language_of(reader))
        message = call.message
        if message.channel_id is None:
            ids = sorted(message.member_ids)
            title, place = words("call.calls-you", name=name), words("view.dm")
            link = domain.messages.links.conversation_link(ids)
        else:
            channel = org.channels[message.channel_id]
            topic = domain.channels.topics.shown(message.topic, True)
            title, place = words("call.calls-into", name=name, title=topic), channel.name
            link = domain.messages.links.topic_link(channel.id, channel.name, message.topic)
        key = decline_key(self._services.vault, org.realm.id, call.token, user_id)
        return {
            "type": "ring",
            "realm_url": site,
            "user_id": user_id,
            "message_id": message.id,
            "call_token": call.token,
            "title": title,
            "content": place,
            "answer": words("call.answer"),
            "decline": words("call.decline"),
            "hash": f"{link}/near/{message.id}",
            "decline_url": f"{site}{DECLINE_PATH}/{call.token}/{key}",
        }

    async def _notify(self, org: Organization, user_id: int, payload: dict[str, Any]) -> None:
        user = org.users.get(user_id)
        if user is None or not user.prefers("enable_offline_push_notifications"):
            return
        db = self._services.database.of(org.realm.id)
        found = await db.read(receivers.receivers_of, user_id)
        is_end = payload["type"] == "ring_end"
        await asyncio.gather(
            *(
                self._push(org, each, payload)
                for each in found.subscriptions
                if not (is_end and each.must_show)
            )
        )

    async def _push(self, org: Organization, to: PushSubscription, payload: dict[str, Any]) -> None:
        request = PushRequest(to, payload, ttl_seconds=int(RING_SECONDS))
        if to.kind == "web":
            await sender.push_to_browser(self._services, org, request, SECONDS)
        else:
            site = api.call.site_of(self._services.config, org.realm)
            await push_servers.send(self._services, org, site, request, SECONDS)


def decline_key(vault: Vault, realm_id: int, token: str, user_id: int) -> str:
    """What a device without a session declines with."""
    return f"{user_id}-{vault.signature(f'decline {realm_id} {token} {user_id}')[:32]}"


def declining_user(vault: Vault, realm_id: int, token: str, key: str) -> int | None:
    """The user to whom a key was given; None if it is wrong."""
    user_id = parse_id(key.partition("-")[0])
    if user_id is None:
        return None
    expected = decline_key(vault, realm_id, token, user_id)
    return user_id if hmac.compare_digest(key.encode(), expected.encode()) else None
