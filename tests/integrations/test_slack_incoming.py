"""Slack's format: text, blocks and attachments."""

import pytest
from tests.integrations.messages import message_for

from tertulia.errors import BadRequest
from tertulia.integrations import slack_incoming


@pytest.mark.parametrize(
    "theirs, ours",
    [
        ("*bold* and _slanted_ and ~gone~", "**bold** and *slanted* and ~~gone~~"),
        ("snake_case_name and 2*3*4", "snake_case_name and 2*3*4"),
        ("<https://example.com|a page>", "[a page](https://example.com)"),
        ("<https://example.com>", "https://example.com"),
        ("<mailto:ana@example.com|Ana>", "Ana"),
        ("<!channel> <!here|here>", "@**all** @**all**"),
        ("<@U12|ana> in <#C1|kitchen>", "@ana in #kitchen"),
        ("<!date^1392734382^{date}|a day>", "a day"),
        ("1 &lt; 2 &amp;&amp; `a &gt; *b*`", "1 < 2 && `a > *b*`"),
        ("```\n*not bold*\n```", "```\n*not bold*\n```"),
        ("<not a link>", "<not a link>"),
    ],
)
def test_slack_markup_is_converted(theirs, ours):
    assert slack_incoming.markup(theirs) == ours


def test_a_text_is_posted():
    report = message_for("slack_incoming", {"text": "Soup's *on*", "channel": "#kitchen"})

    assert (report.topic, report.text) == ("kitchen", "Soup's **on**")


def test_blocks_are_posted():
    blocks = [
        {"type": "header", "text": {"type": "plain_text", "text": "Soup *today*"}},
        {"type": "divider"},
        {
            "type": "section",
            "text": {"type": "mrkdwn", "text": "With *bread*"},
            "fields": [{"type": "mrkdwn", "text": "*Price* 3"}, {"type": "mrkdwn", "text": "hot"}],
        },
        {"type": "context", "elements": [{"type": "mrkdwn", "text": "by _Ben_"}]},
        {"type": "actions", "elements": [{"type": "button"}]},
        {"type": "image", "alt_text": "soup", "image_url": "https://example.com/soup.png"},
    ]

    report = message_for("slack_incoming", {"text": "for old clients", "blocks": blocks})

    assert report.text == (
        "## Soup *today*\n\n----\n\nWith **bread**\n\n* **Price** 3\n* hot\n\nby *Ben*\n\n"
        "[soup](https://example.com/soup.png)"
    )


def test_rich_text_is_posted():
    expected = [
        {"type": "text", "text": "Now: "},
        {"type": "text", "text": "soup", "style": {"bold": True, "italic": True}},
        {"type": "link", "url": "https://example.com", "text": "menu"},
        {"type": "emoji", "name": "tada"},
    ]
    items = [
        {"type": "rich_text_section", "elements": [{"type": "text", "text": each}]}
        for each in ("bread", "salt")
    ]
    rich = {
        "type": "rich_text",
        "elements": [
            {"type": "rich_text_section", "elements": expected},
            {"type": "rich_text_list", "style": "bullet", "elements": items},
            {"type": "rich_text_preformatted", "elements": [{"type": "text", "text": "x = 1"}]},
        ],
    }

    report = message_for("slack_incoming", {"blocks": [rich]})

    assert report.text == (
        "Now: ***soup***[menu](https://example.com):tada:\n* bread\n* salt\n```\nx = 1\n```"
    )


def test_attachments_are_below_the_text():
    attachment = {
        "fallback": "for old clients",
        "pretext": "Look:",
        "title": "Soup",
        "title_link": "https://example.com",
        "text": "*Hot*",
        "fields": [{"title": "Price", "value": "3", "short": True}],
        "footer": "kitchen",
        "ts": 1767261600,
    }

    report = message_for(
        "slack_incoming", {"text": "Lunch", "icon_emoji": ":soup:", "attachments": [attachment]}
    )

    assert report.text == (
        ":soup: Lunch\n\nLook:\n\n## [Soup](https://example.com)\n\n**Hot**\n\n"
        "* **Price**: 3\n\nkitchen\n\n<time:1767261600>"
    )


def test_an_empty_payload_is_refused():
    with pytest.raises(BadRequest, match="No text, blocks or attachments"):
        message_for("slack_incoming", {"channel": "#kitchen"})
