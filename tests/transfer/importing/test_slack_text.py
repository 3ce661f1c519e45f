"""What Slack's messages show becomes Markdown."""

import pytest

from tertulia import markdown
from tertulia.markdown import Resolved, Settings
from tertulia.transfer.importing.sources import slack
from tertulia.transfer.importing.sources.attachments import end_quotations
from tertulia.transfer.importing.sources.slack_text import from_mrkdwn, message_text
from tertulia.transfer.model import channel, person


@pytest.mark.parametrize(
    "mrkdwn, expected",
    [
        ("*well* _said_ ~not~", "**well** *said* ~~not~~"),
        ("2 * 3 * 4 and a_b_c", "2 * 3 * 4 and a_b_c"),
        ("`*code* &lt;b&gt;` *bold*", "`*code* <b>` **bold**"),
        ("see ```x = *y*\nz``` there", "see \n```\nx = *y*\nz\n```\n there"),
        ("<https://x.org/_a_/b|the *page*>", "[the *page*](https://x.org/_a_/b)"),
        ("<https://x.org/?a=1&amp;b=2>", "https://x.org/?a=1&b=2"),
        ("<mailto:a@x.org|a@x.org>", "a@x.org"),
        ("<@U1|ana> in <#C1|kitchen>", f"{person('U1', 'ana')} in {channel('C1', 'kitchen')}"),
        ("<!here> <!subteam^S1|@cooks>", "@**all** @cooks"),
        ("&gt; quoted\nanswer", "> quoted\n\nanswer"),
        ("&gt; one\n&gt; two\n\nanswer", "> one\n> two\n\nanswer"),
        ("so:\n&gt;&gt;&gt;all\nof it", "so:\n> all\n> of it"),
        ("```\n&gt; no quotation\nhere\n```", "```\n> no quotation\nhere\n```"),
    ],
)
def test_slack_markup_becomes_markdown(mrkdwn, expected):
    assert from_mrkdwn(mrkdwn) == expected


def test_a_reply_below_a_quotation_is_not_quoted():
    html = markdown.render(end_quotations("> Soup?\nYes"), Resolved(), Settings()).html

    assert html == "<blockquote>\n<p>Soup?</p>\n</blockquote>\n<p>Yes</p>"


def rich(*elements, kind="rich_text_section", **more):
    return {"type": "rich_text", "elements": [{"type": kind, "elements": [*elements], **more}]}


def text(words, **style):
    return {"type": "text", "text": words} | ({"style": style} if style else {})


BLOCKS = {
    "a section": (
        {"type": "section", "text": {"type": "mrkdwn", "text": "*a*"}, "fields": [{"text": "b"}]},
        "**a**\nb",
    ),
    "a header": ({"type": "header", "text": {"type": "plain_text", "text": "Build"}}, "**Build**"),
    "context": (
        {
            "type": "context",
            "elements": [
                {"type": "image", "alt_text": "logo", "image_url": "https://x.org/l.png"},
                {"type": "mrkdwn", "text": "by <@U1>"},
            ],
        },
        f"logo by {person('U1')}",
    ),
    "a divider": ({"type": "divider"}, "---"),
    "buttons": (
        {
            "type": "actions",
            "elements": [
                {"type": "button", "text": {"type": "plain_text", "text": "Go"}, "url": "https://x"},
                {"type": "button", "text": {"type": "plain_text", "text": "No"}},
            ],
        },
        "[Go](https://x) [No]",
    ),
    "a picture": (
        {"type": "image", "title": {"text": "Pot"}, "image_url": "https://x/p", "alt_text": "pot"},
        "Pot\nhttps://x/p\npot",
    ),
    "rich text": (
        rich(
            text("see "),
            text("this ", bold=True, italic=True),
            {"type": "link", "url": "https://x", "text": "page"},
            text(" "),
            {"type": "user", "user_id": "U1"},
            {"type": "emoji", "name": "tada"},
            {"type": "broadcast", "range": "here"},
        ),
        f"see ***this*** [page](https://x) {person('U1')}:tada:@**all**",
    ),
    "code": (rich(text("a\nb"), kind="rich_text_preformatted"), "```\na\nb\n```"),
    "a quotation": (rich(text("a\nb"), kind="rich_text_quote"), "> a\n> b"),
    "a list": (
        rich(
            {"type": "rich_text_section", "elements": [text("salt")]},
            {"type": "rich_text_section", "elements": [text("bread")]},
            kind="rich_text_list",
            style="ordered",
        ),
        "1. salt\n2. bread",
    ),
    "a table": (
        {
            "type": "table",
            "rows": [[{"text": "a"}, {"text": "b"}], [rich(text("c"))]],
        },
        "| a | b |\n|---|---|\n| c |",
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", BLOCKS)
def test_a_block_becomes_text(case):
    block, expected = BLOCKS[case]

    assert message_text({"text": "", "blocks": [block]}) == expected


def test_only_new_content_of_a_summary_is_kept():
    section = {"type": "section", "text": {"type": "mrkdwn", "text": "Build 7 failed on main"}}

    assert message_text({"text": "Build 7 failed", "blocks": [section]}) == "Build 7 failed on main"
    assert message_text({"text": "Look!", "blocks": [section]}) == "Look!\n\nBuild 7 failed on main"
    assert message_text({"text": "*hi*", "blocks": [rich(text("hi", bold=True))]}) == "**hi**"


def test_an_attachment_becomes_a_quotation_below_the_text():
    attachment = {
        "fallback": "not shown",
        "pretext": "New deploy",
        "author_name": "CI",
        "title": "Build 7",
        "title_link": "https://ci.x/7",
        "text": "*passed*",
        "fields": [{"title": "Branch", "value": "main"}],
        "image_url": "https://ci.x/7.png",
        "footer": "ci.x",
    }

    assert message_text({"text": "Done", "attachments": [attachment]}) == (
        "Done\n\n> New deploy\n> **CI**\n> **[Build 7](https://ci.x/7)**\n> **passed**\n"
        "> **Branch**: main\n> https://ci.x/7.png\n> ci.x"
    )
    assert message_text({"attachments": [{"fallback": "only this"}]}) == "> only this"


@pytest.mark.parametrize(
    "before, after",
    [
        (b"https://f/x.png?t=xoxe-1-ab-2", b"https://f/x.png"),
        (rb"https:\/\/f\/x.png?t=xoxe-1-ab-2", rb"https:\/\/f\/x.png"),
        (b"https://f/x?t=xoxp-12&amp;w=1", b"https://f/x?w=1"),
        (rb"https://f/x?w=1\u0026t=xoxb-12", b"https://f/x?w=1"),
        (b"https://f/x?pub_secret=0aF9", b"https://f/x"),
        (b"https://f/x?t=20&list=xo", b"https://f/x?t=20&list=xo"),
    ],
)
def test_tokens_are_removed_from_urls(before, after):
    assert slack.without_tokens(before) == after
