"""The organization: changing its settings."""

from typing import Any

import msgspec

from tertulia.actions import realm_settings
from tertulia.actions.composing import describe
from tertulia.api.call import Call
from tertulia.api.permission_values import NewValue, as_change
from tertulia.api.setting_values import parameters
from tertulia.domain.organization_settings import SETTINGS
from tertulia.domain.topics import ALLOW_EMPTY, DISABLE_EMPTY
from tertulia.http.replies import Encoded, Reply
from tertulia.http.signatures import takes

# Compat: what has a word is answered as its number, and texts only as changed.
_NUMBERS = {
    "topics_policy": {ALLOW_EMPTY: 2, DISABLE_EMPTY: 3},
    "message_edit_history_visibility_policy": {"all": 1, "moves": 2, "none": 3},
}
_TEXTS = ("name", "description", "default_language")


@takes(parameters(SETTINGS.values()))
async def edit(call: Call, **values: Any) -> Encoded[Reply]:
    """Change the organization's settings; the answer names those that have changed."""
    wanted = {
        name: as_change(value) if isinstance(value, NewValue) else value
        for name, value in values.items()
    }
    html = {
        name: await describe(call.author, text)
        for name, text in values.items()
        if SETTINGS[name].is_markup
    }
    changed = await call.db.write(realm_settings.edit, call.user, wanted, html)
    return Encoded(
        msgspec.json.encode({name: _answer(name, value) for name, value in changed.items()})
    )


def _answer(name: str, value: Any) -> Any:
    if name in _TEXTS:
        return "updated"
    return _NUMBERS.get(name, {}).get(value, value) if isinstance(value, str) else value
