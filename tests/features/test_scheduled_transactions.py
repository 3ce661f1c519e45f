"""Sending what was scheduled, without a server that could do it first."""

import pytest
from tests.support.databases import Databases, Kind
from tests.support.server import SECRET, Clock

from tertulia import actions, features, storage
from tertulia.database import BlockingDatabase
from tertulia.domain.messages.message import Draft, Mentions
from tertulia.domain.organization.realm import Realm
from tertulia.domain.people.keys import Vault
from tertulia.domain.people.user import NewUser
from tertulia.errors.messages import WildcardNotAllowedInChannel
from tertulia.features.scheduled import transactions
from tertulia.features.scheduled.entry import ToChannel
from tertulia.features.scheduled.transactions import TooLateToDeliver

SOUP = Draft("Soup!", "<p>Soup!</p>", 0, "tests", False)
CALLING = Draft("@**all** soup!", "…", 0, "tests", False, Mentions(channel_wildcard=True))


class DatabaseOrganization:
    """An organization in a database without a server."""

    def __init__(self, url: str) -> None:
        self.clock = Clock()
        self.clock.stop()
        self._database = BlockingDatabase.at(url, self.clock)
        self._database.migrate()
        self._realm: Realm = self._database.of(0).write(
            actions.organization.creation.create, "House", ""
        )
        self.ana = self.add("ana")

    def add(self, name):
        new = NewUser(f"{name}@example.com", name)
        return self.write(actions.people.account_creation.add, Vault(SECRET.encode()), new)[0]

    def write(self, action, *args):
        return self._database.of(self._realm.id).write(action, *args)

    def schedule(self, draft, in_seconds=60):
        """A scheduled message to the channel of all users, as the job reads it."""
        general = self.write(storage.channels.table.find_by_name, "general")
        at = int(self.clock()) + in_seconds
        location = ToChannel(general.id, "lunch")
        number = self.write(transactions.create, self.ana, location, draft, None, at, "x.invalid")
        return self.write(features.scheduled.entry.find, number)


@pytest.fixture
def org(kind: Kind, databases: Databases):
    url, _ = databases.ready(kind)
    yield DatabaseOrganization(url)
    databases.give_back(url)


def test_wildcard_permission_is_checked_again_at_delivery(org):
    org.write(storage.organization.realms.set_setting, "can_mention_many_users_group", 0)
    entry = org.schedule(CALLING)
    for number in range(16):
        org.add(f"p{number}")

    org.clock.move(seconds=61)

    with pytest.raises(WildcardNotAllowedInChannel):
        org.write(transactions.deliver, entry, CALLING, "x.invalid", org.clock())


@pytest.mark.parametrize("seconds", [0, 59])
def test_nothing_is_sent_before_its_time(org, seconds):
    entry = org.schedule(SOUP, in_seconds=62)

    org.clock.move(seconds=seconds)

    assert org.write(transactions.deliver, entry, SOUP, "x.invalid", org.clock()) is False


def test_repeated_deliveries_send_once(org):
    entry = org.schedule(SOUP)
    org.clock.move(seconds=61)

    tries = [
        org.write(transactions.deliver, entry, SOUP, "x.invalid", org.clock()) for _ in range(3)
    ]

    assert tries == [True, False, False]


@pytest.mark.parametrize("late, is_sent", [(598, True), (605, False)])
def test_messages_more_than_ten_minutes_late_are_not_sent(org, late, is_sent):
    entry = org.schedule(SOUP)
    org.clock.move(seconds=60 + late)

    if is_sent:
        assert org.write(transactions.deliver, entry, SOUP, "x.invalid", org.clock()) is True
    else:
        with pytest.raises(TooLateToDeliver):
            org.write(transactions.deliver, entry, SOUP, "x.invalid", org.clock())


def test_lateness_is_measured_from_the_start_of_the_run(org):
    entry = org.schedule(SOUP)
    org.clock.move(seconds=61)
    began = org.clock()

    org.clock.move(hours=1)

    assert org.write(transactions.deliver, entry, SOUP, "x.invalid", began) is True


def test_a_failure_is_recorded_once(org):
    entry = org.schedule(SOUP)

    tries = [org.write(transactions.fail, entry, SOUP) for _ in range(2)]

    assert tries == [True, False]
    assert org.write(features.scheduled.entry.find, entry.id).failed is True
