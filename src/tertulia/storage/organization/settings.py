"""What an organization has set, or what holds where it has set nothing."""

from typing import Any

from tertulia import storage
from tertulia.database.tx import Tx
from tertulia.domain.organization.settings import OrganizationSetting, PeopleNamed


def present(tx: Tx, setting: OrganizationSetting) -> Any:
    """What a setting is now."""
    realm = storage.organization.current(tx)
    if isinstance(setting.kind, PeopleNamed):
        return realm.settings.get(setting.name, storage.groups.system_ids(tx)[setting.default])
    return realm.setting(setting.name)
