"""What the texts of these tests may refer to: a few people, groups, channels and uploads."""

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

FOUND = Resolved.of(
    users=[
        MentionedUser(11, "Ann Lee"),
        MentionedUser(12, "Ben"),
        MentionedUser(13, "Twin"),
        MentionedUser(14, "Twin"),
        MentionedUser(15, "Old Tom", is_active=False),
    ],
    groups=[
        MentionedGroup(21, "cooks"),
        MentionedGroup(22, "closed", is_active=False),
        MentionedGroup(23, "role:administrators"),
    ],
    channels=[LinkedChannel(4, "kitchen"), LinkedChannel(5, "tea & cake (v1.0)")],
    newest_in_topic={(4, "lunch"): 77},
    uploads=[
        Upload(
            "1/ab/cat.png", "image/png", 160, 90, thumbnail="/user_uploads/thumbnail/1/ab/cat.png"
        ),
        Upload("1/cd/song.mp3", "audio/mpeg"),
        Upload("1/ef/slow.png", "image/png", 8, 9),
    ],
)

SETTINGS = Settings(
    base_url="https://chat.test",
    linkifiers=(
        LinkPattern(1, r"TASK-(?P<id>[0-9]+)", "https://tasks.example/{id}"),
        LinkPattern(2, r"(?P<kind>doc|note)/(?P<name>[a-z]+)", "https://{kind}.example/{?name}"),
    ),
    custom_emoji={"blob": "/user_avatars/1/emoji/blob.png"},
)


def rendered(source: str, settings: Settings = SETTINGS) -> Rendered:
    return markdown.render(source, FOUND, settings)


def html(source: str, settings: Settings = SETTINGS) -> str:
    return rendered(source, settings).html
