"""Event queues: registering, polling and deleting them."""

import asyncio
from collections.abc import Awaitable
from typing import Annotated, Any, Literal, NamedTuple

import msgspec
from msgspec import UNSET, UnsetType

from tertulia import actions, domain, events, storage
from tertulia.api import browser_sessions, integrations
from tertulia.api.call import Call
from tertulia.database.log_position import LogPosition
from tertulia.database.org_database import start_unanswered
from tertulia.domain.people.user import User
from tertulia.errors import BadRequest
from tertulia.errors.parameters import MissingParameter
from tertulia.events.listener import Capabilities, Options
from tertulia.events.snapshot.register import Register
from tertulia.events.snapshot.server_info import (
    JITSI_SERVER_URL,
    LIVEKIT_PATH,
    ServerInfo,
)
from tertulia.events.snapshot.snapshot_data import RequestedParts
from tertulia.http.parameter_rules import AtLeast, AtMost, Example, MaxItems, MaxLength
from tertulia.http.replies import Encoded, Reply
from tertulia.wire import Doc, shape
from tertulia.wire_fields import (
    ApplyMarkdown,
    ClientGravatar,
    ServiceFeatureLevel,
    ServiceMergeBase,
    ServiceVersion,
    SlimPresence,
    ZulipFeatureLevel,
    ZulipMergeBase,
    ZulipVersion,
)

MOBILE_IDLE_SECONDS = 43_200
MAX_IDLE_SECONDS = 604_800

_encode = msgspec.json.Encoder().encode


IdleQueueTimeoutSecs = Annotated[int, Doc("How many seconds without a poll the queue lives.")]
QueueId = Annotated[
    str,
    Doc(
        "The id of the queue, from `POST /register`.",
        example="fb67bf8a-c031-47cc-84cf-ed80accacda8",
    ),
]
QueueIdText = Annotated[str, Doc("The id of the queue.")]


class Registered(Reply, kw_only=True):
    """The keys that every register response has besides the requested state."""

    queue_id: QueueIdText | None
    last_event_id: Annotated[int, Doc("The id for the first poll.")]
    idle_queue_timeout_secs: IdleQueueTimeoutSecs
    service_feature_level: ServiceFeatureLevel
    service_version: ServiceVersion
    service_merge_base: ServiceMergeBase
    zulip_feature_level: ZulipFeatureLevel
    zulip_version: ZulipVersion
    zulip_merge_base: ZulipMergeBase
    unknown_event_types: Annotated[
        list[str] | UnsetType, Doc("The names in `event_types` that the server does not know.")
    ] = UNSET


class Events(Reply):
    events: Annotated[
        list[Annotated[Any, shape("Event")]],
        Doc("The events, in order: each has an `id`, a `type` and further keys."),
    ]
    queue_id: QueueIdText | UnsetType = UNSET
    idle_queue_timeout_secs: IdleQueueTimeoutSecs | UnsetType = UNSET


References = Annotated[list[Annotated[str, MaxLength(100)]], MaxItems(200)]


async def register(
    call: Call,
    *,
    event_types: Annotated[
        References, Doc("The types of events to receive; without it, all."), Example(["message"])
    ]
    | None = None,
    fetch_event_types: Annotated[
        References, Doc("The parts of the state to fetch; without it, those of `event_types`.")
    ]
    | None = None,
    apply_markdown: ApplyMarkdown = False,
    client_gravatar: ClientGravatar | None = None,
    slim_presence: SlimPresence = False,
    presence_history_limit_days: Annotated[
        int, AtLeast(0), AtMost(36_500), Doc("How many days of presence to include.")
    ]
    | None = None,
    include_subscribers: Annotated[
        Literal["true", "false", "partial"], Doc("Whether to include the subscribers.")
    ] = "false",
    all_public_streams: Annotated[
        bool | None, Doc("Whether the queue gets events of all public channels, subscribed or not.")
    ] = None,
    narrow: Annotated[
        list[list[str]], MaxItems(100), Doc("The filter: a list of terms that must all match.")
    ]
    | None = None,
    idle_queue_timeout: Annotated[
        Annotated[int, AtLeast(1)] | Literal["mobile"],
        Doc("How many seconds without a poll the queue lives."),
    ]
    | None = None,
    client_capabilities: Annotated[
        Capabilities | None, Doc("The capabilities of the client, by name.")
    ] = None,
) -> Encoded[Registered]:
    """Open an event queue and get the current state."""
    user = call.reader
    if user.is_spectator:
        _check_spectator(client_gravatar, include_subscribers)
    if all_public_streams and user.is_guest:
        raise BadRequest("User not authorized for this query")
    usual = await _default_options(call, user)
    options = Options(
        event_types=event_types,
        narrow=domain.messages.narrow.checked_queue_narrow(narrow) if narrow else usual.narrow,
        all_public_streams=(
            usual.all_public_streams if all_public_streams is None else all_public_streams
        ),
        apply_markdown=apply_markdown,
        client_gravatar=not user.is_spectator if client_gravatar is None else client_gravatar,
        slim_presence=slim_presence,
        include_subscribers=include_subscribers,
        capabilities=client_capabilities or Capabilities(notification_settings_null=False),
    )
    wanted = RequestedParts(event_types if fetch_event_types is None else fetch_event_types)
    idle_seconds = _idle_seconds(call, idle_queue_timeout)
    _, state = await register_queue(
        call, options, wanted, idle_seconds, presence_history_limit_days
    )
    unknown = _unknown_types(event_types)
    if unknown:
        state["unknown_event_types"] = unknown
    return Encoded(*events.snapshot.encoded_list.encoded(state))


def _unknown_types(event_types: list[str] | None) -> list[str]:
    """The requested types that no event of ours has, so that a typo is noticed."""
    known = events.types.event.wire_types() | events.ephemeral.TYPES
    known |= events.snapshot.register_parts.parts()
    return [each for each in event_types or [] if each not in known]


async def register_queue(
    call: Call,
    options: Options,
    wanted: RequestedParts,
    idle_seconds: int,
    presence_days: int | None = None,
) -> tuple[LogPosition, dict[str, Any]]:
    """Open a queue, unless the caller is a spectator. Returns its log position, and the state with
    the keys of every register response."""
    user = call.reader
    moment = await _snapshot_at(call, user, options, wanted, idle_seconds, presence_days)
    if moment.queue is not None:
        await _finish_storing(call, moment.queue)
    if moment.is_behind:
        start_unanswered(call.system_db.write(actions.messages.read_state.catch_up, user.id))
    first = {
        "queue_id": None if moment.queue is None else moment.queue.id,
        "last_event_id": -1,
        "idle_queue_timeout_secs": idle_seconds,
        **domain.version.WIRE_FIELDS,
    }
    return moment.start, first | moment.state


async def poll(
    call: Call,
    *,
    queue_id: Annotated[QueueId | None, Example("fb67bf8a-c031-47cc-84cf-ed80accacda8")] = None,
    last_event_id: Annotated[
        int | None, Doc("The id of the last received event; -1 at the start."), Example(-1)
    ] = None,
    dont_block: Annotated[bool, Doc("Whether to answer at once if there are no events.")] = False,
) -> Encoded[Events]:
    """Fetch the events after `last_event_id`; wait if there are none."""
    if queue_id is None:
        if not dont_block:
            raise MissingParameter(name="queue_id")
        return await _first_poll(call)
    if last_event_id is None:
        raise MissingParameter(name="last_event_id")
    events, waited = await call.delivery.poll(
        call.user, queue_id, last_event_id, block=not dont_block
    )
    body = b'{"events":[%s]' % b",".join(events)
    if waited:
        await browser_sessions.check_not_ended(call)
        body += b',"queue_id":%s' % _encode(queue_id)
    return Encoded(body + b"}")


async def unregister(call: Call, *, queue_id: QueueId) -> None:
    """Delete an event queue; a waiting poll returns."""
    await call.db.write(actions.queues.delete, call.user, queue_id)
    call.delivery.close_queue(queue_id)


async def _first_poll(call: Call) -> Encoded[Events]:
    """A poll without a queue opens one."""
    idle_seconds = call.config.idle_queue_seconds
    usual = await _default_options(call, call.user)
    queue = _open_queue(call, call.user, usual, call.org.position, idle_seconds)
    await _finish_storing(call, queue)
    made = {"events": [], "queue_id": queue.id, "idle_queue_timeout_secs": idle_seconds}
    return Encoded(_encode(made))


class OpenedQueue(NamedTuple):
    """A queue that is being stored; `storing` returns the queues that it replaces."""

    id: str
    storing: Awaitable[list[str]]


def _open_queue(
    call: Call, user: User, options: Options, start: LogPosition, idle_seconds: int
) -> OpenedQueue:
    """Open a queue at a log position that the follower has not passed. The queue receives events
    from there on, so nothing is read again once it is stored."""
    queue = actions.queues.new(user, options, start, idle_seconds, call.now)
    call.delivery.create_mailbox(queue)
    storing = asyncio.ensure_future(
        call.system_db.outside_log.write(actions.queues.store, user, queue)
    )
    return OpenedQueue(queue.id, storing)


async def _finish_storing(call: Call, queue: OpenedQueue) -> None:
    try:
        given_up = await queue.storing
    except BaseException:
        call.delivery.close_queue(queue.id)
        raise
    for queue_id in given_up:
        call.delivery.close_queue(queue_id)


async def _default_options(call: Call, user: User) -> Options:
    """The default options of a queue; a bot's owner can preset them."""
    if not user.is_bot:
        return Options()
    bot = await call.services.database.of(user.realm_id).query(storage.people.bots.find, user.id)
    channel = call.org.channels.get(bot.listening_channel_id or 0)
    return Options(
        narrow=[] if channel is None else [("channel", channel.name)],
        all_public_streams=bot.all_public_channels and not user.is_guest,
    )


class RegisterSnapshot(NamedTuple):
    """What a register call read, all at the same log position."""

    start: LogPosition
    state: dict[str, Any]
    queue: OpenedQueue | None
    is_behind: bool  # the stored unread state is far behind


async def _snapshot_at(
    call: Call,
    user: User,
    options: Options,
    wanted: RequestedParts,
    idle_seconds: int,
    presence_days: int | None,
) -> RegisterSnapshot:
    follower = call.delivery.follower
    register = Register(follower, call.org, user, options, wanted)
    async with follower.frozen(call.org.realm.id):
        await register.read(call.services.database)
        queue = None  # a spectator has none
        if not user.is_spectator:
            queue = _open_queue(call, user, options, register.start, idle_seconds)
        state = register.compose(_server_info(call), call.now, presence_days)
    stored = None if user.is_spectator else register.stored_unread
    is_behind = stored is not None and actions.messages.read_state.lags(stored)
    return RegisterSnapshot(register.start, state, queue, is_behind)


def _check_spectator(client_gravatar: bool | None, include_subscribers: str) -> None:
    """Anonymous callers get neither email addresses nor subscribers."""
    refused = {
        "client_gravatar": bool(client_gravatar),
        "include_subscribers": include_subscribers != "false",
    }
    for name, is_asked in refused.items():
        if is_asked:
            raise BadRequest(f"Invalid '{name}' parameter for anonymous request")


def _idle_seconds(call: Call, requested: int | Literal["mobile"] | None) -> int:
    if requested is None:
        return call.config.idle_queue_seconds
    return MOBILE_IDLE_SECONDS if requested == "mobile" else min(requested, MAX_IDLE_SECONDS)


def _server_info(call: Call) -> ServerInfo:
    return ServerInfo(
        url=call.site,
        started_at=call.services.started_at,
        web_public_enabled=call.config.web_public_streams_enabled,
        link_previews=call.config.link_previews,
        max_upload_mib=call.config.max_upload_mib,
        upload_quota_mib=call.config.upload_quota_mib,
        login_methods=call.config.login_methods(call.org.realm.subdomain),
        sends_mail=call.config.sends_mail,
        pushes=call.config.pushes,
        call_providers=call.config.call_providers,
        jitsi_url=f"{call.site}{LIVEKIT_PATH}" if call.config.has_livekit else JITSI_SERVER_URL,
        has_call_relay=call.config.has_turn,
        incoming_webhooks=integrations.ENCODED_CATALOGUE,
    )
