"""The welcome message for new users, rendered before the transaction."""

from tertulia import domain, locale
from tertulia.actions.messages import draft
from tertulia.actions.messages.draft import Author
from tertulia.domain.messages.notices import NoticeText


async def compose(author: Author, own: str = "", language: str = "") -> NoticeText:
    """`own` is the text of an invitation, in place of the organization's."""
    realm = author.org.realm
    t = locale.texts(language or domain.emails.language_in(realm))
    first = t("notice.welcome", name=realm.name)
    more = own or str(realm.setting("welcome_message_custom_text"))
    text = f"{first}\n\n{more}" if more else first
    composed = await draft.compose(author, text, "Internal", None)
    return NoticeText(composed.content, composed.rendered)
