"""Searches with many hits: highlighting does not delay other requests."""

import threading
from typing import Any

import pytest

from tertulia.domain.search.highlight import Highlighter

NARROW = [{"operator": "search", "operand": "soup"}]


@pytest.mark.parametrize("path", ["/messages", "/messages/matches_narrow"])
def test_hits_are_highlighted_on_one_separate_thread(chat, monkeypatch, path):
    ana = chat.person("ana", channels=["kitchen"])
    sent = [ana.says(f"soup {number}", to="kitchen > soup").id for number in range(3)]
    threads = set()
    markup = Highlighter.markup

    def noted(self: Highlighter, rendered: str) -> str:
        threads.add(threading.current_thread().name)
        return markup(self, rendered)

    monkeypatch.setattr(Highlighter, "markup", noted)
    given: dict[str, Any] = {"msg_ids": sent}
    if path == "/messages":
        given = {"anchor": "newest", "num_before": 10, "num_after": 0}
    found = ana.get(path, narrow=NARROW, **given).succeeds()["messages"]

    marked = found.values() if isinstance(found, dict) else found
    assert [each["match_content"] for each in marked] == [
        f'<p><span class="highlight">soup</span> {number}</p>' for number in range(3)
    ]
    assert threads == {"highlights_0"}
