"""Channel events at other moments: after a restart, after a promotion."""

from typing import Any

from tests.support.people import Chat

from tertulia.domain.people.user import Role

MODERN = {"notification_settings_null": True, "archived_channels": True}


def test_channel_events_are_the_same_after_a_restart(own_chat):
    chat = own_chat
    ana, ben, cleo = chat.people("ana", "ben", "cleo")
    gus, admin = chat.person("gus", role="guest"), chat.person("admin", role="admin")
    everybody = [ana, ben, cleo, gus, admin]
    wanted = ("stream", "subscription", "default_streams", "channel_folder")
    live = [who.listens_for(*wanted, client_capabilities=MODERN) for who in everybody]
    late = [who.listens_for(*wanted, client_capabilities=MODERN) for who in everybody]

    ana.joins("kitchen", "vault", principals=[ana.id, ben.id], invite_only=True)
    ana.joins("garden")
    kitchen = f"/streams/{chat.channel('kitchen').id}"
    ana.patch(kitchen, is_private=False).succeeds()
    ana.joins("kitchen", "garden", principals=[cleo.id, gus.id])
    ben.leaves("vault", "kitchen")
    ana.patch(kitchen, is_private=True).succeeds()
    ana.patch(kitchen, can_subscribe_group={"new": chat.group("members")}).succeeds()
    ana.patch(kitchen, can_subscribe_group={"new": chat.group("nobody")}).succeeds()
    cleo.patch(
        f"/users/me/subscriptions/{chat.channel('garden').id}", property="is_muted", value=True
    ).succeeds()
    ana.leaves("kitchen", principals=[gus.id])
    ben.joins("garden")
    admin.post("/channel_folders/create", name="House", description="").succeeds()
    received = [_gist(queue.all()) for queue in live]
    chat.server.restart()

    assert [_gist(queue.all()) for queue in late] == received
    assert all(received)


def _gist(events: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Events without the settings of channels: those have their current values, and later events
    agree."""
    kept = {"stream_id", "subscriber_count", "subscribers", "first_message_id", "color"}

    def cut(entries: list[dict[str, Any]]) -> list[dict[str, Any]]:
        return [{key: entry[key] for key in entry.keys() & kept} for entry in entries]

    return [
        {
            key: cut(value) if key in ("streams", "subscriptions") else value
            for key, value in event.items()
        }
        for event in events
    ]


def test_a_promotion_reveals_channels(chat: Chat):
    root = chat.person("root", role="owner")
    ana, ben, cleo = chat.people("ana", "ben", "cleo")
    ana.joins("vault", invite_only=True)
    vault = chat.channel("vault").id
    bens, cleos = (who.listens_for("stream", "subscription") for who in (ben, cleo))

    for role in (Role.ADMINISTRATOR, Role.MEMBER):
        root.patch(f"/users/{ben.id}", role=int(role)).succeeds()

    created, peers, deleted = bens.all()
    assert (created["op"], created["streams"][0]["name"]) == ("create", "vault")
    assert (peers["op"], peers["user_ids"]) == ("peer_add", [ana.id])
    assert (deleted["op"], deleted["stream_ids"]) == ("delete", [vault])
    assert cleos.silent()
