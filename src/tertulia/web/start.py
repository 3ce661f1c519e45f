"""What the page starts with: the answer to a register, put into the page itself.

On a slow line that saves the page a third of the time until its first messages are read.
"""

import msgspec

from tertulia import api, events
from tertulia.api.call import Call
from tertulia.events.listener import Capabilities, Options
from tertulia.events.snapshot.facts import Wanted

IDLE_SECONDS = 43_200  # a laptop may sleep through the night

# The same as `REGISTER` in events.js, with which the page asks again if its queue is gone.
OPTIONS = Options(
    apply_markdown=True,
    client_gravatar=False,
    slim_presence=True,
    include_subscribers="false",
    capabilities=Capabilities(
        notification_settings_null=True,
        bulk_message_deletion=True,
        user_avatar_url_field_optional=False,
        stream_typing_notifications=True,
        user_settings_object=True,
        linkifier_url_template=True,
        user_list_incomplete=True,
        include_deactivated_groups=True,
        archived_channels=True,
        empty_topic_name=True,
        simplified_presence_events=True,
    ),
)


async def state(call: Call) -> bytes:
    """The state as JSON that can stand in a page, with the id of the last event it knows of."""
    place, told = await api.events.begin(call, OPTIONS, Wanted(None), IDLE_SECONDS)
    position = events.mailbox.event_id(place.seq + 1) - 1
    text = msgspec.json.encode({**told, "position": position})
    return text.replace(b"<", b"\\u003c")
