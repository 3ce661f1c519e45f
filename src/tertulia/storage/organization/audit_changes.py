"""What a recorded act changes: settings, roles and permissions, before and after it.

The values are compared around the act, so that no action has to report them. Values of texts are
left out, as everywhere in the audit log.
"""

from collections.abc import Callable, Mapping
from typing import Any

from tertulia import domain
from tertulia.database.tx import Tx
from tertulia.domain.channels.channel import Channel
from tertulia.domain.organization.audit import MAX_DETAILS, Act
from tertulia.domain.organization.settings import SETTINGS, PeopleNamed
from tertulia.domain.personal.settings import PREFERENCES
from tertulia.domain.setting_values import FreeText, Limit, ServerUrl, ValueKind
from tertulia.storage import groups
from tertulia.storage.channels import table
from tertulia.storage.organization import realms
from tertulia.storage.people import users

Values = dict[str, Any]


def values_before(tx: Tx, act: Act) -> Values:
    """The values that an act may change, by name."""
    ids = act.details.get("account_ids")
    if isinstance(ids, list):
        return {f"role/{user.id}": int(user.role) for user in users.find_many(tx, ids)}
    if domain.organization.audit.area_of(act) == "settings":
        return _settings(tx)
    kind, _, digits = (domain.organization.audit.object_of(act) or "").partition("/")
    if kind not in _OBJECTS or len(digits) > domain.limits.MAX_ID_DIGITS:
        return {}
    return _OBJECTS[kind](tx, int(digits))


def with_changes(tx: Tx, act: Act, before: Values) -> Act:
    """The act with the values that differ now: `{"changes": {"role": [400, 300]}}`."""
    after = values_before(tx, act) if before else {}
    changed = {
        name: [before[name], after[name]]
        for name in before.keys() & after.keys()
        if before[name] != after[name]
    }
    if not changed:
        return act
    shown = dict(sorted(changed.items())[:MAX_DETAILS])
    return Act(act.act, act.actor_id, act.address, {**act.details, "changes": shown})


def _settings(tx: Tx) -> Values:
    realm, group_ids = realms.current(tx), groups.system_ids(tx)
    values: Values = {}
    for setting in SETTINGS.values():
        kind = setting.kind
        if isinstance(kind, PeopleNamed):
            default = group_ids[kind.permission.default]
            values[setting.name] = realm.settings.get(setting.name, default)
        elif _is_telling(kind):
            values[setting.name] = _limited(kind, realm.setting(setting.name))
    chosen = domain.personal.settings.defaults_for_new_users(realm.settings)
    for preference in PREFERENCES.values():
        if _is_telling(preference.kind):
            value = chosen.get(preference.name, preference.default)
            values[f"defaults/{preference.name}"] = _limited(preference.kind, value)
    return values


def _is_telling(kind: ValueKind) -> bool:
    return not isinstance(kind, FreeText | ServerUrl)


def _limited(kind: ValueKind, value: Any) -> Any:
    return None if isinstance(kind, Limit) and value == kind.unlimited else value


def _account(tx: Tx, user_id: int) -> Values:
    user = users.find(tx, user_id)
    return {} if user is None else {"role": int(user.role), "bot_owner_id": user.bot_owner_id}


def _channel(tx: Tx, channel_id: int) -> Values:
    channel = table.find(tx, channel_id)
    if channel is None:
        return {}
    return {
        "privacy": _privacy(channel),
        "is_default_stream": channel.is_default,
        "folder_id": channel.folder_id,
        "message_retention_days": channel.retention_days,
        "topics_policy": channel.topics_policy,
        "slow_mode_seconds": channel.slow_mode_seconds,
        **channel.permissions,
    }


def _privacy(channel: Channel) -> str:
    if channel.is_web_public:
        return "web-public"
    if not channel.invite_only:
        return "public"
    return "private" if channel.history_public else "protected"


def _group(tx: Tx, group_id: int) -> Values:
    group = groups.find(tx, group_id)
    return {} if group is None else dict(group.permissions)


_OBJECTS: Mapping[str, Callable[[Tx, int], Values]] = {
    "user": _account,
    "channel": _channel,
    "group": _group,
}
