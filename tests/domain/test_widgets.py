"""Widgets that were stored elsewhere: which of their parts an import keeps."""

import json

import pytest

from tertulia import domain


@pytest.mark.parametrize(
    "part",
    [
        {"widget_type": "poll", "extra_data": {"question": "Which soup?", "options": ["pea"]}},
        {"widget_type": "from the future", "extra_data": 1},
        {"type": "vote", "key": "canned,0", "vote": 1},
        {"type": "vote", "key": "1234,7", "vote": -1},
        {"type": "strike", "key": "0,canned"},
    ],
)
def test_widget_parts_that_clients_can_read(part):
    assert domain.messages.widgets.is_readable(json.dumps(part))


@pytest.mark.parametrize(
    "content",
    [
        "not json",
        "[]",
        '{"widget_type": "poll", "extra_data": {"options": "pea"}}',
        '{"widget_type": ["poll"]}',
        '{"type": "vote", "key": "abc", "vote": 1}',
        '{"type": "vote", "key": "0x1,1", "vote": 1}',
        '{"type": "vote", "key": "canned,0", "vote": 3}',
        '{"type": "strike", "key": "abc"}',
        '{"type": "strike", "key": "canned,0"}',
    ],
)
def test_widget_parts_that_clients_cannot_read(content):
    assert not domain.messages.widgets.is_readable(content)
