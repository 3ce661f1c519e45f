"""The endpoints of calls, and the job that removes who is gone."""

import time
from typing import Annotated, Literal
from urllib.parse import quote

from tertulia import actions, api, locale
from tertulia.actions.messages.send import PeopleDestination
from tertulia.api.call import Call, Services
from tertulia.api.messages.send import PlaceKind, PlaceTo, PlaceTopic
from tertulia.config import Rate
from tertulia.errors import BadRequest
from tertulia.errors.http import RateLimited
from tertulia.events.delivery.dispatch import Delivery
from tertulia.events.directory.organization import Organization
from tertulia.events.ephemeral import CallObject, CallSignal, CallUpdate, SessionId
from tertulia.events.snapshot.register_parts import View
from tertulia.events.snapshot.server_info import StatePart
from tertulia.events.snapshot.snapshot_data import OwnedFact
from tertulia.features.calls import running_calls
from tertulia.features.calls.ice import IceServer, servers
from tertulia.features.calls.rings import Rings
from tertulia.features.calls.running_calls import Change, Joined
from tertulia.features.feature import Feature
from tertulia.http.parameter_rules import Example, MaxItems, MaxLength, NoNul, NotBlank
from tertulia.http.ratelimit import Limiter
from tertulia.http.replies import Reply
from tertulia.jobs.runner import for_each, leader_job
from tertulia.storage.nonempty_tables import OURS
from tertulia.wire import Doc

MAX_SIGNAL_LENGTH = 3000  # characters; clients split what is longer
SIGNALS = Rate(100, 10)  # of one session
RINGS = Rate(10, 300)  # of one person
LEASE_CHECK_SECONDS = 30.0
MAX_PAUSE_SECONDS = 90.0  # between two checks

CallToken = Annotated[str, MaxLength(40), NoNul, Doc("The id of the call.", example="9fK2x7vQ")]
Muted = Annotated[bool, Doc("Whether the microphone is off.")]
Camera = Annotated[bool, Doc("Whether the session sends the picture of a camera.")]
Screen = Annotated[bool, Doc("Whether the session shares a screen.")]

_signals = Limiter(SIGNALS, time.time)
_rings = Limiter(RINGS, time.time)


class CallReply(Reply):
    call: Annotated[CallObject, Doc("The call as it is now.")]


class JoinedCall(CallReply):
    session_id: SessionId
    ice_servers: Annotated[list[IceServer], Doc("The STUN and TURN servers.")]
    relay_only: Annotated[bool, Doc("Whether all connections must use the TURN server.")]
    max_people: Annotated[int, Doc("How many people fit in the call.")]


class CallList(Reply):
    calls: Annotated[list[CallObject], Doc("The running calls that the caller may join.")]


async def list_running(call: Call) -> CallList:
    """List the running calls that the caller may join."""
    return CallList(calls=await call.db.read(running_calls.visible, call.user))


async def start(
    call: Call,
    *,
    kind: PlaceKind,
    to: PlaceTo,
    topic: PlaceTopic | None = None,
) -> JoinedCall:
    """Start a call, which sends a message, or join the one that is going on there.

    In a direct conversation it rings at the other people.
    """
    _check_relay(call)
    where = api.messages.send.destination_of(call, kind, to, topic)
    if isinstance(where, PeopleDestination):
        path = "dm/" + ",".join(map(str, [call.user.id, *where.recipients]))
    else:
        path = f"channel/{_encoded(str(where.where))}/topic/{_encoded(where.topic)}"
    token = running_calls.new_token()
    words = locale.texts(call.org.realm.setting("default_language"))
    label = words("notice.call-started", name=call.user.full_name).replace("[", "").replace("]", "")
    content = f"[{label}]({call.site}/#narrow/{path}/call/{token})"
    draft = await actions.messages.draft.compose(call.author, content, call.client, True)
    joined = await call.db.write(running_calls.start, call.user, where, draft, token)
    return _joined(call, joined)


async def join(call: Call, call_token: CallToken) -> JoinedCall:
    """Join a call with a browser."""
    _check_relay(call)
    return _joined(call, await call.db.write(running_calls.join, call.user, call_token))


async def renew(
    call: Call,
    call_token: CallToken,
    session_id: SessionId,
    *,
    muted: Annotated[Muted | None, Example(True)] = None,
    camera: Camera | None = None,
    screen: Screen | None = None,
) -> CallReply:
    """Stay in a call, every 120 seconds. A session that is not renewed for five minutes has
    left."""
    given = {"is_muted": muted, "has_camera": camera, "has_screen": screen}
    media = {name: value for name, value in given.items() if value is not None}
    change = await call.db.write(running_calls.renew, call.user, call_token, session_id, media)
    if media:
        publish(call.delivery, call.org, change)
    return CallReply(call=change.call)


async def leave(call: Call, call_token: CallToken, session_id: SessionId) -> None:
    """Leave a call. With the last person it ends."""
    change = await call.db.write(running_calls.leave, call.user, call_token, session_id)
    publish(call.delivery, call.org, change)


async def ring(
    call: Call,
    call_token: CallToken,
    session_id: SessionId,
    *,
    user_ids: Annotated[
        list[int],
        MaxItems(running_calls.MAX_RINGING),
        Doc("Who is to join. In a topic it rings for these people only.", example=[9]),
    ],
) -> CallReply:
    """Ring for people who may join the call, unless they have muted the caller, do not want to be
    disturbed or are in another call."""
    decision = _rings.check((call.org.realm.id, call.user.id))
    if decision.retry_after is not None:
        raise RateLimited(retry_after=decision.retry_after)
    change = await call.db.write(running_calls.ring, call.user, call_token, session_id, user_ids)
    publish(call.delivery, call.org, change)
    return CallReply(call=change.call)


async def decline(call: Call, call_token: CallToken) -> None:
    """Stop ringing at all devices of the caller."""
    change = await call.db.write(running_calls.decline, call.user, call_token)
    publish(call.delivery, call.org, change)


async def signal(
    call: Call,
    call_token: CallToken,
    session_id: SessionId,
    *,
    to_session_id: Annotated[int, Doc("The session that receives it.", example=3)],
    signal: Annotated[
        str, NotBlank, MaxLength(MAX_SIGNAL_LENGTH), NoNul, Doc("Any text.", example="offer")
    ],
) -> None:
    """Send a text to another session of the same call. The server delivers it to this session only,
    and does not store it."""
    decision = _signals.check((call.org.realm.id, call.user.id, session_id))
    if decision.retry_after is not None:
        raise RateLimited(retry_after=decision.retry_after)
    user_id = await call.db.read(
        running_calls.recipient, call.user, call_token, session_id, to_session_id
    )
    event = CallSignal(call_token, session_id, to_session_id, user_id, signal)
    call.delivery.ephemeral.publish(call.org.realm.id, event)


def _encoded(text: str) -> str:
    """A part of an address behind `#`, as clients write it."""
    return quote(text, safe="").replace(".", "%2E").replace("%", ".")


def _check_relay(call: Call) -> None:
    if call.org.realm.setting("calls_relay_only") and not call.config.has_turn:
        raise BadRequest("This organization requires a TURN server for calls", problem="no-relay")


def _joined(call: Call, joined: Joined) -> JoinedCall:
    publish(call.delivery, call.org, joined.change)
    return JoinedCall(
        call=joined.change.call,
        session_id=joined.session_id,
        ice_servers=servers(call.config, joined.session_id, call.now),
        relay_only=bool(call.org.realm.setting("calls_relay_only")),
        max_people=int(call.org.realm.setting("max_call_people")),
    )


def publish(delivery: Delivery, org: Organization, change: Change) -> None:
    """Send the present state of a call to the readers of its conversation, and to participants who
    have not subscribed to its channel, as well as people for whom it has rung."""
    op: Literal["update", "end"] = "end" if change.has_ended else "update"
    delivery.ephemeral.publish(org.realm.id, CallUpdate(op, change.call))
    channel_id = change.call.stream_id
    if isinstance(channel_id, int):
        people = {each.user_id for each in change.call.participants}.union(change.rung)
        others = sorted(each for each in people if not org.subscriptions.includes(each, channel_id))
        if others:
            delivery.ephemeral.publish(org.realm.id, CallUpdate(op, change.call, others))


def _calls_state(view: View) -> "CallsState":
    found = view.facts.owned.get("running_call", [])
    return CallsState(running_calls=found, has_call_relay=view.server.has_call_relay)


class CallsState(StatePart):
    running_calls: Annotated[list[CallObject], Doc("The running calls that the user may join.")]
    has_call_relay: Annotated[
        bool, Doc("Whether calls can use a TURN server where there is no direct way.")
    ]


class CallWatch:
    """Removes people who have lost access, within a second, and browsers that are gone."""

    def __init__(self, services: Services) -> None:
        self._database = services.database
        self._delivery = services.delivery
        self._clock = services.clock
        self._dirty_logs = services.delivery.follower.activity.reader()
        self._checked_at = 0.0
        self._alive_since = 0.0

    async def run_once(self) -> None:
        dirty = self._dirty_logs.take_all()
        is_time = time.monotonic() - self._checked_at > LEASE_CHECK_SECONDS
        if dirty == [] and not is_time:
            return
        find = (
            running_calls.realms_with_ended_leases
            if dirty == []
            else running_calls.realms_with_calls
        )
        found = await self._database.of(0).read(find)
        # While no server checked, perhaps no browser could renew its lease either: this server has
        # just started or become the leader, or the database was away.
        if time.monotonic() - self._checked_at > MAX_PAUSE_SECONDS:
            self._alive_since = self._clock()
        if is_time:
            self._checked_at = time.monotonic()
        await for_each(found, self._check)

    async def _check(self, realm_id: int) -> None:
        org = await self._delivery.follower.finder.find(realm_id)
        if org is None:
            return
        db = self._database.of(realm_id)
        if await db.read(running_calls.absent, self._alive_since):
            for change in await db.write(running_calls.remove_absent, self._alive_since):
                publish(self._delivery, org, change)


FEATURE = Feature(
    state={"running_calls": _calls_state},
    facts={
        "running_call": OwnedFact("", ("running_calls",), running_calls.visible_to_id, OURS),
    },
    jobs=lambda services: [
        leader_job("calls", 1, CallWatch(services).run_once),
        leader_job("ringing", 1, Rings(services).run_once),
    ],
)
