"""The consent page: where an agent may read and write, and until when."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta, tzinfo
from typing import Any
from urllib.parse import unquote, urlencode, urlsplit
from zoneinfo import ZoneInfo

import msgspec
from starlette.responses import Response

from tertulia import domain, storage
from tertulia.api.call import Call
from tertulia.database.tx import Tx
from tertulia.domain.channels.channel import Channel
from tertulia.domain.people.agents import Client, GrantRequest
from tertulia.domain.people.user import User
from tertulia.errors import BadRequest
from tertulia.errors.parameters import TooMany
from tertulia.http.parameter_rules import parse_id
from tertulia.mcp import read_tools
from tertulia.web import account_pages, page_texts, security_headers

PATH = "/oauth/authorize"
SHOWN_CHANNELS = 6  # the others are folded away
MAX_CHANNELS = 500
DAY_SECONDS = 86_400
LONG_DAYS = 30
COLOURS = 9  # of the dots before channels


class ChannelChoice(msgspec.Struct, frozen=True):
    """A row of the form."""

    id: int
    name: str
    is_private: bool
    is_asked: bool
    colour: int


async def page(
    call: Call,
    client: Client,
    redirect_uri: str,
    scope: str,
    carried: dict[str, str],
    *,
    is_empty: bool = False,
) -> Response:
    asked = scope.split()
    named = {unquote(each[8:]).casefold() for each in asked if each.startswith("channel:")}
    channels = await call.db.read(_channels, call.user)
    choices = [
        ChannelChoice(
            each.id,
            each.name,
            each.invite_only,
            each.name.casefold() in named,
            each.id % COLOURS + 1,
        )
        for each in channels[:MAX_CHANNELS]
    ]
    choices.sort(key=lambda each: not each.is_asked)
    shown = max(SHOWN_CHANNELS, sum(each.is_asked for each in choices))
    t = page_texts.of(call.request)
    return await account_pages.page(
        call,
        "consent.html",
        headers=security_headers.of_page(form_targets=[_origin(redirect_uri)]),
        error=BadRequest(t("consent.chose-nothing")) if is_empty else None,
        agent=client.name,
        letter=client.name[:1].upper(),
        email=call.user.email,
        first=choices[:shown],
        others=choices[shown:],
        asked_channels=", ".join(each.name for each in choices if each.is_asked),
        wants_to_write="write" in asked or not asked,
        wants_direct_messages="direct_messages" in asked,
        wants_people="people" in asked or not asked,
        until=_date(call, LONG_DAYS * DAY_SECONDS),
        host=urlsplit(redirect_uri).hostname or urlsplit(redirect_uri).scheme,
        document_host=client.document_host,
        is_on_this_computer=domain.people.agents.is_loopback(redirect_uri),
        registered=_day(call, client.created_at),
        carried=carried,
        here=f"{PATH}?{urlencode(carried)}",
    )


def decision(call: Call) -> GrantRequest:
    """What the form allows."""
    params = call.request.params
    channels = {
        channel_id: params.get(f"access_{name[8:]}") == "write"
        for name in params
        if name.startswith("channel_") and (channel_id := parse_id(name[8:])) is not None
    }
    if len(channels) > MAX_CHANNELS:
        raise TooMany("channels", MAX_CHANNELS)
    return GrantRequest(
        channels=channels,
        direct_messages="direct_messages" in params,
        presence="people" in params,
        expires_at=_end(call, params.get("until", "")),
    )


def details(grant_request: GrantRequest) -> dict[str, Any]:
    """A grant in the audit log: ids, never names."""
    return {
        "read": [each for each, writes in grant_request.channels.items() if not writes],
        "write": [each for each, writes in grant_request.channels.items() if writes],
        "direct_messages": grant_request.direct_messages,
        "people": grant_request.presence,
        "until": None if grant_request.expires_at is None else int(grant_request.expires_at),
    }


def _channels(tx: Tx, user: User) -> Sequence[Channel]:
    """The channels of the user first, then the others that they may read."""
    mine = set(storage.channels.subscriptions.channel_ids_of(tx, user.id))
    return sorted(read_tools.readable_channels(tx, user), key=lambda each: each.id not in mine)


def _end(call: Call, choice: str) -> float | None:
    if choice == "hour":
        return call.now + 3600
    if choice == "today":
        zone = _zone(call.user)
        start = datetime.fromtimestamp(call.now, zone).replace(hour=0, minute=0, second=0)
        return (start + timedelta(days=1)).timestamp()
    if choice == "month":
        return call.now + LONG_DAYS * DAY_SECONDS
    if choice == "open":
        return None
    raise BadRequest("Choose until when.")


def _zone(user: User) -> tzinfo:
    try:
        return ZoneInfo(user.timezone) if user.timezone else UTC
    except (KeyError, ValueError, OSError):
        return UTC


def _date(call: Call, seconds: float) -> str:
    return _day(call, call.now + seconds)


def _day(call: Call, at: float) -> str:
    return page_texts.of(call.request).date(datetime.fromtimestamp(at, _zone(call.user)))


def _origin(uri: str) -> str:
    """Where the form may lead, for the content security policy."""
    parts = urlsplit(uri)
    return f"{parts.scheme}://{parts.netloc}" if parts.netloc else f"{parts.scheme}:"
