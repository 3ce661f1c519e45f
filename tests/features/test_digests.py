"""Digests: once a week, to absent users, if there is something to report."""

import re
from datetime import UTC, datetime

from tests.support.fake_smtp import text_in

from tertulia import features
from tertulia.actions.messages.narrow_terms import NarrowViewer
from tertulia.features.digests import INACTIVE_SECONDS, ActiveTopic, chosen

DAY = 86400


def sends(chat):
    chat.server.run_job("digests")
    chat.server.deliver("mail")


def weekday(chat):
    return datetime.fromtimestamp(chat.server.clock(), UTC).weekday()


def test_an_absent_user_gets_a_digest_on_its_day_and_can_unsubscribe(mail_chat, smtp):
    mail_chat.server.clock.stop()
    host = mail_chat.host
    ana = mail_chat.person("ana", channels=["kitchen", "cellar"], email=f"ana@{host}")
    ben = mail_chat.person("ben", channels=["kitchen"], email=f"ben@{host}")
    cleo = mail_chat.person("cleo", channels=["kitchen"], email=f"cleo@{host}")
    cleo.patch("/settings", enable_digest_emails=False).succeeds()
    mail_chat.permit("can_access_all_users_group", "members")
    gus = mail_chat.person("gus", role="guest", channels=["kitchen"], email=f"gus@{host}")
    mail_chat.server.clock.move(seconds=INACTIVE_SECONDS + 60)
    muted = {"stream_id": mail_chat.channel("kitchen").id, "topic": "noise", "visibility_policy": 1}
    ben.post("/user_topics", **muted).succeeds()
    ana.post("/users/me/presence", status="active").succeeds()
    for words, location in (("Soup?", "kitchen > lunch"), ("Bang", "kitchen > noise")):
        ana.says(words, to=location)
    ana.says("a secret", to="cellar > wine")
    ana.leaves("kitchen")

    mail_chat.set("digest_weekday", (weekday(mail_chat) + 1) % 7)
    mail_chat.set("digest_emails_enabled", True)
    sends(mail_chat)
    assert smtp.mails_of(mail_chat) == []
    mail_chat.set("digest_weekday", weekday(mail_chat))
    sends(mail_chat)
    sends(mail_chat)

    (mail,), (of_guest,) = smtp.mails_to(ben.email), smtp.mails_to(gus.email)
    assert len(smtp.mails_of(mail_chat)) == 2
    assert "Unknown user: Soup?" in text_in(of_guest)
    text = text_in(mail)
    assert "#kitchen > lunch (1)" in text
    assert "Ana: Soup?" in text
    assert "Bang" not in text
    assert "secret" not in text
    (link,) = re.findall(r"<http://[^/]+(/[^>]+)>", mail["List-Unsubscribe"])
    assert mail_chat.stranger.raw("GET", link.replace("digest", "missed_messages")).status == 404
    assert mail_chat.stranger.raw("POST", link, b"List-Unsubscribe=One-Click").status == 200
    assert not ben.record.prefers("enable_digest_emails")
    assert ben.record.prefers("enable_offline_email_notifications")


def test_a_digest_quotes_what_matters_of_a_topic(mail_chat, smtp):
    mail_chat.server.clock.stop()
    host = mail_chat.host
    ana = mail_chat.person("ana", channels=["kitchen"], email=f"ana@{host}")
    ben = mail_chat.person("ben", channels=["kitchen"], email=f"ben@{host}")
    mail_chat.server.clock.move(seconds=INACTIVE_SECONDS + 60)
    ana.post("/users/me/presence", status="active").succeeds()
    for words in ("Good morning", "Hm", "It is decided: we open on Friday.", "Fine", "Bye"):
        ana.says(words, to="kitchen > opening")
    gone = ana.says("We decided on a secret.", to="kitchen > opening")
    mail_chat.person("dora", role="owner").delete(f"/messages/{gone.id}").succeeds()
    mail_chat.set("digest_emails_enabled", True)
    mail_chat.set("digest_weekday", weekday(mail_chat))

    sends(mail_chat)

    (mail,) = smtp.mails_to(ben.email)
    text = text_in(mail)
    assert "#kitchen > opening (5)" in text
    assert "Ana: It is decided: we open on Friday." in text
    assert "Good morning" not in text
    assert "secret" not in text


def test_words_that_were_deleted_since_are_not_quoted(chat):
    ana, ben = chat.people("ana", "ben", channels=["kitchen"])
    kept, gone, changed = (
        ana.says(f"We decided on {dish}.", to="kitchen > lunch")
        for dish in ("soup", "cabbage", "turnips")
    )
    viewer = NarrowViewer(ben.record, "")
    ((_, summary),) = chat.read(features.catch_up.conversations.summaries, viewer)
    assert len(summary.sentences) == 3

    owner = chat.person("owner", role="owner", channels=["kitchen"])
    owner.delete(f"/messages/{gone.id}").succeeds()
    ana.patch(f"/messages/{changed.id}", content="We decided on bread.").succeeds()
    left = chat.read(features.catch_up.conversations.still_quotable, ben.record, summary.sentences)
    assert [each.message_id for each in left] == [kept.id]

    ben.leaves("kitchen")
    private = {"is_private": True, "history_public_to_subscribers": False}
    owner.patch(f"/streams/{chat.channel('kitchen').id}", **private).succeeds()
    hidden = chat.read(
        features.catch_up.conversations.still_quotable, ben.record, summary.sentences
    )
    assert hidden == []


def test_a_message_that_moved_since_to_a_private_channel_is_not_quoted(mail_chat, smtp):
    mail_chat.server.clock.stop()
    host = mail_chat.host
    ana = mail_chat.person("ana", role="owner", channels=["kitchen"], email=f"ana@{host}")
    ben = mail_chat.person("ben", channels=["kitchen"], email=f"ben@{host}")
    ana.joins("vault", invite_only=True)
    secret = ana.says("The secret of the soup", to="kitchen > lunch")
    ana.says("Bread is here", to="kitchen > lunch")
    since = mail_chat.server.clock() - DAY
    active = mail_chat.read(features.digests.active_topics, since)

    vault_id = mail_chat.channel("vault").id
    ana.patch(f"/messages/{secret.id}", stream_id=vault_id, propagate_mode="change_one").succeeds()
    mail_chat.write(
        features.digests.write, mail_chat.server.vault, ben.id, active, since, "http://x"
    )

    text = text_in(smtp.last_mail_to(ben.email, mail_chat))
    assert "Bread is here" in text
    assert "secret" not in text


def test_without_news_no_digest_is_sent(mail_chat, smtp):
    mail_chat.server.clock.stop()
    mail_chat.person("ben", email=f"ben@{mail_chat.host}")
    mail_chat.server.clock.move(seconds=9 * DAY)
    mail_chat.set("digest_emails_enabled", True)
    mail_chat.set("digest_weekday", weekday(mail_chat))

    sends(mail_chat)

    assert smtp.mails_of(mail_chat) == []


def test_who_wrote_everything_gets_no_digest_about_it(mail_chat, smtp):
    mail_chat.server.clock.stop()
    host = mail_chat.host
    ana, ben = (
        mail_chat.person(name, channels=["kitchen"], email=f"{name}@{host}")
        for name in ("ana", "ben")
    )
    mail_chat.server.clock.move(seconds=INACTIVE_SECONDS + 60)
    ana.says("Soup?", to="kitchen > lunch")
    ana.says("Nobody?", to="kitchen > lunch")
    ben.says("Mine", to="kitchen > bread")
    ana.says("Yours?", to="kitchen > bread")
    mail_chat.set("digest_emails_enabled", True)
    mail_chat.set("digest_weekday", weekday(mail_chat))

    sends(mail_chat)

    (of_ana,), (of_ben,) = smtp.mails_to(ana.email), smtp.mails_to(ben.email)
    assert "lunch" in text_in(of_ben)
    assert "lunch" not in text_in(of_ana)
    assert "bread" in text_in(of_ana)


def test_topics_are_ordered_by_authors_and_then_by_messages():
    topics = [
        ActiveTopic(1, name, messages, writers, ())
        for name, messages, writers in (
            ("a", 9, 1), ("b", 2, 2), ("c", 5, 5), ("d", 7, 1), ("e", 1, 1),
        )
    ]  # fmt: skip

    assert [each.topic for each in chosen(topics)] == ["c", "b", "a", "d"]
