"""Exports that users requested. The core reads which user may download the file of one."""

from tertulia.database.tx import Tx
from tertulia.domain.people.user import User
from tertulia.storage.record import Record

PUBLIC, WITH_CONSENT, WITHOUT_CONSENT = "public", "full_with_consent", "full_without_consent"
KINDS = (PUBLIC, WITH_CONSENT, WITHOUT_CONSENT)
CONTENT_TYPE = "application/gzip"
PAGES_CONTENT_TYPE = "application/zip"
CONTENT_TYPES = {CONTENT_TYPE, PAGES_CONTENT_TYPE}


class RealmExport(Record, frozen=True, table="realm_export"):
    id: int
    user_id: int
    kind: str
    requested_at: float
    started_at: float | None
    failed_at: float | None
    deleted_at: float | None
    attachment_id: int | None
    path_id: str | None
    channel_id: int | None  # an export of one channel
    is_html: bool
    person_id: int | None = None  # an export of what this user wrote and received

    def is_for(self, user: User) -> bool:
        """Whether a user may download it: the one who requested it, as long as they have the
        role."""
        has_role = user.is_owner if self.kind == WITHOUT_CONSENT else user.is_admin
        if self.person_id is not None:
            has_role = user.is_owner or user.id == self.person_id
        return user.id == self.user_id and user.is_active and has_role

    @property
    def has_pages(self) -> bool:
        """Whether it is a folder of HTML pages; exports of one channel or user always are."""
        return self.is_html or self.channel_id is not None or self.person_id is not None

    @property
    def is_pending(self) -> bool:
        return self.failed_at is None and self.deleted_at is None and self.path_id is None


def find_by_file(tx: Tx, attachment_id: int) -> RealmExport | None:
    """The export with this file, if there is one."""
    return RealmExport.find(tx, attachment_id=attachment_id)
