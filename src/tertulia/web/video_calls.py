"""Redirects from a call's link in a message to the server of the video call."""

import re
from urllib.parse import urlencode

from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from tertulia import api, features
from tertulia.api.call import Call
from tertulia.errors.http import CallsNotConfigured, NotFound
from tertulia.events.snapshot.server_info import LIVEKIT_PATH
from tertulia.external import video_calls
from tertulia.features.video_calls import JOIN
from tertulia.web import account_pages
from tertulia.web.account_pages import AccountPages

ROOM = re.compile(r"[\w-]{8,40}")  # clients make 15 or 20 digits


def routes(pages: AccountPages) -> list[Route]:
    return [
        pages.route(JOIN, _join, None),
        pages.route(f"{LIVEKIT_PATH}/{{room}}", _join_livekit, None),
    ]


async def _join_livekit(call: Call, room: str) -> Response:
    if call.caller is None:
        return account_pages.redirect(f"/login/?{urlencode({'next': f'{LIVEKIT_PATH}/{room}'})}")
    config = call.config
    if not config.has_livekit:
        raise CallsNotConfigured(service="LiveKit")
    if not ROOM.fullmatch(room):
        raise NotFound()
    token = features.video_calls.livekit_token(
        config.livekit_key,
        config.livekit_secret,
        features.video_calls.livekit_room(call.org.realm.uuid, room),
        call.user,
        call.now,
    )
    query = urlencode({"liveKitUrl": config.livekit_url, "token": token})
    address = f"{config.livekit_page.rstrip('/')}/custom?{query}"
    headers = {"Cache-Control": "no-store", "Referrer-Policy": "no-referrer"}
    return RedirectResponse(address, 302, headers)


async def _join(call: Call) -> Response:
    signed = str(call.request.params.get("bigbluebutton", ""))
    if call.caller is None:
        back = f"{JOIN}?{urlencode({'bigbluebutton': signed})}"
        return account_pages.redirect(f"/login/?{urlencode({'next': back})}")
    api.guards.with_bigbluebutton(call)
    meeting = features.video_calls.opened(call.vault, call.org.realm.id, signed)
    created = await video_calls.create_meeting(
        call.config, meeting.id, meeting.name, is_voice_only=meeting.is_voice_only
    )
    address = video_calls.join_url(
        call.config,
        meeting.id,
        call.user.full_name,
        created,
        is_moderator=meeting.moderator_id == call.user.id,
    )
    return RedirectResponse(address, 302, {"Cache-Control": "no-store"})
