"""Video calls on configured servers; for Jitsi, clients create links themselves."""

from typing import Annotated

from tertulia import domain
from tertulia.api.call import Call
from tertulia.domain.messages.video_calls import JOIN
from tertulia.external import video_calls
from tertulia.http.parameter_rules import MaxLength, NoNul, NotBlank
from tertulia.http.replies import Reply

MeetingName = Annotated[str, NotBlank, MaxLength(1000), NoNul]


class CallLink(Reply):
    url: str


async def create_bigbluebutton(
    call: Call, *, meeting_name: MeetingName, voice_only: bool = False
) -> CallLink:
    """Create a link to a BigBlueButton call."""
    meeting = domain.messages.video_calls.new_meeting(
        meeting_name, call.user.id, is_voice_only=voice_only
    )
    signed = domain.messages.video_calls.signed(call.vault, call.org.realm.id, meeting)
    return CallLink(url=f"{JOIN}?bigbluebutton={signed}")


async def create_nextcloud_talk(call: Call, *, room_name: MeetingName) -> CallLink:
    """Create a room in Nextcloud Talk."""
    return CallLink(url=await video_calls.create_room(call.config, room_name))
