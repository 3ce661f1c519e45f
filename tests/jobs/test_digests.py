"""Digests: once a week, to absent users, if there is something to report."""

import re
from datetime import UTC, datetime

from tests.support.fake_smtp import text_in

from tertulia.domain.personal.digests import AWAY_SECONDS, LivelyTopic, chosen

DAY = 86400


def sends(chat):
    chat.server.run_job("digests")
    chat.server.deliver("mail")


def weekday(chat):
    return datetime.fromtimestamp(chat.server.clock(), UTC).weekday()


def test_an_absent_user_gets_a_digest_on_its_day_and_can_unsubscribe(mailing, post):
    mailing.server.clock.stop()
    host = mailing.host
    ana = mailing.person("ana", channels=["kitchen", "cellar"], email=f"ana@{host}")
    ben = mailing.person("ben", channels=["kitchen"], email=f"ben@{host}")
    cleo = mailing.person("cleo", channels=["kitchen"], email=f"cleo@{host}")
    cleo.patch("/settings", enable_digest_emails=False).succeeds()
    mailing.permit("can_access_all_users_group", "members")
    gus = mailing.person("gus", role="guest", channels=["kitchen"], email=f"gus@{host}")
    mailing.server.clock.move(seconds=AWAY_SECONDS + 60)
    muted = {"stream_id": mailing.channel("kitchen").id, "topic": "noise", "visibility_policy": 1}
    ben.post("/user_topics", **muted).succeeds()
    ana.post("/users/me/presence", status="active").succeeds()
    for words, place in (("Soup?", "kitchen > lunch"), ("Bang", "kitchen > noise")):
        ana.says(words, to=place)
    ana.says("a secret", to="cellar > wine")
    ana.leaves("kitchen")

    mailing.set("digest_weekday", (weekday(mailing) + 1) % 7)
    mailing.set("digest_emails_enabled", True)
    sends(mailing)
    assert post.mails_of(mailing) == []
    mailing.set("digest_weekday", weekday(mailing))
    sends(mailing)
    sends(mailing)

    (letter,), (of_guest,) = post.mails_to(ben.email), post.mails_to(gus.email)
    assert len(post.mails_of(mailing)) == 2
    assert "Unknown user: Soup?" in text_in(of_guest)
    text = text_in(letter)
    assert "#kitchen > lunch (1)" in text
    assert "Ana: Soup?" in text
    assert "Bang" not in text
    assert "secret" not in text
    (link,) = re.findall(r"<http://[^/]+(/[^>]+)>", letter["List-Unsubscribe"])
    assert mailing.stranger.raw("GET", link.replace("digest", "missed_messages")).status == 404
    assert mailing.stranger.raw("POST", link, b"List-Unsubscribe=One-Click").status == 200
    assert not ben.record.prefers("enable_digest_emails")
    assert ben.record.prefers("enable_offline_email_notifications")


def test_without_news_no_digest_is_sent(mailing, post):
    mailing.server.clock.stop()
    mailing.person("ben", email=f"ben@{mailing.host}")
    mailing.server.clock.move(seconds=9 * DAY)
    mailing.set("digest_emails_enabled", True)
    mailing.set("digest_weekday", weekday(mailing))

    sends(mailing)

    assert post.mails_of(mailing) == []


def test_topics_are_ordered_by_authors_and_then_by_messages():
    topics = [
        LivelyTopic(1, name, messages, writers, ())
        for name, messages, writers in (
            ("a", 9, 1), ("b", 2, 2), ("c", 5, 5), ("d", 7, 1), ("e", 1, 1),
        )
    ]  # fmt: skip

    assert [each.topic for each in chosen(topics)] == ["c", "b", "a", "d"]
