"""An example call of every endpoint, shown on `/api` and in the description.

Required parameters have an example in their `Doc`. Where that is not enough, or does not fit, the
endpoint has an entry here. Ids are placeholders: a test sends every example with real ids.
"""

from typing import Any

from tertulia.http.routing import Route

_SUNNY = {"status_text": "At the beach", "emoji_name": "beach"}
_ORGANIZATION = {"description": "We cook together", "message_retention_days": "unlimited"}

OF_CALLS: dict[str, dict[str, Any]] = {
    "DELETE /messages/{message_id}/reactions": {"emoji_name": "tada"},
    "DELETE /users/me/profile_data": {"data": [3]},
    "DELETE /users/me/subscriptions": {"subscriptions": ["garden"]},
    "GET /events": {
        "queue_id": "fb67bf8a-c031-47cc-84cf-ed80accacda8",
        "last_event_id": -1,
    },
    "GET /external/{integration}": {"api_key": "zT5CbUwBaCAVqM9WXYDQZvf7XfgTYJzy"},
    "GET /messages": {
        "anchor": "newest",
        "num_before": 20,
        "num_after": 0,
        "narrow": [{"operator": "channel", "operand": "general"}],
    },
    "GET /realm/audit_log": {"limit": 20},
    "GET /realm/retention_preview": {"message_retention_days": 90},
    "POST /realm/legal_holds": {"reason": "Case 4711", "held_user_ids": [9]},
    "PATCH /streams/{stream_id}/topic_summaries": {"allowed": True},
    "PATCH /answers/{answer_token}": {"content": "Soup is", "status_line": "reading 3 files"},
    "PATCH /realm/accounts": {"account_ids": [12, 17], "role": 400},
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
    "POST /integrations/template/preview": {
        "payload": '{"status": "up"}',
        "text_template": "It is {{ status }}",
    },
    "POST /bots": {"full_name": "Helper", "bot_type": 1},
    "POST /channels/create": {"name": "kitchen", "description": "Soup"},
    "POST /export/realm": {"export_type": "public"},
    "POST /external/{integration}": {
        "api_key": "zT5CbUwBaCAVqM9WXYDQZvf7XfgTYJzy",
        "stream": "general",
        "topic": "builds",
    },
    "POST /invites/multiuse": {"invite_expires_in_minutes": 1440},
    "POST /mobile_push/register": {
        "push_key": "MTaUDJDMWypQ1WufZ1NRTHSSvgYtXh1qVNSjN3aBiEFt",
        "push_key_id": 2408,
        "token_kind": "fcm",
        "token_id": "hGsEWGmyyfI=",
        "bouncer_public_key": "the service's key",
        "encrypted_push_registration": "what only the service can read",
    },
    "POST /jwt/fetch_api_key": {"token": "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.e30.x"},
    "POST /answers": {"topic": "lunch"},
    "POST /messages": {"to": "general", "topic": "lunch"},
    "POST /realm/playgrounds": {
        "name": "Try it",
        "url_template": "https://example.com/run/{code}",
    },
    "POST /realm/profile_fields": {"name": "Favorite soup"},
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
    found = {each.name: each.doc.examples for each in route.contract.parameters if each.is_required}
    return {name: some[0] for name, some in sorted(found.items()) if some} | own
