"""Composes the register snapshot from its parts.

There is one line for each part that a client can request, here or in `lists`. Parts without data on
this server are empty.
"""

from collections.abc import Callable
from functools import partial
from typing import Any

import msgspec

from tertulia import domain, events
from tertulia.domain.people.bots import Bot
from tertulia.domain.people.status import Status
from tertulia.domain.people.user import User
from tertulia.domain.personal.settings import DEFAULTS, EMOJISETS, NOTIFICATION_SOUNDS
from tertulia.events.directory.organization import Organization
from tertulia.events.listener import Options
from tertulia.events.snapshot.lists import LISTS
from tertulia.events.snapshot.server_info import ServerInfo
from tertulia.events.snapshot.snapshot_data import RequestedParts, SnapshotData
from tertulia.events.types.organization.linkifiers import LinkifierObject
from tertulia.events.types.people.profile_fields import FIELD_TYPES


class View(msgspec.Struct, frozen=True):
    """The input of all parts."""

    org: Organization
    me: User
    options: Options
    facts: SnapshotData
    server: ServerInfo
    now: float
    presence_days: int | None = None


def compose(view: View, wanted: RequestedParts) -> dict[str, Any]:
    state: dict[str, Any] = {}
    for event_type, part in _PARTS.items():
        if wanted(event_type):
            state.update(part(view))
    for name, found in view.facts.lists.items():
        state[name] = [LISTS[name].to_wire(view.org, each) for each in found]
    if wanted("message") and wanted("update_message_flags"):
        empty = view.options.capabilities.empty_topic_name
        state["unread_msgs"] = msgspec.Raw(
            events.snapshot.unread.encode(view.me, view.facts, empty_topic_name=empty)
        )
    if wanted("muted_topics") and (wanted.everything or not wanted("user_topic")):
        state["muted_topics"] = events.types.personal.topic_policies.muted_topics(
            view.org, view.me.id, view.facts.user_topics
        )
    if not wanted.everything and (
        wanted("update_display_settings") or wanted("update_global_notifications")
    ):
        # Compat: zulip-terminal 0.7 reads settings where they were before feature level 89.
        state.update((name, view.me.prefers(name)) for name in DEFAULTS)
    return state


def _user_topics(view: View) -> dict[str, Any]:
    empty = view.options.capabilities.empty_topic_name
    return {
        "user_topics": [
            {
                "stream_id": each.channel_id,
                "topic_name": domain.channels.topics.shown(each.topic, empty),
                "last_updated": int(each.updated_at),
                "visibility_policy": int(each.policy),
            }
            for each in view.facts.user_topics
        ]
    }


def _conversations(view: View) -> dict[str, Any]:
    return {
        "recent_private_conversations": [
            {
                "user_ids": [user_id for user_id in members if user_id != view.me.id],
                "max_message_id": newest,
            }
            for members, newest in view.facts.conversations
        ]
    }


def _stop_words(view: View) -> dict[str, Any]:
    code = str(view.org.realm.setting("default_language"))
    language = domain.search.languages.of_code(code)
    return {"stop_words": sorted(domain.search.languages.STOP_WORDS[language])}


def _default_streams(view: View) -> dict[str, Any]:
    found = [
        channel.id
        for channel in view.org.channels.values()
        if channel.is_default and not channel.archived
    ]
    return {"realm_default_streams": [] if view.me.is_guest else found}


def _devices(view: View) -> dict[str, Any]:
    to_wire = events.types.personal.devices.device_object
    return {"devices": {str(each.id): to_wire(each) for each in view.facts.devices}}


def _linkifiers(view: View) -> dict[str, Any]:
    known = view.org.linkifiers if view.options.capabilities.linkifier_url_template else []
    return {"realm_linkifiers": [LinkifierObject.of(each) for each in known]}


def _profile_fields(view: View) -> dict[str, Any]:
    """A spectator sees no values, so the fields are left out too."""
    known = [] if view.me.is_spectator else view.org.profile_fields.values()
    return {
        "custom_profile_fields": [
            events.types.people.profile_fields.field_object(field) for field in known
        ],
        "custom_profile_field_types": FIELD_TYPES,
    }


def _bots(view: View) -> dict[str, Any]:
    """All bots that the user manages."""
    return {
        "realm_bots": [
            events.types.people.bots.bot_object(
                view.org, view.facts.bots.get(user.id, Bot(user.id)), view.me.id
            )
            for user in view.org.encoded.of_all_users("bots", partial(_all_bots, view.org))
            if view.me.is_admin or user.bot_owner_id == view.me.id
        ]
    }


def _all_bots(org: Organization) -> list[User]:
    return [user for user in org.users.values() if user.is_bot and not user.is_system_bot]


def _user_settings(view: View) -> dict[str, Any]:
    return {
        "user_settings": {name: view.me.prefers(name) for name in DEFAULTS}
        | {
            "timezone": view.me.timezone,
            "emojiset_choices": EMOJISETS,
            "available_notification_sounds": NOTIFICATION_SOUNDS,
        }
    }


def _settings_defaults(view: View) -> dict[str, Any]:
    return {
        "realm_user_settings_defaults": DEFAULTS
        | domain.personal.settings.defaults_for_new_users(view.org.realm.settings)
        | {
            "emojiset_choices": EMOJISETS,
            "available_notification_sounds": NOTIFICATION_SOUNDS,
        }
    }


def _statuses(view: View) -> dict[str, Any]:
    """Users with a status, and users who hide their presence."""
    known, statuses = view.facts.statuses, {}
    hiding = view.org.encoded.of_all_users("hiding", partial(_hidden_presence, view.org))
    for user_id in sorted(hiding.union(known) & view.org.users.keys()):
        user = view.org.users[user_id]
        if view.org.may_know(view.me, user):
            statuses[str(user_id)] = events.types.people.user.status_fields(
                user, known.get(user_id, Status())
            )
    return {"user_status": {user_id: parts for user_id, parts in statuses.items() if parts}}


def _hidden_presence(org: Organization) -> frozenset[int]:
    return frozenset(user.id for user in org.users.values() if not user.prefers("presence_enabled"))


def parts() -> frozenset[str]:
    """The names of the parts that clients can request."""
    return frozenset({*_PARTS, *events.snapshot.lists.LISTS})


_PARTS: dict[str, Callable[[View], dict[str, Any]]] = {
    "custom_profile_fields": _profile_fields,
    "onboarding_steps": lambda view: {"onboarding_steps": [], "navigation_tour_video_url": None},
    "message": lambda view: {"max_message_id": view.facts.max_message_id},
    "presence": lambda view: events.snapshot.presence.presence_state(
        view.org, view.me, view.options, view.presence_days, view.now
    ),
    "realm_user_groups": lambda view: {
        "realm_user_groups": events.snapshot.people.groups_state(
            view.org, view.me, view.options, view.now
        )
    },
    "realm": lambda view: events.snapshot.realm.realm_state(view.org, view.server),
    "realm_user_settings_defaults": _settings_defaults,
    "realm_emoji": lambda view: {
        "realm_emoji": events.types.organization.custom_emoji.emoji_map(view.org)
    },
    "realm_linkifiers": _linkifiers,
    "realm_filters": lambda view: {"realm_filters": []},
    "realm_billing": lambda view: {"realm_billing": {"has_pending_sponsorship_request": False}},
    "realm_user": lambda view: events.snapshot.people.users_state(
        view.org, view.me, view.options, view.now
    ),
    "realm_bot": _bots,
    "realm_embedded_bots": lambda view: {"realm_embedded_bots": []},
    "realm_incoming_webhook_bots": lambda view: {
        "realm_incoming_webhook_bots": view.server.incoming_webhooks
    },
    "recent_private_conversations": _conversations,
    "subscription": lambda view: events.snapshot.channels.subscription_state(
        view.org, view.me, view.facts.subscriptions, view.options
    ),
    "starred_messages": lambda view: {"starred_messages": view.facts.starred},
    "stream": lambda view: {
        "streams": events.snapshot.channels.streams_state(view.org, view.me, view.options)
    },
    "default_streams": _default_streams,
    "default_stream_groups": lambda view: {"realm_default_stream_groups": []},
    "stop_words": _stop_words,
    "user_settings": _user_settings,
    "user_status": _statuses,
    "user_topic": _user_topics,
    "video_calls": lambda view: {"has_zoom_token": False, "has_webex_token": False},
    "giphy": lambda view: {"giphy_api_key": ""},
    "tenor": lambda view: {"tenor_api_key": ""},
    "klipy": lambda view: {"klipy_api_key": ""},
    "device": _devices,
}
