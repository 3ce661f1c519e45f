"""The welcome message for a new user."""

import msgspec

from tertulia.domain.messages.notices import NoticeText


class WelcomeMessage(msgspec.Struct, frozen=True):
    """A welcome by Notification Bot, and by mail if mail is configured."""

    words: NoticeText
    site: str = ""  # our URL for the mail; empty if no mail is sent
