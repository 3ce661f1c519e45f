"""Accounts and organizations as operators handle them: adding, ending, replacing keys."""

import pytest

from tertulia import actions, storage
from tertulia.domain.people.user import BotType, NewUser, Role
from tertulia.errors import BadRequest, ClientError
from tertulia.errors.people import EmailTaken, LastOwner, UserIsDeactivated, UserNotFound


def adds(chat, email="ben@example.com", name="Ben", **about):
    return chat.write(
        actions.people.account_creation.add, chat.server.vault, NewUser(email, name, **about)
    )


def test_the_database_contains_no_plain_key_or_password(chat):
    ana = chat.person("ana", password="open sesame")

    def secrets(tx):
        row = tx.one("SELECT * FROM account WHERE id = :id", id=ana.id)
        return (
            b"\0".join(str(row[name]).encode() for name in ("password_hash", "email"))
            + bytes(row["key_hash"])
            + bytes(row["key_sealed"])
        )

    kept = chat.read(secrets)

    assert ana.key.encode() not in kept
    assert b"open sesame" not in kept
    assert b"$argon2id$" in kept
    sealed = chat.read(storage.people.users.sealed_key, ana.id)
    assert chat.server.vault.unseal(sealed) == ana.key


@pytest.mark.parametrize(
    "email, name, msg",
    [
        ("ben", "Ben", "Enter a valid email address."),
        ("ben@", "Ben", "Enter a valid email address."),
        ("a b@example.com", "Ben", "Enter a valid email address."),
        ("ben@example.com", " ", "Name must not be empty!"),
        ("ben@example.com", "x" * 101, "Name too long!"),
        ("ben@example.com", "Be@n", "Invalid characters in name!"),
        ("ben@example.com", "Ben|12", "Invalid format!"),
    ],
)
def test_invalid_accounts_are_refused(chat, email, name, msg):
    with pytest.raises(ClientError, match=msg.replace("|", r"\|")):
        adds(chat, email, name)


def test_an_address_has_one_account(chat):
    chat.person("ana")

    with pytest.raises(EmailTaken):
        adds(chat, "ANA@example.com")


def test_a_bot_needs_an_active_owner(chat, ana, ben):
    chat.write(actions.people.users.deactivate, ben.id)
    bot = chat.person("helper", bot="generic", owner=ana)

    for owner in (ben.email, bot.email, "nobody@example.com"):
        with pytest.raises(BadRequest, match="must be an active person"):
            adds(chat, "other@example.com", bot_type=BotType.GENERIC, bot_owner_email=owner)


def test_the_last_owner_cannot_be_deactivated(chat):
    root, second = chat.people("root", "second", role="owner")

    chat.write(actions.people.users.deactivate, second.id)

    with pytest.raises(LastOwner):
        chat.write(actions.people.users.deactivate, root.id)
    with pytest.raises(UserIsDeactivated):
        chat.write(actions.people.users.deactivate, second.id)


def test_unknown_users_are_not_found(chat):
    for action in (actions.people.users.get, actions.people.users.deactivate):
        with pytest.raises(UserNotFound):
            chat.write(action, 987_654)
    with pytest.raises(UserNotFound):
        chat.read(actions.people.users.get_by_email, "nobody@example.com")


def test_a_new_organization_has_default_channels(chat):
    names = [channel.name for channel in chat.read(storage.channels.table.defaults)]

    assert names == ["general", "sandbox"]
    kinds = [entry.kind for entry in chat.read(storage.log.after, chat.realm.id, 0, 10)]
    assert kinds[0] == "realm_created"
    (bot,) = (user for user in chat.read(storage.people.users.list_all) if user.is_system_bot)
    assert bot.full_name == "Notification Bot"


@pytest.mark.parametrize(
    "name, subdomain, msg",
    [
        ("", "x", "name must be"),
        ("x" * 41, "x", "name must be"),
        ("a\nb", "x", "name must be"),
        ("Casa", "Casa", "A subdomain consists of"),
        ("Casa", "-casa", "A subdomain consists of"),
        ("Casa", "ca sa", "A subdomain consists of"),
        ("Casa", "x" * 41, "A subdomain consists of"),
    ],
)
def test_invalid_organizations_are_refused(chat, name, subdomain, msg):
    with pytest.raises(BadRequest, match=msg):
        chat.write(actions.organization.creation.create, name, subdomain)


def test_a_subdomain_is_unique(chat):
    with pytest.raises(BadRequest, match="already"):
        chat.write(actions.organization.creation.create, "Casa", chat.realm.subdomain)


@pytest.mark.parametrize(
    "setting, value",
    [("colour", "red"), ("enable_spectator_access", "yes"), ("waiting_period_threshold", True)],
)
def test_unknown_settings_and_wrong_types_are_refused(chat, setting, value):
    with pytest.raises(BadRequest):
        chat.set(setting, value)


@pytest.mark.parametrize("role", list(Role))
def test_every_role_can_be_assigned(chat, role):
    user, _ = adds(chat, role=role)

    assert user.role == role
