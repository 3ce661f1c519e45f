"""ntfy and Gotify: a user's own push server, where missed messages go besides browsers and phones.

A push server is a row of `push_subscription`, so it has the outbox, the retries and the settings of
Web Push. It gets the text of messages only if the user wants that.
"""

import ipaddress
from typing import Annotated, Any, Literal, cast
from urllib.parse import urlsplit

import msgspec

from tertulia import domain, locale, storage
from tertulia.api.call import Call, Services
from tertulia.database.tx import Tx
from tertulia.domain.addresses import Networks
from tertulia.domain.people.keys import Vault
from tertulia.domain.people.user import User
from tertulia.domain.personal.web_push import PushSubscription
from tertulia.errors import BadRequest
from tertulia.events.directory.organization import Organization
from tertulia.external.push import push_server
from tertulia.external.push.push_server import Note, NoteButton
from tertulia.external.push.web_push import SECONDS, PushRequest, PushResponse
from tertulia.external.safe_http import AddressNotAllowed, RequestFailed
from tertulia.features.notifications import receivers
from tertulia.http.parameter_rules import MaxLength, NoNul, NotBlank, WebAddress
from tertulia.http.replies import Reply
from tertulia.wire import Doc

Kind = Annotated[Literal["ntfy", "gotify"], Doc("The kind of the server.", example="ntfy")]
Address = Annotated[
    str,
    NotBlank,
    NoNul,
    WebAddress,
    MaxLength(domain.limits.MAX_WEB_ADDRESS_LENGTH),
    Doc("Of an ntfy topic, or of a Gotify server.", example="https://ntfy.example.com/reef-7tq"),
]
Token = Annotated[
    str, MaxLength(200), NoNul, Doc("The access token of an ntfy server, or of a Gotify app.")
]
SendsText = Annotated[bool, Doc("Whether it gets the text of messages, and not only names.")]


class PushServerObject(msgspec.Struct):
    """A push server of the user."""

    kind: Kind
    address: Address
    sends_text: SendsText


class PushServers(Reply):
    push_servers: Annotated[list[PushServerObject], Doc("The servers, oldest first.")]


class PushServerTest(Reply):
    status: Annotated[int, Doc("The HTTP status that the server answered; 0 without an answer.")]
    reason: Annotated[str, Doc("Why it refused, in its own words; may be empty.")]


# --- actions ---


def of_user(tx: Tx, user_id: int) -> list[PushSubscription]:
    return [each for each in receivers.of_user(tx, user_id) if each.kind != "web"]


def store(tx: Tx, vault: Vault, user: User, new: PushServerObject, token: str) -> None:
    if not storage.organization.realms.current(tx).setting("push_servers_allowed"):
        raise BadRequest(
            "This organization does not allow push servers.", problem="push-servers-not-allowed"
        )
    receivers.insert(
        tx,
        user,
        new.address,
        kind=new.kind,
        sends_text=new.sends_text,
        sealed=vault.seal(token) if token else None,
        p256dh="",
        auth="",
    )


# --- sending ---


async def send(
    services: Services,
    org: Organization,
    site: str,
    request: PushRequest,
    seconds: float = SECONDS,
) -> tuple[PushResponse, str]:
    """Send a notification. Returns the response, and the words of a refusal."""
    server, payload = request.subscription, request.payload
    try:
        return await push_server.send(
            server.kind,
            server.endpoint,
            services.vault.unseal(bytes(server.sealed)) if server.sealed else "",
            _note(org, site, server, payload),
            services.clock(),
            services.config.webhook_networks,
            person=server.user_id,
            seconds=seconds,
        )
    except AddressNotAllowed:
        return PushResponse(400), "address not allowed"
    except RequestFailed:
        return PushResponse(), ""


def _note(org: Organization, site: str, server: PushSubscription, payload: dict[str, Any]) -> Note:
    words = locale.texts(domain.emails.language_of(org.users[server.user_id]))
    if payload["type"] == "test":
        return Note(payload["realm_name"], payload["content"], site)
    if payload["type"] == "ring":
        page = f"{site}/{payload['hash']}/answer/{payload['call_token']}"
        answer = NoteButton(payload["answer"], page, opens=True)
        decline = NoteButton(payload["decline"], payload["decline_url"], opens=False)
        return Note(payload["title"], payload["content"], page, True, (answer, decline))
    is_direct = payload["recipient_type"] == "direct"
    if is_direct:
        ids = payload.get("recipient_user_ids", [])
        place, link = "", domain.messages.links.conversation_link(ids)
    else:
        place = f" · {payload['channel_name']} › {payload['topic']}"
        link = domain.messages.links.topic_link(
            payload["channel_id"], payload["channel_name"], payload["topic"]
        )
    return Note(
        f"{payload['sender_full_name']}{place}",
        (server.sends_text and payload["content"]) or words("push.new-message"),
        f"{site}/{link}/near/{payload['message_id']}",
        is_call=payload["is_call"],
    )


# --- endpoints ---


async def fetch(call: Call) -> PushServers:
    """List the caller's push servers."""
    found = await call.db.read(of_user, call.user.id)
    return PushServers(
        push_servers=[
            PushServerObject(
                kind=cast(Kind, each.kind), address=each.endpoint, sends_text=each.sends_text
            )
            for each in found
        ]
    )


async def add(
    call: Call, *, kind: Kind, address: Address, token: Token = "", sends_text: SendsText = False
) -> None:
    """Add a push server, or change it."""
    _check(address, kind, call.config.webhook_networks)
    new = PushServerObject(kind=kind, address=address, sends_text=sends_text)
    await call.db.write(store, call.vault, call.user, new, token)


async def test(call: Call, *, address: Address) -> PushServerTest:
    """Send a test notification to a push server."""
    server = await call.db.read(receivers.get_subscription, call.user, address)
    words = locale.texts(domain.emails.language_of(call.user))
    payload = {"type": "test", "realm_name": call.org.realm.name, "content": words("push.test")}
    request = PushRequest(server, payload)
    async with receivers.NOTICES.slot(call.person):
        response, reason = await send(call.services, call.org, call.site, request)
    return PushServerTest(status=response.status, reason=reason)


async def remove(call: Call, *, address: Address) -> None:
    """Remove a push server."""
    await call.db.write(receivers.delete_subscription, call.user, address)


def _check(address: str, kind: str, networks: Networks) -> None:
    """Text and token go there: the address needs HTTPS, unless the operator allows its network."""
    parts = urlsplit(address)
    if parts.scheme != "https" and not _is_in(parts.hostname or "", networks):
        raise BadRequest("The address needs HTTPS.", problem="push-server-needs-https")
    if kind == "ntfy" and not push_server.has_topic(address):
        raise BadRequest(
            "The address needs a topic, as in https://ntfy.example.com/topic.",
            problem="push-server-needs-topic",
        )


def _is_in(host: str, networks: Networks) -> bool:
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return False
    return any(address in each for each in networks)
