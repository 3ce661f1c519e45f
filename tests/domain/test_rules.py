"""Rules as tables: names, addresses, topics, groups, doors, and the narrow of a queue."""

import pytest
from msgspec.structs import replace

from tertulia import domain
from tertulia.domain.channels.channel import COLORS, Channel, NewChannel
from tertulia.domain.groups.group import Members
from tertulia.domain.people.user import BotType, Role, User
from tertulia.errors import BadRequest

DAY = 86_400
ANA = User(1, 1, "ana@example.com", "Ana", Role.MEMBER, is_active=True, joined_at=0.0)
NOBODY, STAFF, OTHERS = 1, 7, 8


def with_role(role: Role) -> User:
    return replace(ANA, role=role)


# --- people ---


@pytest.mark.parametrize(
    "text, fine",
    [
        ("ana@example.com", True),
        ("a.b+c@example.co.uk", True),
        ("o'neil@localhost", True),
        ("é@example.com", True),
        ("ana", False),
        ("@example.com", False),
        ("ana@", False),
        ("ana@example.com ", False),
        ("ana@exam ple.com", False),
        ("ana@example.com\n", False),
        ("a@b@c", False),
        ('"ana"@example.com', False),
        ("x" * 65 + "@example.com", False),
        ("ana@" + "x" * 300, False),
        ("ana@-example.com", False),
        ("ana\0@example.com", False),
    ],
)
def test_text_that_looks_like_an_email_address(text, fine):
    assert domain.people.user.looks_like_email(text) is fine


@pytest.mark.parametrize("name", ["Ana", "Ана", "山田 太郎", "O'Neil", "A|b", "x" * 100, " Ana "])
def test_valid_full_names(name):
    assert domain.people.user.checked_full_name(name) == name.strip()


@pytest.mark.parametrize("name", ["", " ", "x" * 101, *(f"A{c}b" for c in '*`\\>"@\n\t\0'), "A|1"])
def test_invalid_full_names_are_refused(name):
    with pytest.raises(BadRequest):
        domain.people.user.checked_full_name(name)


@pytest.mark.parametrize(
    "visibility, roles",
    [
        (1, [100, 200, 300, 400, 600]),
        (2, [100, 200, 300, 400]),
        (5, [100, 200, 300]),
        (3, [100, 200]),
        (4, []),
    ],
)
def test_visibility_of_email_addresses(visibility, roles):
    owner = replace(ANA, id=2, settings={"email_address_visibility": visibility})

    seen_by = [role for role in Role if domain.people.user.may_see_email(with_role(role), owner)]

    assert seen_by == roles
    assert domain.people.user.may_see_email(owner, owner)
    assert not domain.people.user.may_see_email(None, owner)
    assert domain.people.user.may_see_email(ANA, replace(owner, bot_type=BotType.GENERIC))


# --- groups ---


@pytest.mark.parametrize(
    "group, roles",
    [
        ("role:nobody", []),
        ("role:owners", [100]),
        ("role:administrators", [100, 200]),
        ("role:moderators", [100, 200, 300]),
        ("role:fullmembers", [100, 200, 300, 400]),
        ("role:members", [100, 200, 300, 400]),
        ("role:everyone", [100, 200, 300, 400, 600]),
        ("role:internet", [100, 200, 300, 400, 600]),
        ("cooks", []),
    ],
)
def test_members_of_system_groups(group, roles):
    holders = [
        role for role in Role if domain.groups.group.holds_by_role(with_role(role), group, 0, now=0)
    ]

    assert holders == roles


@pytest.mark.parametrize(
    "role, days, full",
    [
        (Role.MEMBER, 2.9, False),
        (Role.MEMBER, 3, True),
        (Role.MODERATOR, 0, True),
        (Role.GUEST, 100, False),
    ],
)
def test_a_member_is_a_full_member_after_the_waiting_period(role, days, full):
    user = with_role(role)

    assert domain.groups.group.holds_by_role(user, "role:fullmembers", 3, now=days * DAY) is full
    listed = domain.groups.group.direct_system_groups(user, 3, now=days * DAY)
    assert ("role:fullmembers" in listed) is (full and role == Role.MEMBER)


@pytest.mark.parametrize(
    "value, form",
    [
        (5, 5),
        (Members([], [5]), 5),
        (Members([], [5, 5]), 5),
        (Members([], []), NOBODY),
        (Members([3, 1, 3], []), Members([1, 3], [])),
        (Members([1], [9, 5]), Members([1], [5, 9])),
        (Members([], [9, 5]), Members([], [5, 9])),
    ],
)
def test_the_canonical_form_of_a_permission(value, form):
    assert domain.groups.group.canonical(value, NOBODY) == form


# --- channels ---


def channel(**about) -> Channel:
    names = ["can_administer_channel_group", "can_add_subscribers_group", "can_subscribe_group"]
    permissions = dict.fromkeys(names, NOBODY) | about.pop("permissions", {})
    plain = Channel(
        id=1,
        realm_id=1,
        name="x",
        description="",
        rendered_description="",
        created_at=0,
        creator_id=None,
        invite_only=False,
        is_web_public=False,
        history_public=True,
        archived=False,
        is_default=False,
        folder_id=None,
        first_message_id=None,
        last_message_at=None,
        retention_days=None,
        topics_policy="inherit",
        default_push=False,
        permissions=permissions,
    )
    return replace(plain, **about)


PUBLIC: dict[str, bool] = {}
WEB_PUBLIC, PRIVATE = {"is_web_public": True}, {"invite_only": True}
MEMBER, GUEST, ADMIN = with_role(Role.MEMBER), with_role(Role.GUEST), with_role(Role.ADMINISTRATOR)


@pytest.mark.parametrize(
    "user, kind, subscribed, held, sees, reads",
    [
        (None, WEB_PUBLIC, False, None, True, True),
        (None, PUBLIC, False, None, False, False),
        (GUEST, WEB_PUBLIC, False, None, True, True),
        (GUEST, PUBLIC, False, None, False, False),
        (GUEST, PUBLIC, True, None, True, True),
        (GUEST, PRIVATE, True, None, True, True),
        (GUEST, PRIVATE, False, "can_subscribe_group", False, False),
        (MEMBER, PUBLIC, False, None, True, True),
        (MEMBER, PRIVATE, False, None, False, False),
        (MEMBER, PRIVATE, True, None, True, True),
        (MEMBER, PRIVATE, False, "can_subscribe_group", True, True),
        (MEMBER, PRIVATE, False, "can_add_subscribers_group", True, True),
        (MEMBER, PRIVATE, False, "can_administer_channel_group", True, False),
        (ADMIN, PRIVATE, False, None, True, False),
        (ADMIN, PRIVATE, True, None, True, True),
    ],
)
def test_visibility_and_readability_of_channels(user, kind, subscribed, held, sees, reads):
    channel_id = channel(**kind, permissions={} if held is None else {held: STAFF})

    def holds(value):
        return value == STAFF

    assert domain.channels.access.may_see(user, channel_id, subscribed, holds) is sees
    assert domain.channels.access.may_read(user, channel_id, subscribed, holds) is reads


@pytest.mark.parametrize(
    "invite_only, asked, shares",
    [
        (False, None, True),
        (False, False, True),
        (True, None, False),
        (True, True, True),
        (True, False, False),
    ],
)
def test_when_history_is_shared(invite_only, asked, shares):
    new = NewChannel("x", invite_only=invite_only, history_public=asked)

    assert new.shares_history() is shares


@pytest.mark.parametrize("name", ["", "  ", "x" * 61, "a\tb", "a\ufffeb", "a\ufdd0b", "\ud800"])
def test_invalid_channel_names_are_refused(name):
    with pytest.raises(BadRequest):
        domain.channels.channel.checked_name(name)


def test_colours_are_assigned_in_turn():
    assert domain.channels.channel.next_color(set()) == COLORS[0]
    assert domain.channels.channel.next_color({COLORS[0], COLORS[2]}) == COLORS[1]
    assert domain.channels.channel.next_color(set(COLORS)) in COLORS
    assert len(set(COLORS)) == 24


@pytest.mark.parametrize(
    "name, written",
    [("general", "5-general"), ("the kitchen", "5-the-kitchen"), ("c++ é", "5-c.2B.2B-.C3.A9")],
)
def test_the_slug_of_a_channel(name, written):
    assert domain.messages.links.slug(5, name) == written


# --- words ---


@pytest.mark.parametrize(
    "client, chosen, read",
    [
        ("website", None, True),
        ("ZulipMobile", None, True),
        ("ZULIPTERMINAL", None, True),
        ("ZulipPython", None, False),
        ("Unspecified", None, False),
        ("website", False, False),
        ("ZulipPython", True, True),
    ],
)
def test_whether_a_sender_has_read_the_message(client, chosen, read):
    assert domain.messages.message.is_read_by_sender(chosen, client) is read


@pytest.mark.parametrize(
    "topic, empty_allowed, shown",
    [("", True, ""), ("", False, "general chat"), ("lunch", True, "lunch"), ("x", False, "x")],
)
def test_the_display_name_of_a_topic(topic, empty_allowed, shown):
    assert domain.channels.topics.shown(topic, empty_allowed) == shown


@pytest.mark.parametrize("one, other", [("Lunch", "lUNCH"), ("Straße", "STRASSE"), ("ΣΑΣ", "σας")])
def test_topics_are_compared_without_case(one, other):
    assert domain.channels.topics.fold(one) == domain.channels.topics.fold(other)


@pytest.mark.parametrize(
    "narrow, passing",
    [
        ([], True),
        ([("channel", "KITCHEN")], True),
        ([("channel", "garden")], False),
        ([("topic", "LUNCH"), ("channel", "kitchen")], True),
        ([("topic", "lunch"), ("channel", "garden")], False),
        ([("sender", "ANA@example.com")], True),
        ([("is", "dm")], False),
        ([("is", "unread")], True),
        ([("is", "mentioned")], True),
        ([("is", "alerted")], True),
        ([("is", "starred")], False),
        ([("is", "resolved")], False),
    ],
)
def test_messages_that_match_a_narrow(narrow, passing):
    found = domain.messages.narrow.passes(
        narrow,
        channel_name="Kitchen",
        topic="Lunch",
        sender_email="ana@example.com",
        flags=["mentioned"],
    )

    assert found is passing


@pytest.mark.parametrize("term", ["general chat", ""])
@pytest.mark.parametrize("topic", ["", "lunch"])
def test_the_empty_topic_goes_by_its_display_name_in_every_narrow(term, topic):
    found = domain.messages.narrow.passes(
        [("topic", term)], channel_name="kitchen", topic=topic, sender_email="ana@x", flags=[]
    )

    assert found is (topic == "")


# --- secrets ---


def test_a_vault_unseals_its_own_keys():
    vault, other = domain.people.keys.Vault(b"x" * 32), domain.people.keys.Vault(b"y" * 32)
    key = domain.people.keys.new_key()

    assert vault.unseal(vault.seal(key)) == key
    assert vault.seal(key) != vault.seal(key)
    assert vault.fingerprint(key) == vault.fingerprint(key) != other.fingerprint(key)
    with pytest.raises(domain.people.keys.WrongSecret):
        other.unseal(vault.seal(key))


def test_a_short_secret_is_refused():
    with pytest.raises(ValueError, match="16 bytes"):
        domain.people.keys.Vault(b"short")


def test_keys_are_long_and_unique():
    made = {domain.people.keys.new_key() for _ in range(50)}

    assert len(made) == 50
    assert all(len(key) == 32 and key.isalnum() and key.isascii() for key in made)


def test_a_password_is_verified():
    kept = domain.people.passwords.hashed("open sesame")

    assert domain.people.passwords.matches("open sesame", kept)
    assert not domain.people.passwords.matches("open sesam", kept)
    assert not domain.people.passwords.matches("nobody has this password", None)
    assert not domain.people.passwords.matches("x", "not a hash")
