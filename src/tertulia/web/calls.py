"""Joining a call: from an invitation of ours to the server that holds it."""

from urllib.parse import urlencode

from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from tertulia import api, domain, links
from tertulia.api.call import Call
from tertulia.domain.messages.calls import JOIN
from tertulia.web import door
from tertulia.web.door import DoorPages


def routes(entrance: DoorPages) -> list[Route]:
    return [entrance.route(JOIN, _join, None)]


async def _join(call: Call) -> Response:
    signed = str(call.request.params.get("bigbluebutton", ""))
    if call.caller is None:
        back = f"{JOIN}?{urlencode({'bigbluebutton': signed})}"
        return door.see(f"/login/?{urlencode({'next': back})}")
    api.requirements.with_bigbluebutton(call)
    meeting = domain.messages.calls.opened(call.vault, call.org.realm.id, signed)
    created = await links.calls.begin_meeting(
        call.config, meeting.id, meeting.name, is_voice_only=meeting.is_voice_only
    )
    address = links.calls.join_address(
        call.config,
        meeting.id,
        call.user.full_name,
        created,
        is_moderator=meeting.moderator_id == call.user.id,
    )
    return RedirectResponse(address, 302, {"Cache-Control": "no-store"})
