"""The organization as the author of a text that a command renders."""

from tertulia import events
from tertulia.actions.messages.draft import Author
from tertulia.cli.open_data import OpenOrganization
from tertulia.database.blocking import BlockingRunner


def organization_as_author(opened: OpenOrganization) -> Author:
    """The organization as the author of a message."""
    directory = opened.read(
        events.directory.loader.load, opened.config.email_domain, opened.database.clock
    )
    db = BlockingRunner(opened.database).of(opened.realm.id)
    return Author(db, directory, None, opened.site)
