"""Reports: a message is reported to the moderators."""

import pytest

from tertulia import domain, features


def reports(person, message, report_type="harassment", **more):
    return person.post(f"/messages/{message.id}/report", report_type=report_type, **more)


def parts(report):
    """The parts of a report: reporter and reason, author and place, and the content."""
    opening, rest = report["content"].split("\n\n")
    where, _, quote = rest.partition("\n")
    return opening, where, quote


@pytest.fixture
def office(chat):
    """A moderator in the channel for reports."""
    mod = chat.person("mod", role="moderator")
    mod.joins("office", invite_only=True)
    chat.set("moderation_request_channel_id", chat.channel("office").id)
    return mod


def test_moderators_read_the_message_and_the_reason(in_kitchen, ana, ben, office):
    soup = ben.says("Your soup is *awful*", to="kitchen > lunch")
    queue = office.listens_for("message")

    reports(ana, soup, description="  It was good.\nBen is rude. ").succeeds()

    event = queue.next()["message"]
    assert (event["display_recipient"], event["subject"]) == ("office", "Reports about Ben")
    opening, where, quote = parts(event)
    assert opening == (
        f"@_**Ana|{ana.id}** reported a message: **Harassment**.\n> It was good.\n> Ben is rude."
    )
    assert where.startswith(f"@_**Ben|{ben.id}** [said](http")
    assert f"/near/{soup.id})" in where
    assert quote == "```quote\nYour soup is *awful*\n```"


def test_a_recipient_can_report_a_direct_message(ana, ben, eve, office):
    direct = ben.says("psst", to=[ana])
    queue = office.listens_for("message")

    reports(eve, direct).fails("Invalid message(s)")
    assert queue.silent()
    reports(ana, direct, "spam").succeeds()

    assert parts(queue.next()["message"])[2] == "```quote\npsst\n```"


def test_a_report_names_users_whom_the_reporter_may_not_see(chat, office):
    chat.permit("can_access_all_users_group", "members")
    gus = chat.person("gus", role="guest", channels=["kitchen"])
    ben = chat.person("ben", channels=["kitchen"])
    soup = ben.says("hello", to="kitchen > lunch")
    ben.leaves("kitchen")
    queue = office.listens_for("message")

    reports(gus, soup).succeeds()

    assert f"@_**Ben|{ben.id}**" in queue.next()["message"]["content"]


def test_a_long_message_is_truncated(ana, office):
    message = ana.says("x" * domain.limits.MAX_MESSAGE_LENGTH, to=[ana])
    queue = office.listens_for("message")

    reports(ana, message, description="y" * features.reports.MAX_LENGTH).succeeds()

    event = queue.next()["message"]["content"]
    assert len(event) == domain.limits.MAX_MESSAGE_LENGTH
    assert event.endswith("x\n[message truncated]\n```")


@pytest.mark.parametrize(
    "report_type, description, words",
    [
        ("boredom", "so dull", "Invalid report_type"),
        ("other", " ", "For 'other' a description is needed."),
        ("spam", "x" * 1001, "description is too long (limit: 1000 characters)"),
    ],
)
def test_a_report_needs_a_reason(ana, office, report_type, description, words):
    message = ana.says("x", to=[ana])
    queue = office.listens_for("message")

    reports(ana, message, report_type, description=description).fails(words)

    assert queue.silent()


def test_without_a_channel_for_reports_they_are_refused(ana):
    words = "Moderation request channel must be specified to enable message reporting."

    reports(ana, ana.says("x", to=[ana])).fails(words)
