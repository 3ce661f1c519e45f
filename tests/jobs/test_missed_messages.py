"""Mail about missed messages: by the user's settings, after their delay, if they stay away."""

import re

import pytest
from tests.support.fake_smtp import html_in, text_in
from tests.support.fake_tokens import forged
from tests.support.people import Chat
from tests.support.quiet_hours import HOUR, has_quiet_hours_now

PERIOD = 120  # seconds, the default delay


def find_missed(chat):
    chat.server.run_job("missed messages")


def waits(chat, seconds=PERIOD + 1):
    """Move the clock, and run the jobs that notify."""
    find_missed(chat)
    chat.server.clock.move(seconds=seconds)
    chat.server.run_job("missed mail")
    chat.server.deliver("mail")


@pytest.fixture
def ana(mail_chat):
    return mail_chat.person("ana", channels=["kitchen"], email=f"ana@{mail_chat.host}")


@pytest.fixture
def ben(mail_chat, ana):
    ben = mail_chat.person("ben", channels=["kitchen"], email=f"ben@{mail_chat.host}")
    find_missed(mail_chat)
    return ben


def test_an_absent_user_gets_one_mail_per_conversation(mail_chat, smtp, ana, ben):
    ana.says("Are you *there*?", to=[ben])
    ana.says("Still waiting", to=[ben])
    ana.says("The soup of the day", to="kitchen > lunch")
    find_missed(mail_chat)  # the mention makes him follow the topic
    ana.says("@**Ben** soup", to="kitchen > lunch")
    waits(mail_chat)
    waits(mail_chat)

    direct, mention = smtp.mails_to(ben.email)
    assert direct["Subject"] == "Ana wrote to you"
    lines = text_in(direct).splitlines()
    assert lines[:3] == ["Ana: Are you there?", "", "Ana: Still waiting"]
    assert "<em>there</em>" in html_in(direct)
    assert mention["Subject"] == "#kitchen > lunch"
    lines = text_in(mention).splitlines()
    assert lines[:3] == ["Ana: The soup of the day", "", "Ana: @Ben soup"]  # and what led to it
    assert mention["List-Id"] == f"{mail_chat.realm.name} <{mail_chat.host}>"
    assert direct["References"] != mention["References"]
    assert direct["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"
    assert smtp.mails_to(ana.email) == []


def test_an_erasure_does_not_lose_what_others_missed(mail_chat, smtp, ana, ben):
    cid, owner = mail_chat.person("cid"), mail_chat.person("owner", role="owner")
    ana.says("Are you there?", to=[ben])

    owner.post(f"/users/{cid.id}/erase").succeeds()
    waits(mail_chat)

    assert len(smtp.mails_to(ben.email)) == 1


def test_in_quiet_hours_mails_wait(mail_chat, smtp, ana, ben):
    has_quiet_hours_now(mail_chat, ben)
    ana.says("Are you there?", to=[ben])
    waits(mail_chat)
    assert smtp.mails_to(ben.email) == []

    waits(mail_chat, seconds=HOUR)

    assert len(smtp.mails_to(ben.email)) == 1


def test_the_text_of_a_mail_has_line_breaks_and_no_markup(mail_chat, smtp, ana, ben):
    words = "**Soup** first\nthen :tada:\n\n* bread\n* [wine](https://example.com/wine)"
    code = "```py\nx = 1\n    y = 2\n```\n> said\n\nhttps://example.com/menu"

    ana.says(words, to=[ben])
    ana.says(code, to=[ben])
    waits(mail_chat)

    (mail,) = smtp.mails_to(ben.email)
    text = text_in(mail).replace("\r\n", "\n")
    lines = ["Ana: Soup first", "then 🎉", "• bread", "• wine (https://example.com/wine)"]
    assert "\n".join(lines) in text
    assert "Ana: x = 1\n    y = 2\n> said\nhttps://example.com/menu" in text


def test_the_text_of_a_mail_has_numbers_nested_bullets_and_rows_of_tables(
    mail_chat, smtp, ana, ben
):
    ana.says("3. soup\n4. bread\n\n* red\n  * dry\n* white", to=[ben])
    ana.says("| dish | price |\n|---|---|\n| soup | 4 |", to=[ben])
    waits(mail_chat)

    (mail,) = smtp.mails_to(ben.email)
    text = text_in(mail).replace("\r\n", "\n")
    assert "Ana: 3. soup\n4. bread\n• red\n  • dry\n• white\n" in text
    assert "Ana: dish | price\nsoup | 4\n" in text


def test_the_foot_of_a_mail_is_in_words_of_the_readers_language(mail_chat, smtp, ana, ben):
    ben.patch("/settings", default_language="es").succeeds()

    ana.says("soup", to=[ben])
    waits(mail_chat)

    (mail,) = smtp.mails_to(ben.email)
    html = html_in(mail)
    assert "✕" not in mail.as_string()
    foot = re.findall("<a href=[^>]*>([^<]*)</a>", html)
    assert [each for each in foot if "correos" in each or mail_chat.realm.name in each] == foot[-2:]
    assert html.count(text_in(mail).strip().rpartition(": ")[2]) == 1


def test_a_message_read_meanwhile_causes_no_mail(mail_chat, smtp, ana, ben):
    sent = ana.says("hi", to=[ben])
    gone = ana.says("oops", to=[ben])
    find_missed(mail_chat)

    ben.post("/messages/flags", messages=[sent.id], op="add", flag="read").succeeds()
    ana.delete(f"/messages/{gone.id}").succeeds()
    waits(mail_chat)

    assert smtp.mails_to(ben.email) == []


def test_a_present_user_gets_a_mail_for_what_stays_unread(mail_chat, smtp, ana, ben):
    ana.says("hi", to=[ben])
    find_missed(mail_chat)
    mail_chat.server.clock.move(seconds=PERIOD / 2)
    ben.registers(event_types=["message"])
    ben.post("/users/me/presence", status="active").succeeds()

    waits(mail_chat, seconds=PERIOD / 2 + 1)
    assert smtp.mails_to(ben.email) == []
    waits(mail_chat, seconds=300)

    assert len(smtp.mails_to(ben.email)) == 1


@pytest.mark.parametrize("event_types", [None, ["reaction"]])
def test_a_user_without_a_client_for_messages_counts_as_absent(
    mail_chat, smtp, ana, ben, event_types
):
    if event_types:
        ben.registers(event_types=event_types)
    ben.post("/users/me/presence", status="active").succeeds()

    ana.says("hi", to=[ben])
    waits(mail_chat)

    assert len(smtp.mails_to(ben.email)) == 1


def test_a_mention_added_by_an_edit_notifies_only_the_mentioned(mail_chat, smtp, ana, ben):
    cleo = mail_chat.person("cleo", channels=["kitchen"], email=f"cleo@{mail_chat.host}")
    cleo.patch("/settings", enable_stream_email_notifications=True).succeeds()
    soup = ana.says("soup @**Cleo**", to="kitchen > lunch")
    direct = ana.says("one", to=[ben])
    ben.post("/messages/flags", messages=[direct.id], op="add", flag="read").succeeds()
    waits(mail_chat)
    smtp.received.clear()

    ana.patch(f"/messages/{soup.id}", content="soup @**Cleo** @**Ben**").succeeds()
    ana.patch(f"/messages/{direct.id}", content="one @**Ben**").succeeds()
    waits(mail_chat)
    ana.patch(f"/messages/{soup.id}", content="soup! @**Cleo** @**Ben**").succeeds()
    waits(mail_chat)

    (mail,) = smtp.mails_of(mail_chat)
    assert (mail["To"], mail["Subject"]) == (ben.email, "#kitchen > lunch")


def test_spoilers_stay_hidden(mail_chat, smtp, ana, ben):
    end = "```spoiler The **end**\nthe butler\n> did it\n```\n:tada: [x](/#narrow)"

    ana.says(end, to=[ben])
    waits(mail_chat)

    (mail,) = smtp.mails_to(ben.email)
    assert "butler" not in mail.as_string()
    assert "Ana: The end (…)\r\n🎉 x" in text_in(mail)
    assert "<strong>end</strong>" in html_in(mail)
    assert 'href="http://' in html_in(mail)


def test_the_subject_names_the_organization_where_that_helps(mail_chat, smtp, ana, ben):
    other = Chat.found(mail_chat.server)
    ben.patch("/settings", timezone="Asia/Kolkata").succeeds()

    ana.says("one", to=[ben])
    waits(mail_chat)
    other.person("ben", email=ben.email)
    ana.says("two", to=[ben])
    waits(mail_chat)
    ben.patch("/settings", realm_name_in_email_notifications_policy=3).succeeds()
    ana.says("three", to=[ben])
    waits(mail_chat)

    mails = smtp.mails_to(ben.email)
    named = f"Ana wrote to you [{mail_chat.realm.name}]"
    assert [each["Subject"] for each in mails] == ["Ana wrote to you", named, "Ana wrote to you"]
    assert mails[0]["Date"].endswith("+0530")


@pytest.mark.parametrize(
    "settings, subscription, policy, words, is_mailed",
    [
        (
            {
                "enable_offline_email_notifications": False,
                "automatically_follow_topics_where_mentioned": False,
            },
            {},
            0,
            "@**Ben**",
            False,
        ),
        ({}, {}, 0, "@**all**", True),
        ({"wildcard_mentions_notify": False}, {}, 0, "@**all**", False),
        ({}, {"wildcard_mentions_notify": False}, 0, "@**all**", False),
        (
            {"automatically_follow_topics_where_mentioned": False},
            {"is_muted": True},
            0,
            "@**Ben**",
            False,
        ),
        ({}, {"is_muted": True}, 2, "@**Ben**", True),
        ({}, {}, 1, "@**Ben**", False),
        ({}, {}, 3, "plain", True),
        ({"enable_followed_topic_email_notifications": False}, {}, 3, "plain", False),
        ({"enable_stream_email_notifications": True}, {}, 0, "plain", True),
        ({}, {"email_notifications": True}, 0, "plain", True),
        (
            {"enable_stream_email_notifications": True},
            {"email_notifications": False},
            0,
            "plain",
            False,
        ),
        ({}, {}, 0, "@_**Ben** and `@**Ben**`", False),
    ],
)
def test_notification_settings_are_respected(
    mail_chat, smtp, ana, ben, settings, subscription, policy, words, is_mailed
):
    kitchen = mail_chat.channel("kitchen").id
    if settings:
        ben.patch("/settings", **settings).succeeds()
    for name, value in subscription.items():
        data = [{"stream_id": kitchen, "property": name, "value": value}]
        ben.post("/users/me/subscriptions/properties", subscription_data=data).succeeds()
    if policy:
        params = {"stream_id": kitchen, "topic": "lunch", "visibility_policy": policy}
        ben.post("/user_topics", **params).succeeds()

    ana.says(words, to="kitchen > lunch")
    waits(mail_chat)

    assert bool(smtp.mails_to(ben.email)) is is_mailed


def test_message_text_is_left_out_where_organization_or_user_want_that(mail_chat, smtp, ana, ben):
    mail_chat.set("message_content_allowed_in_email_notifications", False)

    ana.says("a secret", to=[ben])
    waits(mail_chat)
    mail_chat.set("message_content_allowed_in_email_notifications", True)
    ben.patch("/settings", message_content_in_email_notifications=False).succeeds()
    ana.says("another secret", to=[ben])
    waits(mail_chat)

    mails = smtp.mails_to(ben.email)
    assert len(mails) == 2
    for mail in mails:
        assert "secret" not in mail.as_string()
        assert "Ana" not in mail.as_string()


def test_a_guest_does_not_get_names_of_hidden_users(mail_chat, smtp, ana, ben):
    mail_chat.permit("can_access_all_users_group", "members")
    gus = mail_chat.person("gus", role="guest", channels=["kitchen"], email=f"gus@{mail_chat.host}")
    find_missed(mail_chat)

    ana.says("before", to="kitchen > lunch")
    ana.says("@**Gus** soup", to="kitchen > lunch")
    ben.says("and bread", to="kitchen > lunch")
    ana.leaves("kitchen")
    waits(mail_chat)

    (mail,) = smtp.mails_to(gus.email)
    lines = text_in(mail).splitlines()
    assert lines[:5:2] == ["Unknown user: before", "Unknown user: @Gus soup", "Ben: and bread"]
    assert "Ana" not in mail.as_string()


def test_a_muted_sender_causes_no_mail(mail_chat, smtp, ana, ben):
    ben.post(f"/users/me/muted_users/{ana.id}").succeeds()

    ana.says("hi", to=[ben])
    waits(mail_chat)

    assert smtp.mails_to(ben.email) == []


def test_one_click_unsubscribes(mail_chat, smtp, ana, ben):
    ana.says("hi", to=[ben])
    waits(mail_chat)
    (mail,) = smtp.mails_to(ben.email)
    (link,) = re.findall(r"<http://[^/]+(/[^>]+)>", mail["List-Unsubscribe"])

    assert mail_chat.stranger.raw("GET", link).status == 200
    assert ben.record.prefers("enable_offline_email_notifications")
    assert mail_chat.stranger.raw("GET", forged(link)).status == 404
    assert mail_chat.stranger.raw("POST", link, b"List-Unsubscribe=One-Click").status == 200

    assert not ben.record.prefers("enable_offline_email_notifications")
    ana.says("hi again", to=[ben])
    waits(mail_chat)
    assert len(smtp.mails_to(ben.email)) == 1


def test_a_send_writes_nothing_for_absent_users(mail_chat, ana, ben):
    before = mail_chat.read(rows)

    ana.says("@**all** hi", to="kitchen > lunch")
    ana.says("hi", to=[ben])

    assert mail_chat.read(rows) == before


def rows(tx):
    tables = ("missed_message", "missed_timer", "outbox")
    return [tx.value(f"SELECT count(*) AS value FROM {each}") for each in tables]


@pytest.mark.parametrize("lost", ["removed", "moved", "made a guest"])
def test_a_user_who_lost_access_gets_no_mail(mail_chat, smtp, ana, ben, lost):
    root = mail_chat.person("root", role="owner", channels=["kitchen"])
    root.joins("vault", invite_only=True, principals=[root.id, ben.id, ana.id])
    if lost == "moved":
        root.leaves("vault", principals=[ben.id])
    location = {"removed": "vault > x", "moved": "kitchen > x", "made a guest": "plaza > x"}[lost]
    root.joins("plaza")
    if lost == "made a guest":
        ben.joins("plaza")
    called = root.says("@**Ben** gold", to=location)
    find_missed(mail_chat)

    if lost == "moved":
        root.patch(f"/messages/{called.id}", stream_id=mail_chat.channel("vault").id).succeeds()
    elif lost == "removed":
        root.leaves("vault", principals=[ben.id])
    else:
        ben.leaves("plaza")
        root.patch(f"/users/{ben.id}", role=600).succeeds()
    root.patch(f"/messages/{called.id}", content="@**Ben** treasure").succeeds()
    waits(mail_chat)

    assert [text_in(each) for each in smtp.mails_to(ben.email)] == []
