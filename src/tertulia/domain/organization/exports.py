"""Exports of an organization that administrators request."""

import msgspec

from tertulia.domain.people.user import User

PUBLIC, WITH_CONSENT, WITHOUT_CONSENT = "public", "full_with_consent", "full_without_consent"
KINDS = (PUBLIC, WITH_CONSENT, WITHOUT_CONSENT)
CONTENT_TYPE = "application/gzip"
PAGES_CONTENT_TYPE = "application/zip"

MAX_PER_WEEK = 5
MAX_MESSAGES = 250_000
GIVEN_UP_SECONDS = 3600  # a server that works on one for longer has died


class RealmExport(msgspec.Struct, frozen=True):
    id: int
    user_id: int
    kind: str
    asked_at: float
    started_at: float | None
    failed_at: float | None
    deleted_at: float | None
    attachment_id: int | None
    path_id: str | None
    channel_id: int | None  # an export of one channel
    is_html: bool

    def is_for(self, user: User) -> bool:
        """Whether a user may download it: the one who requested it, as long as they have the
        role."""
        has_role = user.is_owner if self.kind == WITHOUT_CONSENT else user.is_admin
        return user.id == self.user_id and user.is_active and has_role

    @property
    def has_pages(self) -> bool:
        """Whether it is a folder of HTML pages; an export of one channel always is."""
        return self.is_html or self.channel_id is not None

    @property
    def is_pending(self) -> bool:
        return self.failed_at is None and self.deleted_at is None and self.path_id is None
