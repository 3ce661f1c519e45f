"""Everybody can use it: axe finds nothing, in light and dark, on a phone, from the right."""

from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe

PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}
LOOKS: dict[str, dict[str, Any]] = {
    "light": {"color_scheme": "light"},
    "dark": {"color_scheme": "dark"},
    "phone": {**PHONE, "color_scheme": "dark"},
    "rtl": {},
}

RICH = """**Everything** at once: `code`, @**Ana**, :tada:, [a link](https://example.com),
$$f = x^2$$ and <time:2026-11-15T10:00:00Z>.

| Time | What |
|---|---|
| 18:00 | doors |

```python
def soup(guests): return guests * 0.3  # litres
```

```spoiler The end
It was the dog.
```

> Somebody said so.
"""


@pytest.fixture
def lively(house):
    """Somebody who has read some things, and to whom others have said much."""
    ana, ben = house.people("ana", "ben", channels=["kitchen", "garden"])
    first = ben.says(RICH, to="kitchen > lunch")
    ana.says("Yes", to="kitchen > lunch")
    ben.says("Only for you", to=[ana])
    ben.says("Grass", to="garden > ✔ mowing")
    ana.post(f"/messages/{first.id}/reactions", emoji_name="heart").succeeds()
    ana.post("/messages/flags", messages=[first.id], op="add", flag="starred").succeeds()
    ben.says("/poll Soup?\nyes\nof course", to="kitchen > votes")
    return ana, ben


@pytest.fixture
def views(house, lively):
    _, ben = lively
    kitchen = house.channel("kitchen").id
    return {
        "topic": f"#narrow/channel/{kitchen}-kitchen/topic/lunch",
        "feed": "#feed",
        "inbox": "#inbox",
        "channel": f"#topics/channel/{kitchen}-kitchen",
        "recent": "#recent",
        "votes": f"#narrow/channel/{kitchen}-kitchen/topic/votes",
        "direct": f"#narrow/dm/{ben.id}-Ben",
        "starred": "#narrow/is/starred",
        "mentions": "#narrow/is/mentioned",
        "found": "#narrow/search/soup",
        "search": "#search",
    }


ALL_VIEWS = [("light", 11), ("dark", 11), ("phone", 11), ("rtl", 11)]
SOME_VIEWS = [("light", 4), ("dark", 1), ("phone", 2), ("rtl", 1)]


@pytest.mark.parametrize(
    "look, most",
    [*SOME_VIEWS, *(pytest.param(*each, marks=pytest.mark.soak) for each in ALL_VIEWS)],
)
def test_axe_finds_nothing(lively, views, sit, look, most):
    at_anas = sit(lively[0], **LOOKS[look])
    found = []
    for view in [*views.values()][:most]:
        at_anas.goes(view)
        if look == "rtl":
            at_anas.page.evaluate("document.documentElement.dir = 'rtl'")
        report = Axe().run(at_anas.page)
        if report.response["violations"]:
            found.append(f"{view}\n{report.generate_report()}")

    assert not found, "\n".join(found)


@pytest.mark.parametrize(
    "width, right_to_left", [(320, False), pytest.param(640, True, marks=pytest.mark.soak)]
)
def test_nothing_is_wider_than_a_small_window(lively, views, sit, width, right_to_left):
    at_anas = sit(lively[0], viewport={"width": width, "height": 640})
    for name, view in views.items():
        at_anas.goes(view)
        if right_to_left:
            at_anas.page.evaluate("document.documentElement.dir = 'rtl'")
        wide = at_anas.page.evaluate("document.documentElement.scrollWidth - innerWidth")
        assert wide <= 0, f"{name} is {wide} pixels too wide"
