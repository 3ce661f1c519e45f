"""Messages as readers without an account see them: mentions name only people whom the organization
shows to everybody."""

import re

from msgspec.structs import replace

from tertulia import domain
from tertulia.domain.messages.message import Edit, Message
from tertulia.domain.people.known_people import UNKNOWN_NAME
from tertulia.events.directory.organization import Organization
from tertulia.markdown.mentions import USER, name_and_id


def shown(org: Organization, message: Message) -> Message:
    if org.may_know_all(None):
        return message
    return replace(
        message,
        content=markdown(org, message.content),
        rendered=html(org, message.rendered),
        edits=tuple(_edit(org, each) for each in message.edits),
    )


def html(org: Organization, rendered: str) -> str:
    def is_known(user_id: int) -> bool:
        user = org.users.get(user_id)
        return user is not None and org.may_know(None, user)

    return domain.messages.known_mentions.in_html(rendered, is_known)


def markdown(org: Organization, content: str) -> str:
    def replaced(found: re.Match[str]) -> str:
        written = name_and_id(found[2])
        if written is None:
            people = org.accounts.named(found[2])
        else:
            people = [each for each in [org.users.get(written[1])] if each is not None]
        is_known = all(org.may_know(None, each) for each in people)
        return found[0] if is_known else f"@{found[1]}**{UNKNOWN_NAME}**"

    return USER.sub(replaced, content) if "@" in content else content


def _edit(org: Organization, edit: Edit) -> Edit:
    if edit.prev_content is None or edit.prev_rendered is None:
        return edit
    return replace(
        edit,
        prev_content=markdown(org, edit.prev_content),
        prev_rendered=html(org, edit.prev_rendered),
    )
