"""The settings of an organization, with defaults."""

from typing import Any

from tertulia.database.tx import Tx
from tertulia.domain.organization.settings import OrganizationSetting, PeopleNamed
from tertulia.storage import groups
from tertulia.storage.organization import realms


def present(tx: Tx, setting: OrganizationSetting) -> Any:
    """The current value of a setting."""
    realm = realms.current(tx)
    if isinstance(setting.kind, PeopleNamed):
        return realm.settings.get(setting.name, groups.system_ids(tx)[setting.default])
    return realm.setting(setting.name)
