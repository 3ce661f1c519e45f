"""Web Push: for browsers and UnifiedPush, without a push service in between."""

from typing import Annotated

from tertulia import actions, api, domain, storage
from tertulia.api.call import Call
from tertulia.external.push import web_push
from tertulia.http.parameter_rules import MaxLength, NoNul, NotBlank
from tertulia.http.replies import Reply

Endpoint = Annotated[str, NotBlank, MaxLength(domain.limits.MAX_WEB_ADDRESS_LENGTH), NoNul]
KeyText = Annotated[str, NotBlank, MaxLength(200), NoNul]


class PublicKey(Reply):
    public_key: str


class NewSubscription(Reply):
    subscription_id: int


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
    call: Call, *, endpoint: Endpoint, p256dh: KeyText, auth: KeyText
) -> NewSubscription:
    """Add a Web Push subscription."""
    subscription_id = await call.db.write(
        actions.personal.web_push.subscribe, call.user, endpoint, p256dh, auth
    )
    return NewSubscription(subscription_id=subscription_id)


async def unsubscribe(call: Call, *, endpoint: Endpoint) -> None:
    """Delete a Web Push subscription."""
    await call.db.write(actions.personal.web_push.unsubscribe, call.user, endpoint)
