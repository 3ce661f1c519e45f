"""The users of the crash tests' organization."""

from dataclasses import dataclass

from tests.crash.client import Client
from tests.crash.server import SECRET

from tertulia import actions
from tertulia.database import BlockingDatabase
from tertulia.domain.people.keys import Vault
from tertulia.domain.people.user import NewUser, Role

NO_EDIT_LIMIT = {"message_content_edit_limit_seconds": "unlimited"}


@dataclass(frozen=True, slots=True)
class Person:
    id: int
    email: str
    key: str

    def at(self, port: int) -> Client:
        return Client(port, self.email, self.key)


def create_organization(url: str, names: str) -> dict[str, Person]:
    """Create an organization in an empty database; its first user is the owner.

    Messages may be edited without time limit: a test may last longer than ten minutes.
    """
    database = BlockingDatabase.at(url)
    database.migrate()
    realm = database.of(0).write(actions.organization.creation.create, "Tertulia", "")
    database.of(realm.id).write(actions.organization.settings.edit, None, NO_EDIT_LIMIT)
    people: dict[str, Person] = {}
    for name in names.split():
        role = Role.MEMBER if people else Role.OWNER
        new = NewUser(f"{name}@example.com", name.title(), role)
        user, key = database.of(realm.id).write(
            actions.people.account_creation.add, Vault(SECRET.encode()), new
        )
        people[name] = Person(user.id, user.email, key)
    return people
