"""An example call of every endpoint, shown on `/api` and in the description.

Required parameters have an example value by name. Where that is not enough, or the name means
something else, the endpoint has an entry of its own. Ids are placeholders: a test sends every
example with real ids.
"""

from typing import Any

from tertulia.http.routing import Route

BY_NAME: dict[str, Any] = {
    "alert_words": ["tea"],
    "allow_subdomains": False,
    "anchor": "newest",
    "answer": '{"id": "…", "rawId": "…", "type": "public-key", "response": {}}',
    "attachment_id": 4,
    "auth": "BTBZMqHH6r4Tts7J_aSIgg",
    "bot_id": 10,
    "channel_folder_id": 2,
    "code": "287082",
    "content": "Soup is on!",
    "description": "What we cook",
    "domain": "example.com",
    "draft": {"type": "stream", "to": [7], "topic": "lunch", "content": "Soup is"},
    "draft_id": 5,
    "drafts": [{"type": "stream", "to": [7], "topic": "lunch", "content": "Soup is"}],
    "email": "ana@example.com",
    "emoji_name": "tada",
    "endpoint": "https://push.example.com/send/4711",
    "export_id": 1,
    "field_id": 3,
    "field_type": 1,
    "filename": "4e/m2ukXkHbkrN5B7TCYB/tides.pdf",
    "filter_id": 2,
    "flag": "read",
    "fragment": "narrow/is/starred",
    "full_name": "Ana Ruiz",
    "group_id": 12,
    "integration": "json",
    "invite_id": 6,
    "invitee_emails": "dora@example.com",
    "is_pinned": True,
    "members": [9],
    "message_id": 42,
    "messages": [42],
    "msg_ids": [42],
    "msg_type": "widget",
    "muted_user_id": 11,
    "name": "Kitchen",
    "narrow": [{"operator": "channel", "operand": "general"}],
    "night": True,
    "num_after": 0,
    "num_before": 20,
    "op": "add",
    "order": [2],
    "ordered_linkifier_ids": [2],
    "p256dh": "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-"
    "AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4",
    "passkey_id": 3,
    "password": "tides rise at noon",
    "pattern": "#(?P<id>[0-9]+)",
    "playground_id": 1,
    "property": "is_muted",
    "pygments_language": "Python",
    "queue_id": "fb67bf8a-c031-47cc-84cf-ed80accacda8",
    "realm_id_str": "2",
    "reminder_id": 8,
    "report_type": "spam",
    "saved_snippet_id": 5,
    "scheduled_delivery_timestamp": 4102444800,
    "scheduled_message_id": 3,
    "secret": "MFRGGZDFMZTWQ2LKNNWG23TPOBYXE43U",
    "session_id": 13,
    "short_name": "helper",
    "state": "q0Fh3SxWcXk0sJYwq8mZr1dVt2uTn5oLb7eGa9iKpMy",
    "status": "active",
    "storage": {"tide": "high"},
    "stream": "general",
    "stream_id": 7,
    "stream_ids": [7],
    "subscribers": [9],
    "subscription_data": [{"stream_id": 7, "property": "is_muted", "value": True}],
    "subscriptions": [{"name": "kitchen"}],
    "title": "Recipe",
    "to": "general",
    "topic": "lunch",
    "topic_name": "lunch",
    "type": "channel",
    "url_template": "https://example.com/issues/{id}",
    "user_id": 9,
    "username": "ana@example.com",
    "value": True,
    "visibility_policy": 3,
    "welcome_message_custom_text": "Pull up a chair.",
    "appid": "org.example.app",
    "device_id": 3,
    "meeting_name": "lunch",
    "room_name": "lunch",
    "token": "c0ffee",
}

_SUNNY = {"status_text": "At the beach", "emoji_name": "beach"}
_ORGANIZATION = {"description": "We cook together", "message_retention_days": "unlimited"}

OF_CALLS: dict[str, dict[str, Any]] = {
    "DELETE /messages/{message_id}/reactions": {"emoji_name": "tada"},
    "DELETE /users/me/profile_data": {"data": [3]},
    "DELETE /users/me/subscriptions": {"subscriptions": ["garden"]},
    "GET /events": {"queue_id": BY_NAME["queue_id"], "last_event_id": -1},
    "GET /external/{integration}": {"api_key": "zT5CbUwBaCAVqM9WXYDQZvf7XfgTYJzy"},
    "GET /messages": {
        "anchor": "newest",
        "num_before": 20,
        "num_after": 0,
        "narrow": [{"operator": "channel", "operand": "general"}],
    },
    "GET /realm/audit_log": {"limit": 20},
    "PATCH /bots/{bot_id}": {"full_name": "Helper"},
    "PATCH /channel_folders/{channel_folder_id}": {"description": "Rooms"},
    "PATCH /messages/{message_id}": {"content": "Soup is on, and bread!"},
    "PATCH /navigation_views/{fragment:path}": {"is_pinned": False},
    "PATCH /realm": _ORGANIZATION,
    "PATCH /realm/profile_fields/{field_id}": {"name": "Pets"},
    "PATCH /realm/user_settings_defaults": {"color_scheme": 2},
    "PATCH /saved_snippets/{saved_snippet_id}": {"title": "Recipe"},
    "PATCH /scheduled_messages/{scheduled_message_id}": {"content": "Soup will be on!"},
    "PATCH /settings": {"enter_sends": True},
    "PATCH /settings/display": {"color_scheme": 2},
    "PATCH /settings/notifications": {"enable_sounds": False},
    "PATCH /streams/{stream_id}": {"description": "What we cook"},
    "PATCH /user_groups/{group_id}": {"description": "Who bakes"},
    "PATCH /users/me/profile_data": {"data": [{"id": 3, "value": "Baker"}]},
    "PATCH /users/me/subscriptions": {"add": [{"name": "garden"}]},
    "PATCH /users/me/subscriptions/muted_topics": {"stream_id": 7},
    "PATCH /users/{email}": {"full_name": "Ana Ruiz"},
    "PATCH /users/{user_id}": {"full_name": "Ana Ruiz"},
    "POST /bots": {"full_name": "Helper", "short_name": "helper", "bot_type": 1},
    "POST /channels/create": {"name": "kitchen", "subscribers": [9], "description": "Soup"},
    "POST /export/realm": {"export_type": "public"},
    "POST /external/{integration}": {
        "api_key": "zT5CbUwBaCAVqM9WXYDQZvf7XfgTYJzy",
        "stream": "general",
        "topic": "builds",
    },
    "POST /invites/multiuse": {"invite_expires_in_minutes": 1440},
    "POST /mobile_push/register": {
        "device_id": 3,
        "push_key": "MTaUDJDMWypQ1WufZ1NRTHSSvgYtXh1qVNSjN3aBiEFt",
        "push_key_id": 2408,
        "token_kind": "fcm",
        "token_id": "hGsEWGmyyfI=",
        "bouncer_public_key": "the service's key",
        "encrypted_push_registration": "what only the service can read",
    },
    "POST /jwt/fetch_api_key": {"token": "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.e30.x"},
    "POST /messages": {"to": "general", "topic": "lunch"},
    "POST /realm/playgrounds": {
        "name": "Try it",
        "url_template": "https://example.com/run/{code}",
    },
    "POST /realm/profile_fields": {"name": "Favorite soup", "field_type": 1},
    "POST /register": {"event_types": ["message"]},
    "POST /scheduled_messages": {"to": 7, "topic": "lunch"},
    "POST /submessage": {"content": '{"type": "vote", "key": "canned,0", "vote": 1}'},
    "POST /typing": {"op": "start", "type": "channel", "stream_id": 7, "topic": "lunch"},
    "POST /user_groups/{group_id}/members": {"add": [9]},
    "POST /user_groups/{group_id}/subgroups": {"add": [13]},
    "POST /messages/{message_id}/typing": {"op": "start"},
    "POST /users/me/status": _SUNNY,
    "POST /users/{user_id}/status": _SUNNY,
}


def of_call(route: Route) -> dict[str, Any]:
    """The example parameters of a route; a test checks that all required ones are there."""
    own = OF_CALLS.get(f"{route.method} {route.path}", {})
    needed = {each.name for each in route.contract.parameters if each.is_required}
    return {name: BY_NAME[name] for name in sorted(needed & BY_NAME.keys() - own.keys())} | own


def of_path(name: str) -> Any:
    """The example value of a path parameter."""
    return BY_NAME.get(name)
