"""Running calls: who is in which, and what people do. Each function is one transaction."""

import re
import secrets
from collections.abc import Iterable, Sequence
from html import escape
from typing import Any

import msgspec

from tertulia import actions, domain, events, locale, markdown, storage
from tertulia.actions.messages.send import ChannelDestination, PeopleDestination
from tertulia.database.tx import Tx
from tertulia.domain.messages.message import Draft, Message
from tertulia.domain.people.user import User
from tertulia.errors import BadRequest, ClientError
from tertulia.events.ephemeral import CallObject, CallParticipant
from tertulia.events.types.messages.edits import RenderingUpdated
from tertulia.features.notifications import receivers
from tertulia.storage.record import Record

LEASE_SECONDS = 330.0  # clients renew it every 120 seconds
RING_SECONDS = 30.0
MAX_RINGING = 20  # people; larger conversations do not ring
MAX_SHOWN_IDS = 50  # in the link of a call that has ended
SECONDS_PER_MINUTE = 60

_EMPTY = Draft("", "", 0, "", read_by_sender=False)


class RunningCall(Record, frozen=True, table="running_call"):
    id: int
    token: str
    message_id: int
    started_by: int
    started_at: float
    ringing: list[int]
    rung: list[list[int]]  # all for whom it has rung, each with who has made it ring
    rings_until: float


class CallSession(Record, frozen=True, table="call_session"):
    id: int
    call_id: int
    user_id: int
    seen_at: float
    has_left: bool
    is_muted: bool
    has_camera: bool
    has_screen: bool


class Change(msgspec.Struct, frozen=True):
    """The present state of a call, for the readers of its conversation."""

    call: CallObject
    rung: list[int]  # all for whom it has rung
    has_ended: bool = False


class Joined(msgspec.Struct, frozen=True):
    change: Change
    session_id: int


class CallNotFound(ClientError):
    status = 404
    message = "Call does not exist"
    problem = "not-found"


class Ringing(msgspec.Struct, frozen=True):
    """A call that rings: what devices show."""

    token: str
    message: Message
    caller_id: int
    user_ids: list[int]


class CallFull(ClientError):
    message = "The call is full"
    problem = "call-full"


def new_token() -> str:
    return secrets.token_urlsafe(12)


# --- SQL ---


def live_sessions(tx: Tx, call_id: int) -> list[CallSession]:
    return CallSession.where(tx, "id", call_id=call_id, has_left=False)


def realms_with_calls(tx: Tx) -> list[int]:
    return tx.column("SELECT DISTINCT realm_id FROM running_call ORDER BY realm_id")


def realms_with_ended_leases(tx: Tx) -> list[int]:
    return tx.column(
        "SELECT DISTINCT realm_id FROM call_session WHERE NOT has_left AND seen_at < :before",
        before=tx.now - LEASE_SECONDS,
    )


def users_in_calls(tx: Tx) -> set[int]:
    return {each.user_id for each in CallSession.where(tx, "id", has_left=False)}


# --- what people do ---


def start(
    tx: Tx, user: User, to: ChannelDestination | PeopleDestination, draft: Draft, token: str
) -> Joined:
    """Start a call with a message, or join the one that is going on there."""
    running = _running_in(tx, user, to)
    if running is not None:
        return join(tx, user, running.token)
    sent = actions.messages.send.send(tx, user, to, draft)
    message = storage.messages.table.find(tx, sent.message_id)
    people = [each for each in sent.member_ids if each != user.id]
    rung = [] if len(people) > MAX_RINGING else _ready_to_ring(tx, user, message, people)
    call_id = RunningCall.insert(
        tx,
        token=token,
        message_id=sent.message_id,
        started_by=user.id,
        started_at=tx.now,
        ringing=rung,
        rung=[[each, user.id] for each in rung],
        rings_until=tx.now + RING_SECONDS,
    )
    _hold_notifications(tx, sent.message_id, rung)
    session_id = CallSession.insert(tx, call_id=call_id, user_id=user.id, seen_at=tx.now)
    return Joined(_change(tx, _get(tx, user, token)), session_id)


def join(tx: Tx, user: User, token: str) -> Joined:
    call = _get(tx, user, token)
    _check_calls_on(tx)
    realm = storage.organization.realms.current(tx)
    if len(live_sessions(tx, call.id)) >= realm.setting("max_call_people"):
        raise CallFull()
    session_id = CallSession.insert(tx, call_id=call.id, user_id=user.id, seen_at=tx.now)
    actions.messages.read_state.mark_read(tx, user.id, [call.message_id])  # it is not missed
    call = _silenced(tx, call, [user.id])
    return Joined(_change(tx, call), session_id)


def ring(tx: Tx, user: User, token: str, session_id: int, user_ids: Sequence[int]) -> Change:
    """Ring for people who may join, as a participant. One ringing at a time."""
    call = _get(tx, user, token)
    _own(tx, user, call, session_id)
    if call.ringing and tx.now < call.rings_until:
        raise BadRequest("It still rings for somebody", problem="still-ringing")
    message = storage.messages.table.find(tx, call.message_id)
    people = _ready_to_ring(tx, user, message, user_ids)
    if not people:
        raise BadRequest("None of these users can be rung", problem="nobody-to-ring")
    changed = {
        "ringing": people,
        "rung": [*call.rung, *([each, user.id] for each in people)],
        "rings_until": tx.now + RING_SECONDS,
    }
    RunningCall.update(tx, call.id, **changed)
    return _change(tx, msgspec.structs.replace(call, **changed))


def ringing(tx: Tx) -> list[Ringing]:
    """The calls of the organization that ring now."""
    found = []
    for call in RunningCall.where(tx, "id"):
        message = storage.messages.table.find(tx, call.message_id)
        if message is not None and call.ringing and tx.now < call.rings_until:
            found.append(Ringing(call.token, message, _rung_by(call), call.ringing))
    return found


def _rung_by(call: RunningCall) -> int:
    """Who has made it ring last."""
    return call.rung[-1][1] if call.rung else call.started_by


def renew(tx: Tx, user: User, token: str, session_id: int, media: dict[str, bool]) -> Change:
    """Extend the lease of a session, and record what it sends."""
    call = _get(tx, user, token)
    session = _own(tx, user, call, session_id)
    CallSession.update(tx, session.id, seen_at=tx.now, **media)
    return _change(tx, call)


def leave(tx: Tx, user: User, token: str, session_id: int) -> Change:
    call = _get(tx, user, token)
    session = _own(tx, user, call, session_id)
    return _left(tx, call, [session])


def decline(tx: Tx, user: User, token: str) -> Change:
    """Stop ringing at all devices of the user."""
    return _change(tx, _silenced(tx, _get(tx, user, token), [user.id]))


def recipient(tx: Tx, user: User, token: str, session_id: int, to: int) -> int:
    """The user whose session gets a signal of a session of the caller in the same call."""
    call = _get(tx, user, token)
    _own(tx, user, call, session_id)
    other = CallSession.find(tx, id=to, call_id=call.id, has_left=False)
    if other is None:
        raise CallNotFound()
    return other.user_id


def visible(tx: Tx, user: User) -> list[CallObject]:
    """The running calls that the user may join."""
    calls = RunningCall.where(tx, "id")
    found = storage.messages.table.find_many(tx, tx.realm_id, [each.message_id for each in calls])
    readable = {each.id for each in actions.messages.access.visible(tx, user, found.values())}
    return [
        _object(tx, each, found[each.message_id]) for each in calls if each.message_id in readable
    ]


def visible_to_id(tx: Tx, user_id: int) -> list[CallObject]:
    user = storage.people.users.find(tx, user_id)
    return [] if user is None else visible(tx, user)


def remove_absent(tx: Tx, alive_since: float) -> list[Change]:
    return [_left(tx, call, gone) for call, gone in absent(tx, alive_since)]


def absent(tx: Tx, alive_since: float) -> list[tuple[RunningCall, list[CallSession]]]:
    """The sessions whose lease has ended, and those of people who may not read the conversation any
    more. A call without sessions has none of them and is to end.

    Leases count from the start of the server, before which no browser could renew one.
    """
    found = []
    for call in RunningCall.where(tx, "id"):
        message = storage.messages.table.find(tx, call.message_id)
        live = live_sessions(tx, call.id)
        gone = [
            each
            for each in live
            if tx.now - max(each.seen_at, alive_since) > LEASE_SECONDS
            or not _may_stay(tx, each.user_id, message)
        ]
        if gone or not live:
            found.append((call, gone))
    return found


def _may_stay(tx: Tx, user_id: int, message: Message | None) -> bool:
    user = storage.people.users.find(tx, user_id)
    return (
        user is not None and user.is_active and actions.messages.access.can_see(tx, user, message)
    )


def _check_calls_on(tx: Tx) -> None:
    if not storage.organization.realms.current(tx).setting("max_call_people"):
        raise BadRequest("Calls are turned off in this organization", problem="calls-off")


def _running_in(
    tx: Tx, user: User, to: ChannelDestination | PeopleDestination
) -> RunningCall | None:
    """The call that is going on at a destination, to which the user may send."""
    _check_calls_on(tx)
    checks = actions.messages.send_checks
    if isinstance(to, ChannelDestination):
        channel = checks.check_to_channel(tx, user, to.where, to.topic, _EMPTY).channel
        place: Any = channel.id, to.topic.lower()
    else:
        members = checks.check_to_people(tx, user, to.recipients, _EMPTY, to.email_domain).members
        place = None, tuple(sorted(members))
    for call in RunningCall.where(tx, "id"):
        message = storage.messages.table.find(tx, call.message_id)
        if message is not None and place == (
            (None, tuple(sorted(message.member_ids)))
            if message.channel_id is None
            else (message.channel_id, message.topic.lower())
        ):
            return call
    return None


def _ready_to_ring(tx: Tx, user: User, message: Message | None, people: Sequence[int]) -> list[int]:
    """Those of the people whose devices ring: they may join, do not want to be left alone, and are
    in no call."""
    busy = users_in_calls(tx).union(storage.personal.muted_users.muted_by(tx, user.id), [user.id])
    found = storage.people.users.find_many(tx, sorted(set(people) - busy))
    return [
        each.id
        for each in found
        if _may_ring(each, tx.now) and actions.messages.access.can_see(tx, each, message)
    ]


def _may_ring(user: User, now: float) -> bool:
    is_quiet = domain.personal.quiet_hours.quiet_until(user, now) > 0
    may_disturb = not is_quiet or user.prefers("enable_calls_in_quiet_hours")
    return user.is_active and not user.is_bot and may_disturb


def _hold_notifications(tx: Tx, message_id: int, user_ids: Sequence[int]) -> None:
    """Devices that show that it rings get the notification of the message afterwards, if it is
    still unread. Apps on phones show no ring, and get it at once."""
    for each in storage.people.users.find_many(tx, list(user_ids)):
        found = receivers.receivers_of(tx, each.id)
        rings = found.subscriptions and each.prefers("enable_offline_push_notifications")
        if rings and not (found.devices or found.tokens):
            storage.outbox.insert_pushes(
                tx, message_id, {each.id: "direct_message"}, delay_seconds=RING_SECONDS
            )


def _get(tx: Tx, user: User, token: str) -> RunningCall:
    """The only lookup of a call. Raises if the user may not read its conversation."""
    user = actions.groups.permissions.current_rights(tx, user)
    call = RunningCall.find(tx, token=token)
    message = None if call is None else storage.messages.table.find(tx, call.message_id)
    if not actions.messages.access.can_see(tx, user, message) or call is None:
        raise CallNotFound()
    return call


def _own(tx: Tx, user: User, call: RunningCall, session_id: int) -> CallSession:
    session = CallSession.find(tx, id=session_id, call_id=call.id, has_left=False)
    if session is None or session.user_id != user.id:
        raise CallNotFound()
    return session


def _silenced(tx: Tx, call: RunningCall, user_ids: Sequence[int]) -> RunningCall:
    ringing = [each for each in call.ringing if each not in user_ids]
    if ringing == call.ringing:
        return call
    RunningCall.update(tx, call.id, ringing=ringing)
    return msgspec.structs.replace(call, ringing=ringing)


def _left(tx: Tx, call: RunningCall, sessions: Iterable[CallSession]) -> Change:
    """Remove sessions. With the last one the call ends."""
    for each in sessions:
        CallSession.update(tx, each.id, has_left=True)
    change = _change(tx, call)
    if change.call.participants:
        return change
    _end(tx, call)
    return msgspec.structs.replace(change, has_ended=True)


def _end(tx: Tx, call: RunningCall) -> None:
    """End the call. Its message gets the duration, or says that the call was missed."""
    message = storage.messages.table.find(tx, call.message_id)
    people = {each.user_id for each in CallSession.where(tx, "id", call_id=call.id)}
    CallSession.delete(tx, call_id=call.id)
    RunningCall.delete(tx, id=call.id)
    if message is None:
        return
    realm = storage.organization.realms.current(tx)
    words = locale.texts(realm.setting("default_language"))
    minutes = max(1, round((tx.now - call.started_at) / SECONDS_PER_MINUTE))
    if message.channel_id is None and len(people) == 1:
        text = words("notice.call-missed")
    else:
        length = words("notice.call-minutes", count=minutes)
        text = words(
            "notice.call-ended",
            length=length,
            people=words("notice.call-people", count=len(people)),
        )
    missed = sorted({user_id for user_id, _ in call.rung} - people)
    content, html = _ended_link(call, message, text, minutes, sorted(people), missed)
    draft = Draft(content, html, markdown.VERSION, message.client, read_by_sender=False)
    storage.messages.table.set_content(tx, message.id, draft)
    channel = (
        None if message.channel_id is None else storage.channels.table.find(tx, message.channel_id)
    )
    event = RenderingUpdated(message_id=message.id, channel_id=message.channel_id, at=tx.now)
    events.log.announce(tx, event, to=actions.messages.access.holders(tx, message, channel))


def _ended_link(
    call: RunningCall,
    message: Message,
    text: str,
    minutes: int,
    people: Sequence[int],
    missed: Sequence[int],
) -> tuple[str, str]:
    """The text of a call that has ended, as a link. The page reads from its address who was in the
    call, and who missed it: `…/call/TOKEN/ended/12-8,9-10`."""
    html = escape(text, quote=False)
    link = re.search(rf'href="([^"]*/call/{call.token})"', message.rendered)
    source = re.search(rf"\]\((\S*/call/{call.token})\)", message.content)
    if link is None or source is None:  # the sender has edited the message
        return text, f"<p>{html}</p>"
    groups = (",".join(map(str, each[:MAX_SHOWN_IDS])) for each in (people, missed))
    ended = f"/ended/{minutes}-{'-'.join(groups)}"
    return f"[{text}]({source[1]}{ended})", f'<p><a href="{link[1]}{ended}">{html}</a></p>'


def _change(tx: Tx, call: RunningCall) -> Change:
    message = storage.messages.table.find(tx, call.message_id)
    if message is None:
        raise CallNotFound()
    return Change(_object(tx, call, message), [user_id for user_id, _ in call.rung])


def _object(tx: Tx, call: RunningCall, message: Message) -> CallObject:
    place: dict[str, Any] = {"message_type": "direct", "user_ids": sorted(message.member_ids)}
    if message.channel_id is not None:
        topic = domain.channels.topics.shown(message.topic, True)
        place = {"message_type": "stream", "stream_id": message.channel_id, "topic": topic}
    return CallObject(
        call_token=call.token,
        message_id=message.id,
        sender_id=call.started_by,
        started=int(call.started_at),
        participants=[
            CallParticipant(each.id, each.user_id, each.is_muted, each.has_camera, each.has_screen)
            for each in live_sessions(tx, call.id)
        ],
        ringing=call.ringing if tx.now < call.rings_until else [],
        ringing_until=int(call.rings_until),
        rung_by=_rung_by(call),
        **place,
    )
