"""Jira, Linear, Trello, Zendesk, Freshdesk and Discourse, by the fields that they document."""

import pytest
from tests.integrations.messages import find_message, message_for

JIRA_ISSUE = {
    "key": "ROOF-3",
    "self": "https://house.atlassian.net/rest/api/2/issue/10002",
    "fields": {"summary": "Rain", "priority": {"name": "High"}, "assignee": None},
}
JIRA_DOCUMENT = {
    "type": "doc",
    "content": [
        {"type": "paragraph", "content": [{"type": "text", "text": "Wet again"}]},
        {"type": "paragraph", "content": [{"type": "text", "text": "today"}]},
    ],
}
JIRA = "[ROOF-3: Rain](https://house.atlassian.net/browse/ROOF-3)"


@pytest.mark.parametrize(
    "payload, text",
    [
        (
            {"webhookEvent": "jira:issue_created"},
            f"Ana created {JIRA}.\n\n* **Priority**: High",
        ),
        (
            {
                "webhookEvent": "jira:issue_updated",
                "changelog": {
                    "items": [{"field": "status", "fromString": "To Do", "toString": "Done"}]
                },
            },
            f"Ana updated {JIRA}:\n\n* **Status**: To Do → Done",
        ),
        ({"webhookEvent": "jira:issue_deleted"}, "Ana deleted **ROOF-3: Rain**."),
        (
            {
                "webhookEvent": "comment_created",
                "comment": {"body": "Here, too.", "author": {"displayName": "Ben"}},
            },
            f"Ben commented on {JIRA}:\n``` quote\nHere, too.\n```",
        ),
        (
            {
                "webhookEvent": "jira:issue_updated",
                "issue_event_type_name": "issue_commented",
                "comment": {"body": JIRA_DOCUMENT},
            },
            f"Ana commented on {JIRA}:\n``` quote\nWet again today\n```",
        ),
        (
            {
                "webhookEvent": "jira:issue_updated",
                "changelog": {
                    "items": [
                        {"field": "status", "fromString": "To Do", "toString": "Done"},
                        {"field": "fix version", "fromString": None, "toString": "2"},
                    ]
                },
                "comment": {"body": "Dry."},
            },
            f"Ana updated {JIRA}:\n\n* **Status**: To Do → Done\n"
            "* **Fix version**: nothing → 2:\n``` quote\nDry.\n```",
        ),
        ({"webhookEvent": "jira:issue_updated"}, f"Ana updated {JIRA}."),
    ],
)
def test_jira_events_become_messages(payload, text):
    about = {"user": {"displayName": "Ana"}, "issue": JIRA_ISSUE}

    report = message_for("jira", about | payload)

    assert (report.topic, report.text) == ("ROOF-3: Rain", text)


def test_linear_events_become_messages():
    about = {"actor": {"name": "Ana"}, "url": "https://linear.app/house/issue/ROOF-3"}
    issue = {
        "identifier": "ROOF-3",
        "title": "Rain",
        "state": {"name": "Done"},
        "priorityLabel": "High",
    }

    created = message_for("linear", about | {"action": "create", "type": "Issue", "data": issue})
    updated = message_for(
        "linear",
        about
        | {"action": "update", "type": "Issue", "data": issue, "updatedFrom": {"stateId": "1"}},
    )
    comment = message_for(
        "linear",
        about
        | {
            "action": "create",
            "type": "Comment",
            "data": {"body": "Here, too.", "issue": {"identifier": "ROOF-3", "title": "Rain"}},
        },
    )

    named = "[ROOF-3 Rain](https://linear.app/house/issue/ROOF-3)"
    assert created.topic == updated.topic == comment.topic == "ROOF-3 Rain"
    assert created.text == f"Ana created issue {named}.\n\n* **State**: Done\n* **Priority**: High"
    assert updated.text == f"Ana updated issue {named}:\n\n* **State**: Done"
    assert comment.text.endswith("on ROOF-3 Rain:\n``` quote\nHere, too.\n```")


CARD = {"name": "Ladder", "shortLink": "nC8QJJoZ", "idShort": 4}


@pytest.mark.parametrize(
    "kind, data, text",
    [
        (
            "createCard",
            {"card": CARD, "list": {"name": "To do"}},
            "Ana created [Ladder](https://trello.com/c/nC8QJJoZ) in **To do**.",
        ),
        (
            "updateCard",
            {"card": CARD, "listBefore": {"name": "To do"}, "listAfter": {"name": "Done"}},
            "Ana moved [Ladder](https://trello.com/c/nC8QJJoZ) from **To do** to **Done**.",
        ),
        (
            "commentCard",
            {"card": CARD, "text": "Too short."},
            "Ana commented on [Ladder](https://trello.com/c/nC8QJJoZ):\n``` quote\nToo short.\n```",
        ),
        (
            "removeLabelFromCard",
            {"card": CARD, "label": {"name": "", "color": "green"}},
            "Ana took the label **green** off [Ladder](https://trello.com/c/nC8QJJoZ).",
        ),
        (
            "addChecklistToCard",
            {"card": CARD, "checklist": {"name": "Steps"}},
            "Ana added the checklist **Steps** to [Ladder](https://trello.com/c/nC8QJJoZ).",
        ),
        ("addMemberToBoard", {"memberType": "normal"}, "Ana added Ben to the board."),
        ("removeMemberFromBoard", {}, "Ana removed Ben from the board."),
        ("updateBoard", {"old": {"name": "Hut"}}, "Ana renamed the board **Hut** to **House**."),
    ],
)
def test_trello_events_become_messages(kind, data, text):
    action = {
        "type": kind,
        "memberCreator": {"fullName": "Ana"},
        "member": {"fullName": "Ben"},
        "data": {"board": {"name": "House"}, **data},
    }

    report = message_for("trello", {"action": action, "model": {"name": "House"}})

    assert (report.event, report.topic, report.text) == (kind, "House", text)


def test_a_card_moved_within_its_list_is_not_reported():
    action = {"type": "updateCard", "data": {"board": {"name": "House"}, "old": {"pos": 3}}}

    assert find_message("trello", {"action": action}) is None


def test_zendesk_events_become_messages():
    ticket = {"id": "35", "subject": "Rain", "status": "OPEN", "priority": "HIGH"}
    event = {
        "type": "zen:event-type:ticket.comment_added",
        "detail": ticket,
        "event": {"comment": {"body": "Here, too."}},
    }

    report = message_for("zendesk", event)
    trigger = message_for("zendesk", {"ticket_id": 35, "ticket_title": "Rain", "message": "Wet."})

    assert (report.event, report.topic) == ("ticket.comment_added", "#35: Rain")
    assert report.text == "Ticket **#35: Rain**: comment added:\n``` quote\nHere, too.\n```"
    assert (trigger.topic, trigger.text) == ("#35: Rain", "``` quote\nWet.\n```")


def test_freshdesk_events_become_messages():
    ticket = {
        "ticket_id": 11,
        "ticket_subject": "Rain",
        "ticket_url": "https://house.freshdesk.com/helpdesk/tickets/11",
        "ticket_status": "Open",
        "ticket_requester_name": "Ana",
        "triggered_event": "{status:{from:2,to:4}}",
    }
    named = "[ticket #11: Rain](https://house.freshdesk.com/helpdesk/tickets/11)"

    changed = message_for("freshdesk", {"freshdesk_webhook": ticket})
    created = message_for(
        "freshdesk", {"freshdesk_webhook": ticket | {"triggered_event": "{ticket_action:created}"}}
    )

    assert changed.text == f"The status of {named} changed: Open → Resolved."
    assert created.text == f"Ana created {named}.\n\n* **Status**: Open"


def test_discourse_events_become_messages():
    post = {
        "username": "ana",
        "topic_title": "Rain",
        "topic_slug": "rain",
        "topic_id": 8,
        "post_number": 2,
        "raw": "Here, too.",
    }
    where = {"X_Discourse_Instance": "https://forum.example.com"}

    report = message_for("discourse", {"post": post}, X_Discourse_Event="post_created", **where)
    ping = message_for("discourse", {"ping": "OK"}, X_Discourse_Event="ping", **where)

    assert (report.topic, report.text) == (
        "Rain",
        "ana wrote in [Rain](https://forum.example.com/t/rain/8/2):\n``` quote\nHere, too.\n```",
    )
    assert ping.text == "Discourse's webhook has been set up."
