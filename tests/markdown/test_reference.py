"""A check for development: our HTML against recordings of the reference, where they are at hand.

They are no part of the project. Without them these tests are skipped.
"""

import json
import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from tertulia import markdown
from tertulia.markdown import (
    LinkedChannel,
    LinkPattern,
    MentionedGroup,
    MentionedUser,
    Rendered,
    Resolved,
    Settings,
    Upload,
)

REFERENCE = Path(__file__).parents[3] / "shared" / "reference"
MARKUP = REFERENCE / "recorded" / "markup.json"
EMOJI_NAMES = REFERENCE / "emoji-names.json"

# Every case that differs, by how it begins, and why.
EXPLAINED = {
    "> " * 150: "nesting ends at a hundred levels: time stays linear, and pages readable",
    "- " * 150: "the same",
    "1. " * 150: "the same",
    "```quote\n```spoiler x\ny\n```\n```": "the reference's tags overlap here; ours nest",
    "~~~quote\n```spoiler head\nbody\n```\n~~~": "the same",
    "```spoiler s\n[chart.png]": "the reference writes it twice, the second time in order",
}

KATEX = re.compile(
    r'<span class="katex"><span class="katex-mathml">.*?'
    r'<annotation encoding="application/x-tex">(.*?)</annotation></semantics></math></span>',
    re.DOTALL,
)
SPAN = re.compile(r"<(/?)span\b[^>]*>")


@pytest.fixture(scope="module")
def recorded() -> Any:
    if not MARKUP.exists():
        pytest.skip("no recordings here")
    return json.loads(MARKUP.read_text(encoding="utf-8"))


def test_html_equals_the_reference(recorded: Any, record_property: Any) -> None:
    world = World(recorded["world"])
    cases = recorded["cases"]
    different = [case for case in cases if not world.agrees(case)]

    same = 1 - len(different) / len(cases)
    groups = Counter(case["group"] for case in different)
    record_property("identical", f"{same:.2%}, different: {dict(groups)}")
    unexplained = [case["input"] for case in different if not is_explained(case["input"])]
    assert unexplained == []
    assert same >= 0.97


def test_mentions_and_flags_equal_the_reference(recorded: Any) -> None:
    world = World(recorded["world"])
    for case in recorded["cases"]:
        if "flags" not in case and "is_me_message" not in case:
            continue
        result = world.render(case)
        if "is_me_message" in case:
            assert result.is_me_message is case["is_me_message"], case["input"]
        for user_id, flags in case.get("flags", {}).items():
            assert ("mentioned" in flags) is (int(user_id) in world.mentioned(result)), case
            assert ("stream_wildcard_mentioned" in flags) is result.mentions_channel, case


def test_topic_links_equal_the_reference(recorded: Any) -> None:
    world = World(recorded["world"])
    for case in recorded["topic_links"]:
        assert (
            markdown.render_topic_links(case["topic"], world.settings.linkifiers)
            == case["topic_links"]
        )


def test_emoji_names_equal_the_reference() -> None:
    if not EMOJI_NAMES.exists():
        pytest.skip("no emoji names here")
    table = json.loads(EMOJI_NAMES.read_text(encoding="utf-8"))["code_to_names"]
    pairs = {name: code for code, names in table.items() for name in names}

    canonical = [
        code
        for code, names in table.items()
        if markdown.emoji_names.names_for(code)[:1] != (names[0],)
    ]

    assert canonical == []  # what a typed emoji is called
    assert {name: markdown.emoji_names.code_for(name) for name in pairs} == pairs


def is_explained(source: str) -> bool:
    return any(source.startswith(beginning) for beginning in EXPLAINED)


class World:
    """What the recorded texts refer to."""

    def __init__(self, world: Any) -> None:
        self.users = [
            MentionedUser(user["id"], user["full_name"], not user.get("deactivated"))
            for user in world["users"]
        ]
        self.groups = [
            MentionedGroup(group["id"], group["name"], not group.get("deactivated"))
            for group in world["groups"]
        ]
        self.members = {group["id"]: group.get("members", []) for group in world["groups"]}
        self.channels = [
            LinkedChannel(channel["id"], channel["name"])
            for channel in world["channels"]
            if channel["sender_subscribed"] or not channel["private"]
        ]
        self.newest: dict[tuple[int, str], int] = {}
        for message in world["messages"]:
            channel_id = (message["channel_id"], message["topic"].lower())
            self.newest[channel_id] = max(message["id"], self.newest.get(channel_id, 0))
        self.uploads = [_upload(upload) for upload in world["uploads"]]
        self.settings = Settings(
            base_url=world["base_url"],
            linkifiers=tuple(
                LinkPattern(entry["id"], entry["pattern"], entry["url_template"])
                for entry in world["linkifiers"]
            ),
            custom_emoji={entry["name"]: entry["source_url"] for entry in world["emoji"]},
        )

    def render(self, case: Any) -> Rendered:
        source = case["input"].rstrip() if case.get("sent") else case["input"]
        wanted = markdown.scan(source)
        found = Resolved.of(
            users=[
                user
                for user in self.users
                if user.id in wanted.user_ids or user.full_name.lower() in wanted.user_names
            ],
            groups=[group for group in self.groups if group.name in wanted.group_names],
            channels=[channel for channel in self.channels if channel.name in wanted.channel_names],
            newest_in_topic=self.newest,
            uploads=self.uploads,
        )
        return markdown.render(source, found, self.settings)

    def agrees(self, case: Any) -> bool:
        return by_source(self.render(case).html) == by_source(case["html"])

    def mentioned(self, result: Rendered) -> set[int]:
        groups = (self.members[group_id] for group_id in result.mentioned_group_ids)
        return set(result.mentioned_user_ids).union(*groups)


def _upload(upload: Any) -> Upload:
    path_id = upload["path"].removeprefix("/user_uploads/")
    width, _, height = upload.get("dimensions", "0x0").partition("x")
    thumbnail = f"/user_uploads/thumbnail/{path_id}/840x560.webp" if int(width) else ""
    return Upload(path_id, upload["content_type"], int(width), int(height), thumbnail=thumbnail)


def by_source(html: str) -> str:
    """The HTML with each formula replaced by its TeX, since two libraries draw it differently."""
    pieces = []
    done = 0
    while match := KATEX.search(html, done):
        pieces += [html[done : match.start()], "{", match[1], "}"]
        depth = 1  # the outer span is still open
        for span in SPAN.finditer(html, match.end()):
            depth += -1 if span[1] else 1
            if depth == 0:
                done = span.end()
                break
    return "".join([*pieces, html[done:]])
