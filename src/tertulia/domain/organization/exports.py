"""Exports of an organization that administrators request, and of one user for themselves."""

import msgspec

from tertulia.domain.people.user import User

PUBLIC, WITH_CONSENT, WITHOUT_CONSENT = "public", "full_with_consent", "full_without_consent"
KINDS = (PUBLIC, WITH_CONSENT, WITHOUT_CONSENT)
CONTENT_TYPE = "application/gzip"
PAGES_CONTENT_TYPE = "application/zip"
CONTENT_TYPES = {CONTENT_TYPE, PAGES_CONTENT_TYPE}

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
