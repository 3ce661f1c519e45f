"""Mobile devices, notified through the configured push service, and Web Push, for browsers and
UnifiedPush, without a push service in between.
"""

from collections.abc import Iterator
from typing import Annotated, Any, Literal

from tertulia import api, domain, locale
from tertulia.api.call import Call, Services
from tertulia.domain.personal.devices import DeviceToken, Registration, TokenKind
from tertulia.errors import BadRequest
from tertulia.errors.push import NoActiveDevice, UnknownDeviceToken
from tertulia.events.snapshot.snapshot_data import OwnedFact
from tertulia.external.push import push_service, web_push
from tertulia.external.push.push_service import PushMessage
from tertulia.external.push.web_push import PushRequest
from tertulia.features.feature import Feature
from tertulia.features.notifications.devices import (
    DeviceSender,
    add_device,
    delete_tokens,
    devices_state,
    forget_token,
    of_user,
    register_device,
    remove_device,
    store_token,
    tokens_of,
)
from tertulia.features.notifications.log_reader import MissedMessages
from tertulia.features.notifications.receivers import (
    NOTICES,
    add_subscription,
    delete_subscription,
    find_key,
    get_subscription,
    mute,
    store_key,
)
from tertulia.features.notifications.sender import PushSender, push_to_browser
from tertulia.http.parameter_rules import AtLeast, AtMost, Example, MaxLength, NoNul, NotBlank
from tertulia.http.replies import Reply
from tertulia.jobs.outbox import Outbox
from tertulia.jobs.runner import Job, due_job, leader_job
from tertulia.wire import Doc
from tertulia.wire_fields import DeviceId, MessageId, PushKeyId

# --- mobile devices ---


MISSED = "SELECT 1 FROM missed_timer WHERE due_at <= :now"
PUSHED = "SELECT 1 FROM push_notice"

Words = Annotated[str, MaxLength(5000), NoNul]
Token = Annotated[
    Words, Doc("The token: a signed token (JWT), or the push token of a phone.", example="c0ffee")
]


class NewDevice(Reply):
    device_id: DeviceId


async def add(call: Call) -> NewDevice:
    """Register a client device."""
    return NewDevice(device_id=await call.db.write(add_device, call.user))


async def remove(call: Call, *, device_id: DeviceId) -> None:
    """Remove a client device."""
    await call.db.write(remove_device, call.user, device_id)


async def register(
    call: Call,
    *,
    device_id: DeviceId,
    push_key: Annotated[
        Words,
        Doc("The key that encrypts push notifications for the device, 33 bytes in Base64."),
        Example("MTaUDJDMWypQ1WufZ1NRTHSSvgYtXh1qVNSjN3aBiEFt"),
    ]
    | None = None,
    push_key_id: Annotated[PushKeyId | None, Example(2408)] = None,
    token_kind: Annotated[
        Literal["apns", "fcm"] | None,
        Doc("The kind of token: `apns` (Apple) or `fcm` (Google)."),
        Example("fcm"),
    ] = None,
    token_id: Annotated[
        Words, Doc("The first 8 bytes of the token's SHA-256, in Base64."), Example("hGsEWGmyyfI=")
    ]
    | None = None,
    bouncer_public_key: Annotated[
        Words,
        Doc("The public key of the push service that the registration is encrypted with."),
        Example("the service's key"),
    ]
    | None = None,
    encrypted_push_registration: Annotated[
        Words,
        Doc("The registration of the device, encrypted for the push service."),
        Example("what only the service can read"),
    ]
    | None = None,
) -> None:
    """Register a device for push notifications."""
    key = None
    if push_key is not None and push_key_id is not None:
        key = push_key_id, domain.personal.devices.checked_key(push_key, push_key_id)
    token = None
    if token_kind and token_id and bouncer_public_key and encrypted_push_registration:
        domain.personal.devices.checked_token_id(token_id)
        token = Registration(token_kind, token_id, bouncer_public_key, encrypted_push_registration)
    given = [token_kind, token_id, bouncer_public_key, encrypted_push_registration]
    is_half = (token is None and any(given)) or (push_key is None) != (push_key_id is None)
    await call.db.write(
        register_device,
        call.vault,
        call.user,
        device_id,
        None if is_half else key,
        None if is_half else token,
    )


async def send_test(call: Call, *, device_id: DeviceId | None = None) -> None:
    """Send a test notification to the caller's devices."""
    devices = await call.db.read(of_user, call.user.id)
    wanted = [each for each in devices if each.can_receive and device_id in (None, each.id)]
    if not wanted:
        raise NoActiveDevice()
    phones = [(each, domain.personal.devices.opened(call.vault, each)) for each in wanted]
    gone = await push_service.notify(
        call.config, call.org.realm.uuid, phones, PushMessage(_test(call))
    )
    if gone:
        await call.db.write(delete_tokens, gone)


async def add_apns_token(
    call: Call,
    *,
    token: Token,
    appid: Annotated[Words, Doc("The id of the app.", example="org.example.app")],
) -> None:
    """Register a phone with an older app for push through Apple."""
    await _add_token(call, DeviceToken(call.user.id, "apns", token, appid))


async def add_fcm_token(call: Call, *, token: Token) -> None:
    """Register a phone with an older app for push through Google."""
    await _add_token(call, DeviceToken(call.user.id, "fcm", token, ""))


async def remove_apns_token(call: Call, *, token: Token) -> None:
    """Remove a phone with an older app from push through Apple."""
    await _remove_token(call, "apns", token)


async def remove_fcm_token(call: Call, *, token: Token) -> None:
    """Remove a phone with an older app from push through Google."""
    await _remove_token(call, "fcm", token)


async def send_test_to_token(call: Call, *, token: Token | None = None) -> None:
    """Send a test notification to phones with an older app."""
    tokens = await call.db.read(tokens_of, call.user.id)
    wanted = [each for each in tokens if token in (None, each.token)]
    if not wanted:
        raise UnknownDeviceToken()
    await push_service.notify_tokens(
        call.config, call.org.realm.uuid, _person(call), wanted, PushMessage(_test(call))
    )


async def _add_token(call: Call, token: DeviceToken) -> None:
    domain.personal.devices.checked_token(token.kind, token.token)
    await push_service.add_token(call.config, _person(call), token)
    await call.db.write(store_token, token)


async def _remove_token(call: Call, kind: TokenKind, token: str) -> None:
    if not token:
        raise BadRequest("Empty or invalid length token")
    await call.db.write(forget_token, call.user, kind, token)


def _person(call: Call) -> str:
    return domain.personal.devices.person_uuid(call.org.realm.uuid, call.user.id)


def _test(call: Call) -> dict[str, Any]:
    return {
        "type": "test",
        "realm_url": call.site,
        "realm_name": call.org.realm.name,
        "user_id": call.user.id,
        "time": int(call.now),
    }


# --- Web Push ---


Endpoint = Annotated[
    str,
    NotBlank,
    MaxLength(domain.limits.MAX_WEB_ADDRESS_LENGTH),
    NoNul,
    Doc(
        "The push endpoint, from a browser or a UnifiedPush distributor.",
        example="https://push.example.com/send/4711",
    ),
]
KeyText = Annotated[str, NotBlank, MaxLength(200), NoNul]


class PublicKey(Reply):
    public_key: Annotated[str, Doc("The `applicationServerKey` for browsers, in URL-safe Base64.")]


class NewSubscription(Reply):
    subscription_id: Annotated[int, Doc("The id of the subscription.")]


async def key(call: Call) -> PublicKey:
    """Get the Web Push key of the server (`applicationServerKey`)."""
    known = await call.db.read(find_key)
    if known is not None:
        return PublicKey(public_key=known[0])
    public, private = await api.people.crypto_queue.run(call, web_push.new_key)
    public_key = await call.db.write(store_key, call.vault, public, private)
    return PublicKey(public_key=public_key)


async def subscribe(
    call: Call,
    *,
    endpoint: Endpoint,
    p256dh: Annotated[
        KeyText,
        Doc(
            "The public key of the subscription, 65 bytes in Base64.",
            example="BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4",
        ),
    ],
    auth: Annotated[
        KeyText,
        Doc(
            "The authentication secret of the subscription, 16 bytes in Base64.",
            example="BTBZMqHH6r4Tts7J_aSIgg",
        ),
    ],
) -> NewSubscription:
    """Add a Web Push subscription."""
    subscription_id = await call.db.write(add_subscription, call.user, endpoint, p256dh, auth)
    return NewSubscription(subscription_id=subscription_id)


async def unsubscribe(call: Call, *, endpoint: Endpoint) -> None:
    """Delete a Web Push subscription."""
    await call.db.write(delete_subscription, call.user, endpoint)


class TestResult(Reply):
    status: Annotated[
        int, Doc("The HTTP status that the push service answered; 0 if it did not answer.")
    ]


async def send_browser_test(call: Call, *, endpoint: Endpoint) -> TestResult:
    """Send a test notification to a Web Push subscription."""
    subscription = await call.db.read(get_subscription, call.user, endpoint)
    words = locale.texts(domain.emails.language_of(call.user))
    payload = _test(call) | {"content": words("push.test")}
    async with NOTICES.slot(call.person):
        response = await push_to_browser(
            call.services, call.org, PushRequest(subscription, payload)
        )
    return TestResult(status=response.status)


async def mute_conversation(
    call: Call,
    *,
    message_id: MessageId,
    seconds: Annotated[int, AtLeast(1), AtMost(86400), Doc("For how long.", example=3600)],
) -> None:
    """Send no push notifications of a conversation for a while."""
    await call.db.write(mute, call.user, message_id, seconds)


# --- what they add to the rest ---


def _add_senders(services: Services, outbox: Outbox) -> None:
    pushes = PushSender(services, outbox)
    outbox.add(pushes, due_job("pushed and read", 10, pushes.correct_shown, PUSHED))
    if services.config.pushes:
        outbox.add(DeviceSender(services, outbox))


def _jobs(services: Services) -> Iterator[Job]:
    reader = MissedMessages(services)
    yield leader_job("missed messages", 2, reader.run_once, run_at_start=True)
    if services.config.sends_mail:
        yield due_job("missed mail", 5, reader.send_due, MISSED)


FEATURE = Feature(
    state={"device": devices_state},
    facts={"device": OwnedFact("", ("device",), of_user)},
    jobs=_jobs,
    add_senders=_add_senders,
)
