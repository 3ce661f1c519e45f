"""Guests never hold a permission that cannot be given to everyone.

Naming a guest, or a group with a guest, is no error. It has no effect.
"""

import pytest
from tests.support.people import Chat, Person


def in_a_group_of_two(owner: Person, gus: Person) -> int:
    made = owner.post(
        "/user_groups/create", name="pair", description="", members=[owner.id, gus.id]
    )
    group_id: int = made.succeeds()["group_id"]
    return group_id


@pytest.mark.parametrize("by_group", [False, True], ids=["named", "in a group"])
def test_a_guest_cannot_administer_a_channel(by_group: bool, chat: Chat) -> None:
    owner, gus = chat.person("owner", role="owner"), chat.person("gus", role="guest")
    group = in_a_group_of_two(owner, gus)
    value = group if by_group else {"direct_members": [gus.id], "direct_subgroups": []}
    permissions = ("can_administer_channel_group", "can_add_subscribers_group")
    owner.joins("den", principals=[owner.id, gus.id], **dict.fromkeys(permissions, value))
    den = f"/streams/{chat.channel('den').id}"

    gus.patch(den, description="mine").fails(
        "You do not have permission to administer this channel."
    )

    added = gus.post(
        "/users/me/subscriptions", subscriptions=[{"name": "den"}], principals=[owner.id]
    )
    added.fails("Not allowed for guest users")


@pytest.mark.parametrize("by_group", [False, True], ids=["named", "in a group"])
def test_a_guest_does_not_see_a_private_channel_without_subscription(
    by_group: bool, chat: Chat
) -> None:
    owner, gus = chat.person("owner", role="owner"), chat.person("gus", role="guest")
    group = in_a_group_of_two(owner, gus)
    value = group if by_group else {"direct_members": [gus.id], "direct_subgroups": []}
    queue = gus.listens_for("stream")
    owner.joins("den", invite_only=True, can_subscribe_group=value)
    den = chat.channel("den").id

    hidden = gus.get(f"/streams/{den}")

    hidden.fails("Invalid channel ID")
    state = gus.registers(fetch_event_types=["stream", "subscription"])
    known = [*state["streams"], *state["subscriptions"], *state["never_subscribed"]]
    assert den not in [each["stream_id"] for each in known]
    owner.post(f"/user_groups/{group}/members", delete=[gus.id]).succeeds()
    owner.post(f"/user_groups/{group}/members", add=[gus.id]).succeeds()
    assert queue.silent()


@pytest.mark.parametrize("by_group", [False, True], ids=["named", "in a group"])
def test_a_guest_does_not_hold_permissions_of_members(by_group: bool, chat: Chat) -> None:
    owner, gus = chat.person("owner", role="owner"), chat.person("gus", role="guest")
    group = in_a_group_of_two(owner, gus)
    value = group if by_group else {"direct_members": [gus.id], "direct_subgroups": []}
    for setting in (
        "can_manage_all_groups",
        "can_create_public_channel_group",
        "can_create_private_channel_group",
        "can_mention_many_users_group",
    ):
        owner.patch("/realm", **{setting: {"new": value}}).succeeds()

    state = gus.registers(fetch_event_types=["realm_user"])

    assert (state["can_create_public_streams"], state["can_create_private_streams"]) == (
        False,
        False,
    )
    gus.post(f"/user_groups/{group}/deactivate").fails("Insufficient permission")
    for private in (False, True):
        made = gus.post(
            "/users/me/subscriptions", subscriptions=[{"name": "den"}], invite_only=private
        )
        made.fails("Not allowed for guest users")
