"""Navigation views: each user arranges their own sidebar."""

import pytest

ALERTED = {"fragment": "narrow/is/alerted", "is_pinned": True, "name": "Watched"}


def views(person):
    found = person.get("/navigation_views").succeeds()["navigation_views"]
    state = person.registers(fetch_event_types=["navigation_views"])["navigation_views"]
    assert state == found
    return found


def test_a_view_is_added_changed_and_removed_for_its_owner_only(chat, ana):
    queue, others = ana.listens_for("navigation_view"), chat.person("ben").listens_for()

    ana.post("/navigation_views", **ALERTED).succeeds()
    ana.post("/navigation_views", fragment="inbox", is_pinned=False).succeeds()
    ana.patch("/navigation_views/narrow/is/alerted", name="Words", is_pinned=True).succeeds()
    inbox = {"fragment": "inbox", "is_pinned": False, "name": None}
    assert views(ana) == [inbox, ALERTED | {"name": "Words"}]
    ana.delete("/navigation_views/inbox").succeeds()

    assert queue.all() == [
        {"type": "navigation_view", "op": "add", "navigation_view": ALERTED},
        {"type": "navigation_view", "op": "add", "navigation_view": inbox},
        {
            "type": "navigation_view",
            "op": "update",
            "fragment": "narrow/is/alerted",
            "data": {"name": "Words"},
        },
        {"type": "navigation_view", "op": "remove", "fragment": "inbox"},
    ]
    assert others.silent()


@pytest.mark.parametrize(
    "view, msg",
    [
        ({"fragment": "inbox", "name": "In"}, "Built-in views cannot have a custom name."),
        ({"fragment": "narrow/x"}, "Custom views must have a valid name."),
        ({"fragment": "narrow/is/alerted", "name": "New"}, "Navigation view already exists."),
        ({"fragment": "narrow/y", "name": "Watched"}, "Navigation view already exists."),
        ({"fragment": " ", "name": "New"}, "fragment cannot be blank"),
    ],
)
def test_invalid_views_are_refused(ana, view, msg):
    ana.post("/navigation_views", **ALERTED).succeeds()

    ana.post("/navigation_views", is_pinned=True, **view).fails(msg)

    assert views(ana) == [ALERTED]


def test_a_missing_view_cannot_be_changed(chat, ana):
    chat.person("ben").post("/navigation_views", **ALERTED).succeeds()
    gone = {"status": 404, "code": "BAD_REQUEST"}

    path = "/navigation_views/narrow/is/alerted"
    ana.patch(path, is_pinned=False).fails("Navigation view does not exist.", **gone)
    ana.delete(path).fails("Navigation view does not exist.", **gone)
