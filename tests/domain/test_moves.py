"""Moves: what resolving is, and how notices name a topic."""

from typing import Any

import pytest

from tertulia import domain
from tertulia.domain.channels.channel import Channel


@pytest.mark.parametrize(
    "old, new, toggles",
    [
        ("tea", "✔ tea", True),
        ("✔ tea", "tea", True),
        ("✔ ✔ tea", "tea", True),
        ("tea", "✔ coffee", False),
        ("✔ tea", "✔ coffee", False),
        ("✔ tea", "✔ ✔ tea", False),
        ("tea", "✔tea", False),
        ("tea", "coffee", False),
    ],
)
def test_a_topic_is_resolved_by_its_prefix_only(old, new, toggles):
    assert domain.messages.moves.toggles_resolved(old, new) is toggles


def channel(name):
    values: dict[str, Any] = dict.fromkeys(Channel.__struct_fields__)
    return Channel(**values | {"id": 7, "name": name})


@pytest.mark.parametrize(
    "name, topic, source, shown",
    [
        ("porch", "tea", "#**porch>tea**", "#porch &gt; tea"),
        ("porch", "", "#**porch>**", "#porch &gt; <em>general chat</em>"),
        ("a<b", "x & y", "[#a<b &#62; x &#38; y](", "#a&lt;b &gt; x &amp; y"),
        ("porch", "**bold**", "[#porch &#62; &#42;&#42;bold&#42;&#42;](", "#porch &gt; **bold**"),
    ],
)
def test_a_topic_is_named_in_both_forms(name, topic, source, shown):
    link = domain.messages.moves.topic_link(channel(name), topic, 5)

    assert link.source.startswith(source)
    assert link.html.endswith(f'/with/5">{shown}</a>')
    assert "<b" not in link.html.removeprefix('<a class="stream-topic"')
