"""What exports of other products have in common: their ids are not kept, and their channels are in
no folders."""

from collections.abc import Container

from tertulia.domain.people.user import Role
from tertulia.transfer.importing.import_counts import ImportCounts
from tertulia.transfer.model import ImportedFolder


class OtherProduct:
    kind: str
    number: int | None = None
    last_message = 0

    def __init__(self) -> None:
        self.name = f"Imported from {self.kind}"
        self._counts = ImportCounts()

    def folders(self) -> list[ImportedFolder]:
        return []

    def counts(self) -> ImportCounts:
        return self._counts


def role_among(roles: Container[str], administrator: str) -> Role:
    if administrator in roles:
        return Role.OWNER
    return Role.GUEST if "guest" in roles else Role.MEMBER
