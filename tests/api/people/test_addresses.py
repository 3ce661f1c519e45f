"""Addresses compare by ASCII lower case: a difference in any other letter is another address."""

import sys
import time
from urllib.parse import quote

import pytest
from joserfc import jwt
from joserfc.jwk import OctKey
from tests.support.people import Chat, basic
from tests.support.server import SECRET

from tertulia import actions, domain, storage
from tertulia.features.invitations import addresses_in

ROAD, STREET = "strasse@example.com", "straße@example.com"
KELVIN = "\u212a"  # folds to a k
KEY = OctKey.import_key(SECRET)


@pytest.fixture
def road(chat):
    return chat.person("road", email=ROAD, password="open sesame")


def token(email: str) -> str:
    claims = {"email": email, "exp": int(time.time()) + 60}
    return jwt.encode({"alg": "HS256"}, claims, KEY, algorithms=["HS256"])


def whoami(chat: Chat, email: str, key: str):
    return chat.stranger.with_headers(Authorization=basic(email, key)).get("/users/me")


def test_an_address_that_folds_to_another_does_not_open_the_account(chat, road):
    owner = chat.person("owner", role="owner")

    refused = [
        chat.stranger.post("/fetch_api_key", username=STREET, password="open sesame"),
        chat.stranger.post("/jwt/fetch_api_key", token=token(STREET)),
        whoami(chat, STREET, road.key),
        owner.get(f"/users/{quote(STREET)}"),
    ]
    assert [each.status for each in refused] == [401, 401, 401, 400]

    for spelled in (ROAD, ROAD.upper()):
        login = {"username": spelled, "password": "open sesame"}
        assert chat.stranger.post("/fetch_api_key", **login).succeeds()["user_id"] == road.id
        assert whoami(chat, spelled, road.key).succeeds()["user_id"] == road.id
        found = chat.stranger.post("/jwt/fetch_api_key", token=token(spelled)).succeeds()
        assert found["api_key"] == road.key


def test_two_addresses_that_fold_alike_can_both_have_accounts(chat, road):
    street = chat.person("street", email=STREET, password="open sesame")

    for person, email in ((road, ROAD), (street, STREET)):
        login = {"username": email, "password": "open sesame"}
        assert chat.stranger.post("/fetch_api_key", **login).succeeds()["user_id"] == person.id
        assert chat.read(storage.people.users.find_by_email, email).id == person.id


def test_an_invitation_is_for_one_of_two_addresses_that_fold_alike(mail_chat, smtp):
    ana = mail_chat.person("ana")
    road, street = f"strasse@{mail_chat.host}.example", f"straße@{mail_chat.host}.example"
    both = f"{road}, {street}, {road.upper()}"
    ana.post("/invites", invitee_emails=both, stream_ids=[]).succeeds()
    listed = ana.get("/invites").succeeds()["invites"]
    assert sorted(each["email"] for each in listed) == [road, street]

    assert mail_chat.read(storage.people.invitations.for_address, road.upper()) is not None
    mail_chat.write(storage.people.invitations.expire_for_address, road)
    assert mail_chat.read(storage.people.invitations.for_address, road) is None
    assert mail_chat.read(storage.people.invitations.for_address, street).email == street


def test_changing_to_an_address_that_folds_alike_is_a_change(chat, road):
    chat.write(actions.people.users.change_address, road.record, STREET)

    assert road.record.email == STREET
    assert chat.read(storage.people.users.find_by_email, ROAD) is None
    assert chat.read(storage.people.users.find_by_email, STREET).id == road.id


@pytest.mark.parametrize(
    "one, other, are_same",
    [
        ("Ana@Example.COM", "ana@example.com", True),
        (" ana@example.com ", "ana@example.com", True),
        (STREET, ROAD, False),
        ("ÉVA@example.com", "éva@example.com", False),
        (f"mi{KELVIN}e@example.com", "mike@example.com", False),
        ("ﬁn@example.com", "fin@example.com", False),
    ],
)
def test_lookup_keys_of_addresses(one, other, are_same):
    keys = {domain.people.user.email_key(each) for each in (one, other)}

    assert (len(keys) == 1) == are_same
    assert len(addresses_in(f"{one}, {other}")) == len(keys)


@pytest.mark.parametrize("name", ["link.example", "sub.link.example"])
def test_a_domain_with_a_folding_letter_is_another_domain(name):
    admitted = domain.organization.mail_domains.MailDomain("link.example", True)

    assert admitted.contains(f"ana@{name.upper()}")
    assert not admitted.contains(f"ana@{name.replace('k', KELVIN)}")


def test_an_account_written_by_an_older_server_is_found(chat, road):
    chat.write(lambda tx: tx.update("account", road.id, email=STREET, email_key=ROAD))

    assert chat.read(storage.people.users.find_by_email, STREET).id == road.id
    assert chat.read(storage.people.users.find_by_email, ROAD) is None


def test_new_keys_never_collide_where_the_old_ones_did_not():
    """The assumption of the migration: casefolding distinguishes no two addresses that ASCII
    lower case does not, and folding is idempotent."""
    for code in range(sys.maxunicode + 1):
        folded = chr(code).casefold()
        assert domain.people.user.email_key(f"x{chr(code)}x")[1:-1].casefold() == folded
        assert folded.casefold() == folded
