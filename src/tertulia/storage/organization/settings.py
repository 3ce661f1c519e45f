"""The settings of an organization, with defaults."""

from typing import Any

from tertulia import storage
from tertulia.database.tx import Tx
from tertulia.domain.organization.settings import OrganizationSetting, PeopleNamed


def present(tx: Tx, setting: OrganizationSetting) -> Any:
    """The current value of a setting."""
    realm = storage.organization.current(tx)
    if isinstance(setting.kind, PeopleNamed):
        return realm.settings.get(setting.name, storage.groups.system_ids(tx)[setting.default])
    return realm.setting(setting.name)
