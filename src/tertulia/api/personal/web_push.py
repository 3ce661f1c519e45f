"""Web Push: for browsers and UnifiedPush, without a push service in between."""

from typing import Annotated

from tertulia import actions, api, domain, storage
from tertulia.api.call import Call
from tertulia.external.push import web_push
from tertulia.http.parameter_rules import MaxLength, NoNul, NotBlank
from tertulia.http.replies import Reply
from tertulia.wire import Doc

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
    known = await call.db.read(storage.personal.web_push.key)
    if known is not None:
        return PublicKey(public_key=known[0])
    public, private = await api.people.crypto_queue.run(call, web_push.new_key)
    public_key = await call.db.write(
        actions.personal.web_push.store_key, call.vault, public, private
    )
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
    subscription_id = await call.db.write(
        actions.personal.web_push.subscribe, call.user, endpoint, p256dh, auth
    )
    return NewSubscription(subscription_id=subscription_id)


async def unsubscribe(call: Call, *, endpoint: Endpoint) -> None:
    """Delete a Web Push subscription."""
    await call.db.write(actions.personal.web_push.unsubscribe, call.user, endpoint)
