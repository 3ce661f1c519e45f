"""POST /messages to a channel: every rule between the content and the message."""

import pytest
from tests.support.people import Chat

from tertulia import actions, storage
from tertulia.domain.channels.channel import NewChannel
from tertulia.domain.groups.group import Members

FOLLOWED, UNMUTED, MUTED = 3, 2, 1


def sends(caller, **params):
    given = {"type": "channel", "to": "kitchen", "topic": "lunch", "content": "Soup's on"}
    return caller.post("/messages", **(given | params))


def make_channel(chat, creator, name, **settings):
    """A channel as a user with every permission would create it."""
    return chat.write(
        actions.channels.creation.create_unchecked, creator.record, NewChannel(name, **settings), ""
    )


# --- recipient ---


@pytest.mark.parametrize("word", ["channel", "stream"])
@pytest.mark.parametrize("written", ["id", "name", "NAME", " name ", '"name"', '["name"]', "[id]"])
def test_a_channel_may_be_named_in_several_ways(chat, in_kitchen, ana, word, written):
    number = chat.channel("kitchen").id
    to = written.replace("id", str(number)).replace("name", "kitchen").replace("NAME", "KITCHEN")

    response = sends(ana, type=word, to=to).succeeds()

    seen = ana.sees(response["id"])
    assert (seen["type"], seen["stream_id"], seen["display_recipient"]) == (
        "stream",
        number,
        "kitchen",
    )


@pytest.mark.parametrize(
    "to, msg",
    [
        (None, "Missing channel"),
        ("", "Missing channel"),
        ("[]", "Expected exactly one channel"),
        ('["kitchen", "garden"]', "Expected exactly one channel"),
        ('{"a": 1}', "Invalid data type for channel"),
        ("[[1]]", "Invalid data type for channel"),
        ("[1.5]", "Invalid data type for channel"),
        ("[true]", "Invalid data type for channel"),
    ],
)
def test_invalid_channels_are_refused(chat, to, msg):
    sends(chat.person("ana", channels=["kitchen"]), to=to).fails(msg)


def test_an_unknown_channel_is_named_in_the_answer(ana):
    by_name = sends(ana, to="no such <place>")
    by_id = sends(ana, to=987_654)
    quoted = sends(ana, to='"987654"')

    name = "no such &lt;place&gt;"
    response = by_name.fails(f"Channel '{name}' does not exist", code="STREAM_DOES_NOT_EXIST")
    assert response["stream"] == name
    response = by_id.fails("Channel with ID '987654' does not exist", code="STREAM_DOES_NOT_EXIST")
    assert response["stream_id"] == 987_654
    quoted.fails("Channel '987654' does not exist", code="STREAM_DOES_NOT_EXIST")


@pytest.mark.parametrize("number", [-1, 0, 2**63 - 1, 2**63, 10**30])
def test_an_impossible_id_is_an_unknown_channel(chat, number):
    response = sends(chat.person("ana"), to=number)

    assert response.json["code"] == "STREAM_DOES_NOT_EXIST"
    assert response.status == 400


def test_another_organizations_channel_is_unknown(chat):
    other = Chat.found(chat.server)
    other.person("eve", channels=["cellar"])
    cellar = other.channel("cellar")

    response = sends(chat.person("ana"), to=cellar.id)

    response.fails(f"Channel with ID '{cellar.id}' does not exist", code="STREAM_DOES_NOT_EXIST")


# --- content ---


@pytest.mark.parametrize(
    "params, msg",
    [
        ({"content": None}, "Missing 'content' argument"),
        ({"type": None}, "Missing 'type' argument"),
        ({"type": "letter"}, "Invalid type"),
        ({"topic": None}, "Missing topic"),
        ({"content": ""}, "Message must not be empty"),
        ({"content": "  \n\t "}, "Message must not be empty"),
        ({"content": "a\0b"}, "Message must not contain null bytes"),
        ({"content": "x" * 10_001}, "Message is too long (limit: 10000 characters)"),
        ({"topic": "x" * 61}, "topic is too long (limit: 60 characters)"),
        ({"topic": "a\tb"}, "Invalid character in topic, at position 2!"),
        ({"topic": "a\0b"}, "Invalid character in topic, at position 2!"),
        ({"topic": "ab\ufdd0"}, "Invalid character in topic, at position 3!"),
        ({"topic": "ab\uffff"}, "Invalid character in topic, at position 3!"),
        ({"read_by_sender": "yes"}, "read_by_sender is not valid JSON"),
        ({"read_by_sender": 1}, "read_by_sender is not a boolean"),
        ({"queue_id": "q"}, "Missing 'local_id' argument"),
    ],
)
def test_invalid_content_is_refused(chat, in_kitchen, ana, params, msg):
    before = chat.head()

    sends(ana, **params).fails(msg)

    assert chat.head() == before


@pytest.mark.parametrize(
    "content, stored",
    [
        ("Soup's on", "Soup's on"),
        ("\n\n  indented\n\n  ", "  indented"),
        ("x" * 10_000, "x" * 10_000),
        ("🍲" * 10_000, "🍲" * 10_000),
        ("a\r\nb", "a\r\nb"),
        ("<script>&amp;", "<script>&amp;"),
    ],
    ids=["plain", "white space", "long", "long in emoji", "lines", "markup"],
)
def test_content_is_stored_unchanged(in_kitchen, ana, content, stored):
    soup = ana.says(content, to="kitchen > lunch")

    message = ana.get(f"/messages/{soup.id}", apply_markdown=False).succeeds()

    assert message["raw_content"] == message["message"]["content"] == stored
    assert message["message"]["content_type"] == "text/x-markdown"


def test_html_is_escaped(in_kitchen, ana):
    soup = ana.says("<script>alert('&')</script>", to="kitchen > lunch")

    assert "<script" not in ana.sees(soup)["content"]


@pytest.mark.parametrize(
    "written, stored",
    [
        ("  lunch  ", "lunch"),
        ("x" * 60, "x" * 60),
        ("", ""),
        ("(no topic)", ""),
        ("general chat", ""),
        ("General Chat", "General Chat"),
        ("✔ soup", "✔ soup"),
    ],
)
def test_topics_are_stripped_and_names_of_the_empty_topic_are_known(
    in_kitchen, ana, written, stored
):
    response = sends(ana, topic=written).succeeds()

    raw = ana.get(f"/messages/{response['id']}", allow_empty_topic_name=True).succeeds()

    assert raw["message"]["subject"] == stored
    assert ana.sees(response["id"])["subject"] == (stored or "general chat")


def test_subject_is_an_older_name_of_topic(in_kitchen, ana):
    response = sends(ana, topic=None, subject="lunch").succeeds()
    both = sends(ana, topic="lunch", subject="lunch")

    assert "ignored_parameters_unsupported" not in response
    assert ana.sees(response["id"])["subject"] == "lunch"
    both.fails("Can't decide between 'topic' and 'subject' arguments")


def test_a_complete_message(chat, in_kitchen, ana):
    kitchen = chat.channel("kitchen")

    soup = ana.with_headers(User_Agent="SoupBot/1.0 (pot)").says("/me stirs", to="kitchen > lunch")

    seen = ana.sees(soup)
    assert chat.server.clock() - 60 < seen.pop("timestamp") <= chat.server.clock()
    assert seen == {
        "id": soup.id,
        "sender_id": ana.id,
        "content": "<p>/me stirs</p>",
        "recipient_id": 2 * kitchen.id,
        "client": "SoupBot",
        "subject": "lunch",
        "topic_links": [],
        "is_me_message": True,
        "reactions": [],
        "submessages": [],
        "sender_full_name": "Ana",
        "sender_email": ana.api_email,
        "sender_realm_str": chat.realm.subdomain,
        "display_recipient": "kitchen",
        "type": "stream",
        "stream_id": kitchen.id,
        "avatar_url": f"/user_avatars/{chat.realm.id}/{ana.id}.png?v=1",
        "content_type": "text/html",
        "flags": [],
    }


def test_the_answer_has_the_url_of_the_message(chat):
    ana = chat.person("ana", channels=["the kitchen"])
    number = chat.channel("the kitchen").id

    soup = ana.says("Soup's on", to="the kitchen > soup & bread")

    url = (
        f"http://{chat.host}/#narrow/channel/{number}-the-kitchen"
        f"/topic/soup.20.26.20bread/near/{soup.id}"
    )
    assert soup.answer["message_url"] == url
    assert soup.answer["message_link"] == f"[#the kitchen > soup & bread @ 💬]({url})"


def test_message_ids_follow_the_order_of_sending(in_kitchen, ana, ben):
    numbers = [who.says("x", to="kitchen > count").id for who in (ana, ben, ana, ben)]

    assert numbers == sorted(set(numbers))


# --- permissions ---


def test_a_public_channel_accepts_messages_without_subscription(ben, in_kitchen, ana):
    soup = ben.says("May I come in?", to="kitchen > door")

    assert ana.sees(soup)["content"] == "<p>May I come in?</p>"


def test_a_private_channel_accepts_messages_only_from_subscribers(chat, ana, ben):
    root = chat.person("root", role="owner")
    ana.joins("cellar", invite_only=True)

    ana.says("It is dark", to="cellar > light")

    for to in ("cellar", chat.channel("cellar").id):
        sends(root, to=to).fails("Not authorized to send to channel 'cellar'")
    sends(ben, to="cellar").fails(NO_CELLAR, code="STREAM_DOES_NOT_EXIST")


NO_CELLAR = "Channel 'cellar' does not exist"


def test_a_guest_sends_where_they_are_subscribed(chat, in_kitchen, gus):
    chat.person("ana", channels=["garden"])

    gus.says("Thank you", to="kitchen > lunch")

    sends(gus, to="garden").fails("Channel 'garden' does not exist", code="STREAM_DOES_NOT_EXIST")


def test_a_guest_may_not_post_in_an_unsubscribed_channel(in_kitchen, gus):
    gus.leaves("kitchen")

    sends(gus).fails("Channel 'kitchen' does not exist", code="STREAM_DOES_NOT_EXIST")


def test_posting_can_be_restricted(chat, ana, ben):
    moe = chat.person("moe", role="moderator")
    ana.joins("news", can_send_message_group=chat.group("moderators"), principals=[ana.id, ben.id])

    moe.says("The oven is fixed", to="news > oven")

    sends(ben, to="news").fails("You do not have permission to post in this channel.")


def test_a_bot_may_use_its_owners_permission(chat, ana, ben):
    ana.joins("news", can_send_message_group={"direct_members": [ana.id], "direct_subgroups": []})
    hers = chat.person("hers", bot="generic", owner=ana)
    his = chat.person("his", bot="generic", owner=ben)

    hers.says("ding", to="news > oven")

    sends(his, to="news").fails("You do not have permission to post in this channel.")


def test_a_bot_posts_in_its_owners_private_channels(chat, ana, ben):
    ana.joins("cellar", invite_only=True)
    hers = chat.person("hers", bot="generic", owner=ana)
    his = chat.person("his", bot="generic", owner=ben)

    hers.says("drip", to="cellar > water")

    sends(his, to="cellar").fails(NO_CELLAR, code="STREAM_DOES_NOT_EXIST")


def test_new_topics_can_be_restricted(ana, ben):
    ana.joins(
        "plans",
        can_create_topic_group={"direct_members": [ana.id], "direct_subgroups": []},
        principals=[ana.id, ben.id],
    )
    refused = sends(ben, to="plans", topic="Roof")
    ana.says("Let's", to="plans > Roof")

    refused.fails("You do not have permission to create new topics in this channel.")
    ben.says("Yes", to="plans > ROOF")


def test_the_posting_permission_is_checked_before_the_subscription(chat):
    ana, root = chat.person("ana"), chat.person("root", role="owner")
    ana.joins("cellar", invite_only=True, can_send_message_group=chat.group("nobody"))

    sends(root, to="cellar").fails("You do not have permission to post in this channel.")


def test_a_deactivated_sender_cannot_send(chat, in_kitchen, ana):
    chat.write(actions.people.users.deactivate, ana.id)

    sends(ana).fails("Account is deactivated", code="UNAUTHORIZED", status=401)


@pytest.mark.parametrize(
    "policy, topic, msg",
    [
        ("allow_empty_topic", "", None),
        ("allow_empty_topic", "lunch", None),
        ("inherit", "", None),
        (
            "disable_empty_topic",
            "general chat",
            "Sending messages to the general chat is not allowed in this channel.",
        ),
        ("disable_empty_topic", "lunch", None),
        ("empty_topic_only", "(no topic)", None),
        ("empty_topic_only", "lunch", "Only the general chat topic is allowed in this channel."),
    ],
)
def test_the_empty_topic_requires_that_the_channel_allows_it(ana, policy, topic, msg):
    ana.joins("plans", topics_policy=policy)

    response = sends(ana, to="plans", topic=topic)

    if msg is None:
        response.succeeds()
    else:
        assert response.fails(msg)["empty_topic_display_name"] == "general chat"


def test_a_channel_may_inherit_the_topics_policy(chat, in_kitchen, ana):
    chat.set("topics_policy", "disable_empty_topic")

    sends(ana, topic="").fails(
        "Sending messages to the general chat is not allowed in this channel."
    )


def test_an_archived_channel_accepts_no_messages(chat):
    def archive(tx):
        tx.execute(
            "UPDATE channel SET archived = :yes WHERE realm_id = :r", yes=True, r=tx.realm_id
        )

    ana = chat.person("ana", channels=["kitchen"])
    chat.write(archive)

    sends(ana).fails("Not authorized to send to channel 'kitchen'")


def test_a_permission_is_held_through_nested_groups(chat):
    def nest(tx, user_id):
        inner, outer = (
            tx.number(
                "INSERT INTO user_group (realm_id, name, description, permissions)"
                " VALUES (:r, :name, '', '{}') RETURNING id AS value",
                r=tx.realm_id,
                name=name,
            )
            for name in ("cooks", "staff")
        )
        sql = (
            "INSERT INTO user_group_subgroup (realm_id, group_id, subgroup_id) VALUES (:r, :a, :b)"
        )
        tx.execute(sql, r=tx.realm_id, a=outer, b=inner)
        sql = "INSERT INTO user_group_member (realm_id, group_id, user_id) VALUES (:r, :g, :u)"
        tx.execute(sql, r=tx.realm_id, g=inner, u=user_id)
        return outer

    ana, ben = chat.people("ana", "ben", channels=["kitchen"])
    staff = chat.write(nest, ben.id)
    make_channel(chat, ana, "news", permissions={"can_send_message_group": Members([], [staff])})

    ben.says("x", to="news > y")

    sends(ana, to="news").fails("You do not have permission to post in this channel.")


# --- read flags ---


@pytest.mark.parametrize(
    "agent, chosen, flags",
    [
        ("ZulipPython/0.9.1 (Debian GNU/Linux; 12)", None, []),
        ("ZulipMobile/27.1 (iOS 17)", None, ["read"]),
        ("zulipterminal/0.7", None, ["read"]),
        ("ZulipMobile/27.1", False, []),
        ("curl/8", True, ["read"]),
    ],
)
def test_sent_messages_are_read_for_their_sender(chat, agent, chosen, flags):
    ana = chat.person("ana", channels=["kitchen"]).with_headers(User_Agent=agent)
    queue = ana.listens_for("message")

    soup = ana.says("Soup's on", to="kitchen > lunch", read_by_sender=chosen)

    assert ana.sees(soup)["flags"] == flags
    assert queue.next()["flags"] == flags


def test_a_client_may_name_itself(in_kitchen, ana):
    soup = ana.says("Soup's on", to="kitchen > lunch", client="website")

    seen = ana.sees(soup)
    assert (seen["client"], seen["flags"]) == ("website", ["read"])


def test_messages_of_others_are_unread(in_kitchen, ana, ben):
    soup = ana.says("Soup's on", to="kitchen > lunch", read_by_sender=True)

    assert ben.sees(soup)["flags"] == []
    assert ben.registers()["unread_msgs"]["count"] == 1
    assert ana.registers()["unread_msgs"]["count"] == 0


# --- automatic topic policies ---


def test_starting_a_topic_follows_it(in_kitchen, ana, ben):
    queue = ana.listens_for("user_topic", "message")

    first = ana.says("Soup's on", to="kitchen > lunch")
    second = ana.says("Bread too", to="kitchen > LUNCH")
    third = ben.says("Coming", to="kitchen > lunch")

    assert first.answer["automatic_new_visibility_policy"] == FOLLOWED
    assert "automatic_new_visibility_policy" not in second.answer
    assert "automatic_new_visibility_policy" not in third.answer
    followed, *messages = queue.all()
    assert (followed["type"], followed["topic_name"], followed["visibility_policy"]) == (
        "user_topic",
        "lunch",
        FOLLOWED,
    )
    assert [each["message"]["id"] for each in messages] == [first.id, second.id, third.id]


@pytest.mark.parametrize(
    "settings, current, muted, policy",
    [
        ({"automatically_follow_topics_policy": 2}, 0, False, FOLLOWED),
        ({"automatically_follow_topics_policy": 1}, MUTED, False, FOLLOWED),
        ({"automatically_follow_topics_policy": 4}, 0, True, UNMUTED),
        ({"automatically_follow_topics_policy": 4}, MUTED, True, UNMUTED),
        ({"automatically_follow_topics_policy": 4}, MUTED, False, None),
        ({"automatically_follow_topics_policy": 4}, 0, False, None),
        ({"automatically_follow_topics_policy": 4}, FOLLOWED, True, None),
    ],
)
def test_replying_changes_the_policy_as_chosen(chat, settings, current, muted, policy):
    def prepare(tx, user_id, channel_id):
        storage.personal.topic_policies.set_policy(tx, user_id, channel_id, "lunch", current)
        sql = "UPDATE subscription SET is_muted = :muted WHERE user_id = :user"
        tx.execute(sql, muted=muted, user=user_id)

    ana = chat.person("ana", channels=["kitchen"])
    ben = chat.person("ben", channels=["kitchen"], settings=settings)
    ana.says("Soup's on", to="kitchen > lunch")
    chat.write(prepare, ben.id, chat.channel("kitchen").id)

    response = ben.says("Coming", to="kitchen > lunch").answer

    assert response.get("automatic_new_visibility_policy") == policy


def test_a_bot_follows_no_topics(chat, in_kitchen, ana):
    bot = chat.person("helper", bot="generic", owner=ana, channels=["kitchen"])

    assert "automatic_new_visibility_policy" not in bot.says("ding", to="kitchen > oven").answer


def test_a_topic_is_new_for_a_sender_who_cannot_see_its_history(ana, ben):
    ana.joins("cellar", invite_only=True)
    ana.says("It is dark", to="cellar > light")
    ana.joins("cellar", principals=[ben.id])

    response = ben.says("Is it?", to="cellar > light").answer

    assert response["automatic_new_visibility_policy"] == FOLLOWED
