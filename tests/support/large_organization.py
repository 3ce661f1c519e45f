"""A chat whose organization is large in everything that one call may name or touch."""

from dataclasses import dataclass, field

from bench import large_organization
from tests.support.people import Chat, Person


@dataclass
class LargeOrganization(large_organization.LargeOrganization):
    chat: Chat = field(kw_only=True)
    owner: Person = field(kw_only=True)


def grow(chat: Chat, owner: Person) -> LargeOrganization:
    """Fill an organization whose owner is in kitchen. Its server restarts, to read it again."""
    kitchen = chat.channel("kitchen")
    large = LargeOrganization(owner.id, kitchen.id, chat=chat, owner=owner)
    chat.write(large_organization.fill, large)
    chat.server.restart()
    return large
