"""Redirects from a call's link in a message to the server of the video call."""

from urllib.parse import urlencode

from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from tertulia import api, features
from tertulia.api.call import Call
from tertulia.external import video_calls
from tertulia.features.video_calls import JOIN
from tertulia.web import account_pages
from tertulia.web.account_pages import AccountPages


def routes(pages: AccountPages) -> list[Route]:
    return [pages.route(JOIN, _join, None)]


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
