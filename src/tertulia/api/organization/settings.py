"""The organization: changing its settings."""

from typing import Any

import msgspec

from tertulia import actions
from tertulia.api import permission_values
from tertulia.api.call import Call
from tertulia.api.permission_values import NewValue
from tertulia.api.setting_values import parameters
from tertulia.domain.channels.topics import ALLOW_EMPTY, DISABLE_EMPTY
from tertulia.domain.organization.settings import SETTINGS
from tertulia.errors import BadRequest
from tertulia.http.replies import Encoded, Reply
from tertulia.http.signatures import accepts

# Compat: enums are answered as numbers, texts only if they changed.
_NUMBERS = {
    "topics_policy": {ALLOW_EMPTY: 2, DISABLE_EMPTY: 3},
    "message_edit_history_visibility_policy": {"all": 1, "moves": 2, "none": 3},
}
_TEXTS = ("name", "description", "default_language")


class ChangedSettings(Reply):
    """The changed settings by name."""


@accepts(
    parameters(SETTINGS.values()),
    description="We cook together",
    message_retention_days="unlimited",
)
async def edit(call: Call, **values: Any) -> Encoded[ChangedSettings]:
    """Change settings of the organization."""
    wanted = {
        name: permission_values.as_change(value) if isinstance(value, NewValue) else value
        for name, value in values.items()
    }
    html = {
        name: await actions.messages.draft.describe(call.author, text)
        for name, text in values.items()
        if SETTINGS[name].is_markup
    }
    if values.get("video_chat_provider", 0) not in call.config.call_providers:
        raise BadRequest(f"Invalid video_chat_provider {values['video_chat_provider']}")
    offered = call.config.login_methods(call.org.realm.subdomain)
    changed = await call.db.write(
        actions.organization.settings.edit, call.user, wanted, html, offered
    )
    return Encoded(
        msgspec.json.encode({name: _to_wire(name, value) for name, value in changed.items()})
    )


def _to_wire(name: str, value: Any) -> Any:
    if name in _TEXTS:
        return "updated"
    return _NUMBERS.get(name, {}).get(value, value) if isinstance(value, str) else value
