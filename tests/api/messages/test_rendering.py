"""Rendering: messages, descriptions, previews, and what may be mentioned."""

import itertools
import sys
import time
from collections.abc import Iterator
from functools import partial
from typing import Any

import pytest
from tests.support.event_queue import in_background
from tests.support.people import Chat, Person

from tertulia import actions, events, storage
from tertulia.database.tx import Tx
from tertulia.domain.groups.group import GROUP_PERMISSIONS, GroupValue, Members
from tertulia.events.audience import NoClients
from tertulia.events.types.organization.settings import RealmCreated
from tertulia.markdown import VERSION
from tertulia.server.http_server import TURN_SECONDS


def renders(person: Person, content: str) -> str:
    found: str = person.post("/messages/render", content=content).succeeds()["rendered"]
    return found


def a_group(chat: Chat, name: str, *members: Person, may_mention: GroupValue | None = None) -> int:
    """A group of these users; all may mention it by default."""
    everyone = chat.group("everyone")
    value = everyone if may_mention is None else may_mention
    return chat.write(_make_group, name, [each.id for each in members], value)


def _make_group(tx: Tx, name: str, members: list[int], may_mention: GroupValue) -> int:
    group_id = storage.groups.insert(tx, name, "")
    nobody = storage.groups.system_ids(tx)["role:nobody"]
    permissions: dict[str, GroupValue] = dict.fromkeys(GROUP_PERMISSIONS, nobody)
    storage.groups.set_permissions(tx, group_id, permissions | {"can_mention_group": may_mention})
    for user_id in members:
        tx.execute(
            "INSERT INTO user_group_member (realm_id, group_id, user_id)"
            " VALUES (:realm, :group, :user)",
            realm=tx.realm_id,
            group=group_id,
            user=user_id,
        )
    events.log.announce(tx, RealmCreated(), to=NoClients())  # all register again
    return group_id


# --- the preview ---


def test_a_preview_equals_the_sent_message(chat: Chat) -> None:
    ana, ben = chat.people("ana", "ben", channels=["kitchen"])
    words = "**bold** _it_ @**Ben** :tada: #**kitchen>soup**"
    soup = ana.says("Soup's on", to="kitchen > soup")

    html = renders(ana, words)

    channel = chat.channel("kitchen").id
    assert html == (
        "<p><strong>bold</strong> _it_ "
        f'<span class="user-mention" data-user-id="{ben.id}">@Ben</span> '
        '<span aria-label="tada" class="emoji emoji-1f389" role="img" title="tada">:tada:</span> '
        f'<a class="stream-topic" data-stream-id="{channel}"'
        f' href="/#narrow/channel/{channel}-kitchen/topic/soup/with/{soup.id}">'
        "#kitchen &gt; soup</a></p>"
    )
    assert ana.sees(ana.says(words, to="kitchen > plans"))["content"] == html


def test_preview_limits(chat: Chat, ana: Person) -> None:
    assert renders(ana, "") == ""
    ana.post("/messages/render").fails("Missing 'content' argument")
    ana.post("/messages/render", content="z" * 10_001).fails(
        "content is too long (limit: 10000 characters)"
    )
    chat.stranger.post("/messages/render", content="x").asks_to_log_in()


def test_a_preview_causes_no_events(in_kitchen: None, ana: Person, ben: Person) -> None:
    queue = ben.listens_for()

    renders(ana, "@**Ben** @**all**")

    assert queue.silent()


def test_links_to_the_organization_itself_are_shortened(chat: Chat, ana: Person) -> None:
    address = f"http://{chat.host}/#narrow/channel/1"

    assert f'<a href="#narrow/channel/1">{address}</a>' in renders(ana, address)


def test_settings_affect_rendering(chat: Chat) -> None:
    plain, excited = chat.person("ana"), chat.person("ben", settings={"translate_emoticons": True})
    chat.set("default_code_block_language", "python")
    chat.set("inline_image_preview", False)

    assert renders(plain, "hi :)") == "<p>hi :)</p>"
    assert "emoji-1f642" in renders(excited, "hi :)")
    assert 'data-code-language="Python"' in renders(plain, "```\nn = 1\n```")
    assert "message_inline_image" not in renders(plain, "https://a.example/x.png")


# --- what can be mentioned ---


def test_users_are_mentioned_regardless_of_case(ana: Person, ben: Person) -> None:
    assert f'data-user-id="{ben.id}">@Ben<' in renders(ana, "@**bEN**")
    assert f'data-user-id="{ben.id}">@Ben<' in renders(ana, f"@**Ben|{ben.id}**")
    assert renders(ana, f"@**Other|{ben.id}**") == f"<p>@<strong>Other|{ben.id}</strong></p>"
    assert renders(ana, "@**NoClients Here**") == "<p>@<strong>NoClients Here</strong></p>"


def test_users_of_the_same_name_are_distinguished_by_id(chat: Chat, ana: Person) -> None:
    one = chat.person("ben", email="one@example.com")
    two = chat.person("ben", email="two@example.com")

    assert renders(ana, "@**Ben**") == "<p>@<strong>Ben</strong></p>"
    assert f'data-user-id="{two.id}"' in renders(ana, f"@**Ben|{two.id}**")

    chat.write(actions.people.users.deactivate, one.id)
    assert f'data-user-id="{two.id}"' in renders(ana, "@**Ben**")


def test_a_deactivated_user_is_mentioned_silently(chat: Chat, ana: Person, ben: Person) -> None:
    chat.write(actions.people.users.deactivate, ben.id)

    assert renders(ana, "@**Ben**") == (
        f'<p><span class="user-mention silent" data-user-id="{ben.id}">Ben</span></p>'
    )


def test_only_readable_channels_become_links(chat: Chat) -> None:
    ana, ben = chat.people("ana", "ben")
    gus = chat.person("gus", role="guest")
    ana.joins("attic", invite_only=True)
    ana.joins("kitchen")

    assert 'class="stream"' in renders(ana, "#**attic**")
    assert renders(ben, "#**attic**") == "<p>#<strong>attic</strong></p>"
    assert renders(ben, "#**attic>secret**") == "<p>#<strong>attic&gt;secret</strong></p>"
    assert 'class="stream"' in renders(ben, "#**kitchen**")
    assert renders(ben, "#**Kitchen**") == "<p>#<strong>Kitchen</strong></p>"
    assert renders(gus, "#**kitchen**") == "<p>#<strong>kitchen</strong></p>"


def test_a_topic_link_leads_to_the_newest_visible_message(ana: Person, ben: Person) -> None:
    ana.joins("attic", invite_only=True, history_public_to_subscribers=False)
    early = ana.says("one", to="attic > Plans")
    ana.post(
        "/users/me/subscriptions", subscriptions=[{"name": "attic"}], principals=[ben.id]
    ).succeeds()

    assert f"/topic/plans/with/{early.id}" in renders(ana, "#**attic>plans**")
    assert '/topic/plans"' in renders(ben, "#**attic>plans**")

    late = ana.says("two", to="attic > Plans")
    assert f"/topic/plans/with/{late.id}" in renders(ben, "#**attic>plans**")


# --- mentions ---


def flags_of(person: Person, message: Any) -> set[str]:
    return {flag for flag in person.sees(message)["flags"] if flag != "read"}


def test_a_mention_sets_the_flag_for_the_mentioned_user(chat: Chat) -> None:
    ana, ben, cid = chat.people("ana", "ben", "cid", channels=["kitchen"])
    queue, other = ben.listens_for("message"), cid.listens_for("message")

    message = ana.says("@**Ben** soup?", to="kitchen > lunch")

    assert queue.next()["flags"] == ["mentioned"]
    assert other.next()["flags"] == []
    assert flags_of(ben, message) == {"mentioned"}
    assert flags_of(cid, message) == set()


@pytest.mark.parametrize(
    "words", ["@_**Ben**", "`@**Ben**`", "> @**Ben**", "```quote\n@**Ben**\n```", "@_**all**"]
)
def test_a_silent_mention_sets_no_flag(chat: Chat, words: str) -> None:
    ana, ben = chat.people("ana", "ben", channels=["kitchen"])

    assert flags_of(ben, ana.says(words, to="kitchen > lunch")) == set()


def test_all_subscribers_can_be_mentioned(chat: Chat) -> None:
    ana, ben = chat.people("ana", "ben", channels=["kitchen"])
    queue = ben.listens_for("message")
    marks = {"stream_wildcard_mentioned", "wildcard_mentioned"}

    message = ana.says("@**everyone** soup!", to="kitchen > lunch")

    assert set(queue.next()["flags"]) == marks
    assert flags_of(ben, message) == marks


def test_a_topic_mention_is_for_participants(chat: Chat) -> None:
    ana, ben, cid = chat.people("ana", "ben", "cid", channels=["kitchen"])
    ben.says("hungry", to="kitchen > lunch")

    message = ana.says("@**topic** soup!", to="kitchen > lunch")

    assert flags_of(ben, message) == {"topic_wildcard_mentioned", "wildcard_mentioned"}
    assert flags_of(cid, message) == set()


def test_wildcards_mention_no_one_in_direct_messages(ana: Person, ben: Person) -> None:
    message = ana.says("@**all** @**topic** @**Ben**", to=[ben])

    assert flags_of(ben, message) == {"mentioned"}


def test_wildcard_mentions_of_more_than_fifteen_subscribers_are_restricted(chat: Chat) -> None:
    ana = chat.person("ana", channels=["kitchen"])
    boss = chat.person("boss", role="admin")
    chat.people(*(f"p{number}" for number in range(14)), channels=["kitchen"])
    ana.says("@**all** at fifteen", to="kitchen > lunch")
    chat.person("one-more", channels=["kitchen"])

    ana.tries_to_say("@**all** at sixteen", to="kitchen > lunch").fails(
        "You do not have permission to use channel wildcard mentions in this channel.",
        code="STREAM_WILDCARD_MENTION_NOT_ALLOWED",
    )
    ana.says("@_**all** `@**all**`", to="kitchen > lunch")
    boss.says("@**all**", to="kitchen > lunch")


def test_topic_mentions_of_more_than_fifteen_participants_are_restricted(chat: Chat) -> None:
    ana = chat.person("ana", channels=["kitchen"])
    others = chat.people(*(f"p{number}" for number in range(15)), channels=["kitchen"])
    for other in others[:14]:
        other.says("hungry", to="kitchen > lunch")
    ana.says("@**topic** at fifteen", to="kitchen > lunch")
    others[14].says("me too", to="kitchen > lunch")

    ana.tries_to_say("@**topic** at sixteen", to="kitchen > lunch").fails(
        "You do not have permission to use topic wildcard mentions in this topic.",
        code="TOPIC_WILDCARD_MENTION_NOT_ALLOWED",
    )


def test_a_group_mention_sets_the_flag_for_its_members(chat: Chat) -> None:
    ana, ben, cid = chat.people("ana", "ben", "cid", channels=["kitchen"])
    outsider = chat.person("dan")
    number = a_group(chat, "cooks", ben, outsider)
    queue, other = ben.listens_for("message"), cid.listens_for("message")

    message = ana.says("@*cooks* soup?", to="kitchen > lunch")

    assert ana.sees(message)["content"] == (
        f'<p><span class="user-group-mention" data-user-group-id="{number}">@cooks</span> soup?</p>'
    )
    assert queue.next()["flags"] == ["mentioned"]
    assert other.next()["flags"] == []
    assert flags_of(ben, message) == {"mentioned"}
    assert "mentioned" not in flags_of(outsider, message)
    assert flags_of(ben, ana.says("@_*cooks*", to="kitchen > lunch")) == set()


def test_a_group_mention_requires_its_permission(chat: Chat) -> None:
    ana, ben = chat.people("ana", "ben", channels=["kitchen"])
    a_group(chat, "cooks", ben, may_mention=Members([ben.id], []))
    refusal = "You are not allowed to mention user group 'cooks'."

    ana.tries_to_say("@*cooks*", to="kitchen > lunch").fails(refusal)
    ana.tries_to_say("@*cooks*", to=[ben]).fails(refusal)
    ana.says("@_*cooks* `@*cooks*`", to="kitchen > lunch")
    ben.says("@*cooks*", to="kitchen > lunch")


def test_a_system_group_can_only_be_mentioned_silently(chat: Chat) -> None:
    ana = chat.person("ana", role="owner", channels=["kitchen"])

    assert "@Moderators" in renders(ana, "@*role:moderators*")
    ana.tries_to_say("@*role:moderators*", to="kitchen > lunch").fails(
        "You are not allowed to mention user group 'role:moderators'."
    )
    ana.says("@_*role:moderators*", to="kitchen > lunch")


# --- what is stored ---


def holds(tx: Tx, message_id: int) -> tuple[bool, bool, bool]:
    """Whether a message has a link, an image, an attachment, as rendered now."""
    row = tx.one(
        "SELECT has_link, has_image, has_attachment FROM message"
        " WHERE id = :id AND render_version = :version",
        id=message_id,
        version=VERSION,
    )
    assert row is not None
    return bool(row["has_link"]), bool(row["has_image"]), bool(row["has_attachment"])


@pytest.mark.parametrize(
    "words, link, image, attachment",
    [
        ("soup", False, False, False),
        ("https://a.example", True, False, False),
        ("https://a.example/x.png", True, True, False),
        ("[x](/user_uploads/1/ab/x.txt)", True, False, False),  # no such file exists
    ],
)
def test_properties_of_the_content_are_stored(
    chat: Chat, words: str, link: bool, image: bool, attachment: bool
) -> None:
    ana = chat.person("ana", channels=["kitchen"])

    message = ana.says(words, to="kitchen > lunch")

    assert chat.read(holds, message.id) == (link, image, attachment)


def test_descriptions_are_rendered_on_one_line(chat: Chat, ana: Person) -> None:
    ana.post(
        "/users/me/subscriptions",
        subscriptions=[{"name": "kitchen", "description": "**Soup**\n- and @**Ana**"}],
    ).succeeds()

    assert chat.channel("kitchen").rendered_description == (
        "<p><strong>Soup</strong> - and "
        f'<span class="user-mention" data-user-id="{ana.id}">@Ana</span></p>'
    )


def test_the_organization_description_is_rendered(chat: Chat) -> None:
    chat.set("description", "Home of **soup**")

    response = chat.stranger.get("/server_settings").succeeds()

    assert response["realm_description"] == "<p>Home of <strong>soup</strong></p>"


def test_the_emoji_table_is_at_the_url_in_register(chat: Chat, ana: Person) -> None:
    address: str = ana.registers(fetch_event_types=["realm"])["server_emoji_data_url"]

    reply = chat.stranger.raw("GET", "/" + address.removeprefix("http://").partition("/")[2])

    assert reply.json["code_to_names"]["1f389"][0] == "tada"
    assert "max-age" in reply.headers["cache-control"]


# --- time ---


@pytest.fixture
def usual_turns() -> Iterator[None]:
    """Threads switch as in a server process."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(TURN_SECONDS)
    yield
    sys.setswitchinterval(before)


def test_long_renderings_delay_no_other_request(
    ana: Person, ben: Person, usual_turns: None
) -> None:
    renders(ana, "```csharp\nx\n```")
    started = time.monotonic()

    rendering = [in_background(partial(renders, ana, slow())) for _ in range(30)]
    waits = []
    while not all(each.done() for each in rendering):
        requested = time.monotonic()
        ben.get("/users/me").succeeds()
        waits.append(time.monotonic() - requested)
    all_take = time.monotonic() - started

    assert all('class="n"' in each.result() for each in rendering)
    assert sorted(waits)[len(waits) // 2] < all_take / 4


def slow() -> str:
    """Code that is slow to highlight, and different each time."""
    lines = "a\n" * 29 + ";"
    return f"```csharp\n{lines * 33}{next(_numbers)}\n```"


_numbers = itertools.count()
