"""What a rendering tells besides the HTML: whom it mentions, what it links to."""

import pytest
from tests.markdown.sample_names import FOUND, SETTINGS, html, rendered

from tertulia import markdown
from tertulia.markdown import LinkPattern, Rendered, Settings


@pytest.mark.parametrize(
    "source, users, groups, channel, topic",
    [
        ("hello", set(), set(), False, False),
        ("@**Ann Lee** and @**Ben**", {11, 12}, set(), False, False),
        ("@**Ann Lee** @**|11**", {11}, set(), False, False),
        ("@_**Ann Lee** @_*cooks* @_**all** @_**topic**", set(), set(), False, False),
        ("@*cooks*", set(), {21}, False, False),
        ("@*closed* @**Old Tom**", set(), set(), False, False),
        ("@**everyone**", set(), set(), True, False),
        ("@**topic**", set(), set(), False, True),
        ("> @**Ann Lee** @**all** @*cooks* @**topic**", set(), set(), False, False),
        ("```quote\n@**Ann Lee**\n```", set(), set(), False, False),
        ("```quote\n```spoiler @**Ann Lee**\n@**Ben**\n```\n```", set(), set(), False, False),
        ("`@**Ann Lee**`", set(), set(), False, False),
        ("```\n@**all**\n```", set(), set(), False, False),
        ("    @**all**", set(), set(), False, False),
        ("```spoiler @**Ann Lee**\n@**Ben**\n```", {11, 12}, set(), False, False),
        ("# @**Ann Lee**", {11}, set(), False, False),
        ("| @**Ann Lee** | b |\n|---|---|\n| @**all** | d |", {11}, set(), True, False),
        ("[@**Ann Lee**](https://h.example)", {11}, set(), False, False),
        ("- @**Ann Lee**\n  - @*cooks*", {11}, {21}, False, False),
        ("> @**Ann Lee**\n\n@**Ben**", {12}, set(), False, False),
        ("~~@**Ann Lee**~~", set(), set(), False, False),
    ],
)
def test_mentions_are_returned(
    source: str, users: set[int], groups: set[int], channel: bool, topic: bool
) -> None:
    result = rendered(source)

    assert result.mentioned_user_ids == users
    assert result.mentioned_group_ids == groups
    assert (result.mentions_channel, result.mentions_topic) == (channel, topic)


@pytest.mark.parametrize(
    "source, links",
    [
        ("no link", ()),
        ("https://h.example", ("https://h.example",)),
        ("example.org and [x](https://h.example)", ("http://example.org", "https://h.example")),
        ("[b](https://b.example) https://a.example", ("https://b.example", "https://a.example")),
        ("https://a.example https://a.example", ("https://a.example",)),
        ("**see https://a.example now**", ("https://a.example",)),
        ("TASK-5", ("https://tasks.example/5",)),
        ("#**kitchen**", ("/#narrow/channel/4-kitchen",)),
        ("`https://a.example`", ()),
        ("ann@example.org", ("mailto:ann@example.org",)),
    ],
)
def test_links_are_returned_once_and_in_order(source: str, links: tuple[str, ...]) -> None:
    result = rendered(source)

    assert result.links == links
    assert result.has_link is bool(links)


@pytest.mark.parametrize(
    "source, image, attachment",
    [
        ("https://h.example/a.png", True, ()),
        ("https://h.example/a.txt", False, ()),
        ("> https://h.example/a.png", False, ()),
        ("[cat](/user_uploads/1/ab/cat.png)", True, ("1/ab/cat.png",)),
        ("![cat](/user_uploads/1/ab/cat.png)", True, ("1/ab/cat.png",)),
        ("[a](/user_uploads/1/xy/a.txt)", False, ("1/xy/a.txt",)),
        ("https://chat.test/user_uploads/1/xy/a.txt", False, ("1/xy/a.txt",)),
        ("`/user_uploads/1/xy/a.txt`", False, ()),
    ],
)
def test_images_and_attachments_are_returned(
    source: str, image: bool, attachment: tuple[str, ...]
) -> None:
    result = rendered(source)

    assert result.has_image is image
    assert result.attachment_path_ids == attachment
    assert result.has_attachment is bool(attachment)


@pytest.mark.parametrize(
    "source, is_me",
    [("/me waves", True), ("/me", False), (" /me waves", False), ("/meow x", False), ("x", False)],
)
def test_a_me_message_is_recognized(source: str, is_me: bool) -> None:
    assert rendered(source).is_me_message is is_me


def test_the_same_input_gives_the_same_result() -> None:
    source = "@**Ann Lee** :tada: https://h.example/a.png $$x$$ TASK-1\n\n- a\n- b"

    assert rendered(source) == rendered(source)


def test_previews_can_be_off() -> None:
    quiet = Settings(image_previews=False)

    assert markdown.render("https://h.example/a.png", settings=quiet) == Rendered(
        '<p><a href="https://h.example/a.png">https://h.example/a.png</a></p>',
        links=("https://h.example/a.png",),
        has_link=True,
    )


def test_a_message_with_too_many_previews_has_none() -> None:
    source = " ".join(f"https://h.example/{number}.png" for number in range(25))

    assert "message_inline_image" not in html(source)
    assert "message_inline_image" in html(source.rpartition(" ")[0])


def test_the_default_language_is_used_where_none_is_named() -> None:
    python = Settings(default_code_language="python")

    assert 'data-code-language="Python"' in html("```\npass\n```", python)
    assert 'data-code-language="JavaScript"' in html("```js\nx\n```", python)


def test_how_much_code_is_highlighted_depends_on_the_message_alone() -> None:
    """In pieces, of which these lines have four each; a little less in a language that is rare."""

    def is_highlighted(language: str, *lines: int) -> list[bool]:
        blocks = [f"```{language}\n{chr(10).join(['xy=100'] * count)}\n```" for count in lines]
        return ['<span class="' in part for part in html("\n".join(blocks)).split("<div")[1:]]

    assert is_highlighted("python", 500) == [True]
    assert is_highlighted("python", 501) == [False]
    assert is_highlighted("python", 250, 300, 200) == [True, False, True]
    assert is_highlighted("abap", 100) == [True]
    assert is_highlighted("abap", 101) == [False]
    assert is_highlighted("abap", 48, 48, 48, 48, 48, 8) == [True] * 4 + [False, True]


@pytest.mark.parametrize(
    "source, language",
    [
        (f"{'x' * 81} = 1", "python"),
        (f"x = {'1 +' * 200} 1", "python"),
        (f"x = 1{chr(10) * 13}y = 2", "python"),
        (f"x ={' ' * 81}1", "python"),
        (f"{'word ' * 31}()", "java"),
        ("<!--<!--", "mcschema"),  # whose lexer would never come to an end
    ],
)
def test_text_that_cannot_be_highlighted_is_plain(source: str, language: str) -> None:
    assert "<span class=" not in html(f"```{language}\n{source}\n```")


@pytest.mark.parametrize(
    "source, name",
    [
        (":)", "slight_smile"),
        ("hi :( there", "frown"),
        ("<3", "heart"),
        ("(;))", "wink"),
        (":D!", "smile"),
    ],
)
def test_emoticons_become_emoji_where_the_sender_wants_them(source: str, name: str) -> None:
    assert f":{name}:" in html(source, Settings(translate_emoticons=True))
    assert f":{name}:" not in html(source)


@pytest.mark.parametrize("source", ["x:)", ":)x", "http://a.example/:)x", "`:)`", ":-)"])
def test_an_emoticon_needs_white_space_or_punctuation_around_it(source: str) -> None:
    assert "emoji" not in html(source, Settings(translate_emoticons=True))


def test_a_description_is_one_line_without_previews() -> None:
    assert markdown.render_description(
        "About *tea*\nhttps://h.example/a.png", settings=SETTINGS
    ) == ('<p>About <em>tea</em> <a href="https://h.example/a.png">https://h.example/a.png</a></p>')


def test_a_profile_text_keeps_its_lines() -> None:
    assert markdown.render_text("I like\n- *tea*\n- @**Ben**", FOUND) == (
        "<p>I like</p>\n<ul>\n<li><em>tea</em></li>\n"
        '<li><span class="user-mention" data-user-id="12">@Ben</span></li>\n</ul>'
    )


@pytest.mark.parametrize(
    "topic, links",
    [
        ("lunch", []),
        (
            "TASK-1, TASK-2",
            [("TASK-1", "https://tasks.example/1"), ("TASK-2", "https://tasks.example/2")],
        ),
        ("see example.org", [("example.org", "https://example.org")]),
        (
            "https://h.example/x TASK-3",
            [("https://h.example/x", "https://h.example/x"), ("TASK-3", "https://tasks.example/3")],
        ),
        (
            "TASK-3 https://h.example/x",
            [("TASK-3", "https://tasks.example/3"), ("https://h.example/x", "https://h.example/x")],
        ),
        ("`TASK-4`", []),
        ("https://h.example/(x)", []),
    ],
)
def test_links_in_a_topic_come_in_the_order_of_the_text(
    topic: str, links: list[tuple[str, str]]
) -> None:
    expected = [{"text": text, "url": url} for text, url in links]

    assert markdown.render_topic_links(topic, SETTINGS.linkifiers) == expected


def test_two_linkifiers_never_match_the_same_text() -> None:
    greedy = LinkPattern(9, r"(?P<all>TASK-[0-9]+ now)", "https://now.example/")

    assert markdown.render_topic_links("TASK-1 now", (*SETTINGS.linkifiers, greedy)) == [
        {"text": "TASK-1", "url": "https://tasks.example/1"}
    ]
