"""Twenty calls with the Python client that openapi-python-client generates; run by its test.

`python generated_client.py SITE EMAIL KEY`, in the folder of the package `generated`. It prints the
kinds of events that it received.
"""

# mypy: ignore-errors

import io
import json
import sys

import httpx
from generated import Client, models, types
from generated.api.channels import get_stream_topics, get_streams
from generated.api.drafts import create_drafts, get_drafts
from generated.api.edits import update_message
from generated.api.events import delete_queue, get_events, register_queue
from generated.api.flags import update_message_flags
from generated.api.groups import create_user_group, get_user_groups
from generated.api.history import get_messages
from generated.api.presence import get_user_presence, update_presence
from generated.api.reactions import add_reaction
from generated.api.send import send_message
from generated.api.server import get_server_settings
from generated.api.settings import update_settings
from generated.api.status import get_user_status, update_status
from generated.api.subscriptions import get_subscriptions, subscribe
from generated.api.uploads import upload_file
from generated.api.users import get_own_user, get_users

site, email, key = sys.argv[1:]
client = Client(base_url=site)
client.set_httpx_client(httpx.Client(base_url=site, auth=(email, key)))


def call(endpoint, *args, **kwargs):
    response = endpoint.sync(*args, client=client, **kwargs)
    assert not isinstance(response, models.Error), (endpoint.__name__, response)
    return response


me = call(get_own_user)
assert call(get_server_settings).zulip_feature_level
assert me.user_id in [each.user_id for each in call(get_users).members]

new = models.SubscribeJsonBodySubscriptionsItem(name="attic", description="Old things")
call(subscribe, body=models.SubscribeJsonBody(subscriptions=[new], principals=[me.user_id]))
attic = next(each for each in call(get_subscriptions).subscriptions if each.name == "attic")
assert attic.stream_id in [each.stream_id for each in call(get_streams).streams]

capabilities = models.RegisterQueueJsonBodyClientCapabilities(notification_settings_null=True)
registered = call(
    register_queue,
    body=models.RegisterQueueJsonBody(
        event_types=["message", "reaction", "update_message", "user_status", "user_group"],
        fetch_event_types=["realm_user", "user_settings"],
        client_capabilities=capabilities,
    ),
)
assert isinstance(registered.user_settings, models.UserSettings)

channel, direct = models.SendMessageJsonBodyType.CHANNEL, models.SendMessageJsonBodyType.DIRECT
sent = [
    call(send_message, body=models.SendMessageJsonBody("Soup's on", kind, to, topic), **options)
    for kind, to, topic, options in (
        (channel, "attic", "lunch", {"idempotency_key": "once"}),
        (channel, "attic", "lunch", {"idempotency_key": "once"}),
        (channel, attic.stream_id, "lunch", {}),
        (direct, [me.user_id], types.UNSET, {}),
    )
]
first = sent[0].id
assert sent[1].id == first
form = models.SendMessageDataBody("In a form", models.SendMessageDataBodyType.CHANNEL, "attic")
form.topic = "lunch"
call(send_message, body=form)

narrow = [{"operator": "channel", "operand": attic.stream_id}]
found = call(get_messages, anchor="newest", num_before=10, narrow=json.dumps(narrow))
assert found.messages[0].content == "<p>Soup's on</p>"
assert [each.name for each in call(get_stream_topics, attic.stream_id).topics] == ["lunch"]

call(add_reaction, first, body=models.AddReactionJsonBody(emoji_name="tada"))
call(update_message, first, body=models.UpdateMessageJsonBody(content="Soup is over"))
flags = {"messages": [first], "op": "add", "flag": "starred"}
done = call(update_message_flags, body=models.UpdateMessageFlagsJsonBody.from_dict(flags))
assert done.messages == [first]

upload = types.File(io.BytesIO(b"\x00\xffpea"), "peas.bin", "application/octet-stream")
assert call(upload_file, body=models.UploadFileBody(file=upload)).url.endswith("peas.bin")

draft = {"type": "stream", "to": [attic.stream_id], "topic": "lunch", "content": "Bread"}
call(create_drafts, body=models.CreateDraftsJsonBody.from_dict({"drafts": [draft]}))
assert [each.content for each in call(get_drafts).drafts] == ["Bread"]

call(update_status, body=models.UpdateStatusJsonBody(status_text="At lunch", emoji_name="zulip"))
assert call(get_user_status, me.user_id).status.status_text == "At lunch"
ping = {"status": "active", "slim_presence": True}
assert call(update_presence, body=models.UpdatePresenceJsonBody.from_dict(ping)).presences
presence = call(get_user_presence, me.user_id).presence
assert presence.aggregated.status == "active"

group = {"name": "cooks", "description": "Cooks of the kitchen", "members": [me.user_id]}
call(create_user_group, body=models.CreateUserGroupJsonBody.from_dict(group))
assert "cooks" in [each.name for each in call(get_user_groups).user_groups]
call(update_settings, body=models.UpdateSettingsJsonBody.from_dict({"enter_sends": True}))

received = call(get_events, queue_id=registered.queue_id, last_event_id=-1, dont_block=True).events
call(delete_queue, body=models.DeleteQueueJsonBody(queue_id=registered.queue_id))
print(*dict.fromkeys(type(each).__name__ for each in received))
