"""The welcome message for new users, rendered before the transaction."""

from tertulia import domain
from tertulia.actions.messages import draft
from tertulia.actions.messages.draft import Author
from tertulia.domain.messages.notices import NoticeText

GREETINGS = {
    "en": "Welcome to {}!",
    "ar": "مرحبًا بك في {}!",
    "de": "Willkommen bei {}!",
    "es": "¡Te damos la bienvenida a {}!",
    "fr": "Bienvenue chez {} !",
    "ja": "{} へようこそ！",
    "pt": "Boas-vindas a {}!",
}


async def compose(author: Author, own: str = "", language: str = "") -> NoticeText:
    """`own` is the text of an invitation, in place of the organization's."""
    realm = author.org.realm
    first = GREETINGS[language or domain.emails.language_in(realm)].format(realm.name)
    more = own or str(realm.setting("welcome_message_custom_text"))
    text = f"{first}\n\n{more}" if more else first
    composed = await draft.compose(author, text, "Internal", None)
    return NoticeText(composed.content, composed.rendered)
