"""Composes the register snapshot from its parts.

There is one line for each part that a client can request, here or in `lists`. Parts without data on
this server are empty.
"""

from collections.abc import Callable
from functools import partial
from typing import Annotated, Any, cast

import msgspec
from msgspec.structs import asdict

from tertulia import domain
from tertulia.domain.people.bots import Bot
from tertulia.domain.people.status import NO_STATUS, Status, StatusObject
from tertulia.domain.people.user import User
from tertulia.domain.personal.settings import DEFAULTS, EMOJISETS, NOTIFICATION_SOUNDS
from tertulia.events.directory.organization import Organization
from tertulia.events.listener import Options
from tertulia.events.snapshot import channels, lists, people, presence, realm, unread
from tertulia.events.snapshot.lists import LISTS
from tertulia.events.snapshot.server_info import IncomingWebhookService, ServerInfo, StatePart
from tertulia.events.snapshot.snapshot_data import RequestedParts, SnapshotData
from tertulia.events.snapshot.unread import UnreadMessages
from tertulia.events.types.channels.channel import ChannelObject
from tertulia.events.types.groups import GroupObject
from tertulia.events.types.people import bots
from tertulia.events.types.people.bots import BotObject
from tertulia.events.types.people.user import status_object
from tertulia.events.types.personal import topic_policies
from tertulia.wire import Doc, shape
from tertulia.wire_fields import AlwaysFalse, ChannelId, TopicName


class View(msgspec.Struct, frozen=True):
    """The input of all parts."""

    org: Organization
    me: User
    options: Options
    facts: SnapshotData
    server: ServerInfo
    now: float
    presence_days: int | None = None


Part = Callable[[View], StatePart | dict[str, Any]]


def compose(view: View, wanted: RequestedParts) -> dict[str, Any]:
    state: dict[str, Any] = {}
    for event_type, part in PARTS:
        if wanted(event_type):
            keys = part(view)
            state.update(keys if isinstance(keys, dict) else asdict(keys))
    for name, found in view.facts.lists.items():
        state[name] = LISTS[name].encoded(view.org, found)
    if wanted("message") and wanted("update_message_flags"):
        empty = view.options.capabilities.empty_topic_name
        state["unread_msgs"] = msgspec.Raw(
            unread.encode(view.me, view.facts, empty_topic_name=empty)
        )
    if wanted("muted_topics") and (wanted.everything or not wanted("user_topic")):
        state["muted_topics"] = topic_policies.muted_topics(
            view.org, view.me.id, view.facts.user_topics
        )
    if not wanted.everything and (
        wanted("update_display_settings") or wanted("update_global_notifications")
    ):
        # Compat: zulip-terminal 0.7 reads settings where they were before feature level 89.
        state.update((name, view.me.prefers(name)) for name in DEFAULTS)
    return state


class UserTopicObject(msgspec.Struct):
    stream_id: ChannelId
    topic_name: TopicName
    last_updated: Annotated[int, Doc("When the policy changed, in UNIX seconds.")]
    visibility_policy: Annotated[int, Doc("0 default, 1 muted, 2 unmuted, 3 followed.")]


class UserTopicsState(StatePart):
    user_topics: Annotated[
        list[UserTopicObject], Doc("The topics that the user follows or has muted.")
    ]


def _user_topics(view: View) -> UserTopicsState:
    empty = view.options.capabilities.empty_topic_name
    return UserTopicsState(
        user_topics=[
            UserTopicObject(
                stream_id=each.channel_id,
                topic_name=domain.channels.topics.shown(each.topic, empty),
                last_updated=int(each.updated_at),
                visibility_policy=int(each.policy),
            )
            for each in view.facts.user_topics
        ]
    )


class Conversation(msgspec.Struct):
    user_ids: Annotated[list[int], Doc("Ids of the other members.")]
    max_message_id: Annotated[int, Doc("The id of the newest message.")]


class ConversationsState(StatePart):
    recent_private_conversations: Annotated[
        list[Conversation], Doc("The user's direct conversations, newest first.")
    ]


def _conversations(view: View) -> ConversationsState:
    return ConversationsState(
        recent_private_conversations=[
            Conversation([user_id for user_id in members if user_id != view.me.id], newest)
            for members, newest in view.facts.conversations
        ]
    )


class StopWordsState(StatePart):
    stop_words: Annotated[list[str], Doc("Words that a search ignores.")]


def _stop_words(view: View) -> StopWordsState:
    code = str(view.org.realm.setting("default_language"))
    language = domain.search.languages.of_code(code)
    return StopWordsState(stop_words=sorted(domain.search.languages.STOP_WORDS[language]))


class DefaultStreamsState(StatePart):
    realm_default_streams: Annotated[
        list[int], Doc("Ids of the channels that new users are subscribed to.")
    ]


def _default_streams(view: View) -> DefaultStreamsState:
    found = [
        channel.id
        for channel in view.org.channels.values()
        if channel.is_default and not channel.archived
    ]
    return DefaultStreamsState(realm_default_streams=[] if view.me.is_guest else found)


class BotsState(StatePart):
    realm_bots: Annotated[list[BotObject], Doc("The user's bots; all bots for administrators.")]


def _bots(view: View) -> BotsState:
    """All bots that the user manages."""
    return BotsState(
        realm_bots=[
            bots.bot_object(view.org, view.facts.bots.get(user.id, Bot(user.id)), view.me.id)
            for user in view.org.encoded.of_all_users("bots", partial(_all_bots, view.org))
            if view.me.is_admin or user.bot_owner_id == view.me.id
        ]
    )


def _all_bots(org: Organization) -> list[User]:
    return [user for user in org.users.values() if user.is_bot and not user.is_system_bot]


class UserSettingsState(StatePart):
    user_settings: Annotated[
        dict[str, Any], shape("UserSettings"), Doc("The user's personal settings.")
    ]


def _user_settings(view: View) -> UserSettingsState:
    return UserSettingsState(
        user_settings={name: view.me.prefers(name) for name in DEFAULTS}
        | {
            "timezone": view.me.timezone,
            "emojiset_choices": EMOJISETS,
            "available_notification_sounds": NOTIFICATION_SOUNDS,
        }
    )


class SettingsDefaultsState(StatePart):
    realm_user_settings_defaults: Annotated[
        dict[str, Any],
        shape("UserSettings"),
        Doc("The default personal settings of new users."),
    ]


def _settings_defaults(view: View) -> SettingsDefaultsState:
    return SettingsDefaultsState(
        realm_user_settings_defaults=DEFAULTS
        | domain.personal.settings.defaults_for_new_users(view.org.realm.settings)
        | {
            "emojiset_choices": EMOJISETS,
            "available_notification_sounds": NOTIFICATION_SOUNDS,
        }
    )


class StatusesState(StatePart):
    user_status: Annotated[dict[str, StatusObject], Doc("The statuses of users, by id.")]


def _statuses(view: View) -> StatusesState:
    """Users with a status, and users who hide their presence."""
    known, statuses = view.facts.statuses, dict[str, StatusObject]()
    hiding = view.org.encoded.of_all_users("hiding", partial(_hidden_presence, view.org))
    for user_id in sorted(hiding.union(known) & view.org.users.keys()):
        user = view.org.users[user_id]
        if view.org.may_know(view.me, user):
            status = status_object(user, known.get(user_id, Status()))
            if status != NO_STATUS:
                statuses[str(user_id)] = status
    return StatusesState(user_status=statuses)


def _hidden_presence(org: Organization) -> frozenset[int]:
    return frozenset(user.id for user in org.users.values() if not user.prefers("presence_enabled"))


class OnboardingState(StatePart):
    onboarding_steps: Annotated[list[dict[str, Any]], Doc("Always empty here.")] = []
    navigation_tour_video_url: Annotated[str | None, Doc("Always null here.")] = None


class NewestMessageState(StatePart):
    max_message_id: Annotated[
        int, Doc("The id of the newest message that the user has received; -1 if there is none.")
    ]


class GroupsState(StatePart):
    realm_user_groups: Annotated[list[GroupObject], Doc("The groups.")]


class FiltersState(StatePart):
    realm_filters: Annotated[
        list[list[str | int]], Doc("Always empty; see `realm_linkifiers`.")
    ] = []


class Billing(msgspec.Struct):
    has_pending_sponsorship_request: AlwaysFalse


class BillingState(StatePart):
    realm_billing: Annotated[Billing, Doc("Always without a request here.")]


class EmbeddedBotsState(StatePart):
    realm_embedded_bots: Annotated[list[dict[str, Any]], Doc("Always empty here.")] = []


class IncomingWebhooksState(StatePart):
    realm_incoming_webhook_bots: Annotated[
        list[IncomingWebhookService],
        Doc(
            "The services whose webhooks the server receives, as on `/integrations`."
            " `all_event_types` is null for a service without a fixed list of events."
        ),
    ]


class StarredState(StatePart):
    starred_messages: Annotated[list[int], Doc("Ids of the user's starred messages.")]


class StreamsState(StatePart):
    streams: Annotated[list[ChannelObject], Doc("The channels that the user may know.")]


class DefaultStreamGroupsState(StatePart):
    realm_default_stream_groups: Annotated[list[dict[str, Any]], Doc("Always empty here.")] = []


class VideoCallsState(StatePart):
    has_zoom_token: AlwaysFalse = False
    has_webex_token: AlwaysFalse = False


class GiphyState(StatePart):
    giphy_api_key: Annotated[str, Doc("Always empty here.")] = ""


class TenorState(StatePart):
    tenor_api_key: Annotated[str, Doc("Always empty here.")] = ""


class KlipyState(StatePart):
    klipy_api_key: Annotated[str, Doc("Always empty here.")] = ""


class UnreadState(StatePart):
    unread_msgs: Annotated[UnreadMessages, Doc("The user's unread messages, by conversation.")]


class MutedTopicsState(StatePart):
    muted_topics: Annotated[
        list[list[str | int]], Doc("The user's muted topics, for older clients.")
    ]


def parts() -> frozenset[str]:
    """The names of the parts that clients can request."""
    return frozenset({*(name for name, _ in PARTS), *lists.LISTS})


_PARTS: dict[str, Part] = {
    "onboarding_steps": lambda view: OnboardingState(),
    "message": lambda view: NewestMessageState(max_message_id=view.facts.max_message_id),
    "presence": lambda view: presence.presence_state(
        view.org, view.me, view.options, view.presence_days, view.now
    ),
    "realm_user_groups": lambda view: GroupsState(
        realm_user_groups=people.groups_state(view.org, view.me, view.options, view.now)
    ),
    "realm": lambda view: realm.realm_state(view.org, view.server),
    "realm_user_settings_defaults": _settings_defaults,
    "realm_filters": lambda view: FiltersState(),
    "realm_billing": lambda view: BillingState(realm_billing=Billing(False)),
    "realm_user": lambda view: people.users_state(view.org, view.me, view.options, view.now),
    "realm_bot": _bots,
    "realm_embedded_bots": lambda view: EmbeddedBotsState(),
    "realm_incoming_webhook_bots": lambda view: IncomingWebhooksState(
        realm_incoming_webhook_bots=cast(Any, view.server.incoming_webhooks)
    ),
    "recent_private_conversations": _conversations,
    "subscription": lambda view: channels.subscription_state(
        view.org, view.me, view.facts.subscriptions, view.options
    ),
    "starred_messages": lambda view: StarredState(starred_messages=view.facts.starred),
    "stream": lambda view: StreamsState(
        streams=channels.streams_state(view.org, view.me, view.options)
    ),
    "default_streams": _default_streams,
    "default_stream_groups": lambda view: DefaultStreamGroupsState(),
    "stop_words": _stop_words,
    "user_settings": _user_settings,
    "user_status": _statuses,
    "user_topic": _user_topics,
    "video_calls": lambda view: VideoCallsState(),
    "giphy": lambda view: GiphyState(),
    "tenor": lambda view: TenorState(),
    "klipy": lambda view: KlipyState(),
}
# With those of features (`features/__init__.py`), some of which add to a part of the core.
PARTS: list[tuple[str, Part]] = list(_PARTS.items())
