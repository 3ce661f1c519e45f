"""A target for imports, and the imported users."""

import json

from tests.support.cli_runner import CommandResult, Terminal
from tests.support.databases import Databases, Kind
from tests.support.people import Chat, Person
from tests.support.server import SECRET, Server

from tertulia import actions, storage


class ImportTarget:
    """A target for imports, and a server on it after the import."""

    def __init__(self, databases: Databases, kind: Kind) -> None:
        self.url, self.folder = databases.ready(kind)
        self.terminal = Terminal(self.folder, self.url)
        self.server: Server | None = None

    def imports(self, *words: str) -> CommandResult:
        return self.terminal.runs("import", *words, TERTULIA_SECRET=SECRET)

    def opens(self) -> Chat:
        self.server = Server(self.url, self.folder).start()
        (realm,) = self.server.read(0, storage.organization.realms.list_all)
        return Chat(self.server, realm, "localhost")


def enters(chat: Chat, email: str) -> Person:
    """An imported user, with a new key."""
    user = chat.read(actions.people.users.get_by_email, email)
    sealed = chat.read(storage.people.users.sealed_key, user.id)
    assert sealed is not None
    return chat.person_with_key(user, chat.server.vault.unseal(sealed))


def history(person: Person, *narrow: tuple[str, str]):
    terms = [{"operator": operator, "operand": operand} for operator, operand in narrow]
    return person.get(
        "/messages", anchor="newest", num_before=100, num_after=0, narrow=json.dumps(terms)
    ).succeeds()["messages"]
