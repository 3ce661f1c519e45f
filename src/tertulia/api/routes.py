"""The whole API, one line per route."""

from tertulia.api import (
    channels,
    editing,
    emoji,
    events,
    flags,
    folders,
    groups,
    login,
    messages,
    reactions,
    realm,
    reminders,
    scheduled_messages,
    server,
    subscriptions,
    users,
)
from tertulia.api.call import administrator, no_guest
from tertulia.http.routing import delete, get, patch, post

ROUTES = [
    # the server and logging in
    get("/server_settings", server.settings, access="public"),
    post("/fetch_api_key", login.fetch_api_key, access="public"),
    # events
    post("/register", events.register, access="spectator"),
    get("/events", events.poll, long_poll=True),
    delete("/events", events.unregister),
    # messages
    get("/messages", messages.fetch_messages, access="spectator"),
    post("/messages", messages.send_message, webhook_bots=True),
    get("/messages/{message_id}", messages.fetch_message, access="spectator"),
    patch("/messages/{message_id}", editing.update),
    delete("/messages/{message_id}", editing.delete),
    get("/messages/{message_id}/history", editing.history),
    # flags and reading
    post("/messages/flags", flags.update),
    post("/mark_all_as_read", flags.mark_all_as_read),
    post("/mark_stream_as_read", flags.mark_stream_as_read),
    post("/mark_topic_as_read", flags.mark_topic_as_read),
    get("/messages/{message_id}/read_receipts", flags.read_receipts),
    # reactions and emoji
    post("/messages/{message_id}/reactions", reactions.add),
    delete("/messages/{message_id}/reactions", reactions.remove),
    get("/realm/emoji", emoji.everything),
    post(
        "/realm/emoji/{emoji_name}",
        emoji.add,
        requires=emoji.human_member,
        max_body=emoji.MAX_BODY,
    ),
    delete("/realm/emoji/{emoji_name}", emoji.deactivate, requires=emoji.human_member),
    # scheduled messages and reminders
    get("/scheduled_messages", scheduled_messages.mine),
    post("/scheduled_messages", scheduled_messages.create),
    patch("/scheduled_messages/{scheduled_message_id}", scheduled_messages.edit),
    delete("/scheduled_messages/{scheduled_message_id}", scheduled_messages.delete),
    get("/reminders", reminders.mine),
    post("/reminders", reminders.create),
    delete("/reminders/{reminder_id}", reminders.delete),
    # drafts and snippets
    # channels and topics
    get("/streams", channels.everything),
    post("/channels/create", channels.create, requires=no_guest),
    get("/get_stream_id", channels.id_of),
    get("/streams/{stream_id}", channels.one),
    patch("/streams/{stream_id}", channels.edit),
    delete("/streams/{stream_id}", channels.archive),
    get("/streams/{stream_id}/members", channels.members),
    get("/streams/{stream_id}/email_address", channels.email_address),
    get("/users/me/{stream_id}/topics", channels.topics, access="spectator"),
    post("/default_streams", channels.add_default, requires=administrator),
    delete("/default_streams", channels.remove_default, requires=administrator),
    post("/streams/{stream_id}/delete_topic", editing.delete_topic, requires=administrator),
    # subscriptions
    get("/users/me/subscriptions", subscriptions.mine),
    post("/users/me/subscriptions", subscriptions.subscribe, requires=no_guest),
    patch("/users/me/subscriptions", subscriptions.edit),
    delete("/users/me/subscriptions", subscriptions.unsubscribe),
    post("/users/me/subscriptions/properties", subscriptions.set_properties),
    patch("/users/me/subscriptions/{stream_id}", subscriptions.set_property),
    get("/users/{user_id}/channels", channels.of_user),
    get("/users/{user_id}/subscriptions/{stream_id}", channels.is_subscribed),
    # channel folders
    get("/channel_folders", folders.everything),
    patch("/channel_folders", folders.reorder, requires=administrator),
    post("/channel_folders/create", folders.create, requires=administrator),
    patch("/channel_folders/{channel_folder_id}", folders.edit, requires=administrator),
    # groups
    get("/user_groups", groups.everything, requires=no_guest),
    post("/user_groups/create", groups.create, requires=no_guest),
    patch("/user_groups/{group_id}", groups.edit, requires=no_guest),
    post("/user_groups/{group_id}/deactivate", groups.deactivate),
    get("/user_groups/{group_id}/members", groups.members, requires=no_guest),
    post("/user_groups/{group_id}/members", groups.change_members, requires=no_guest),
    get("/user_groups/{group_id}/members/{user_id}", groups.is_member, requires=no_guest),
    get("/user_groups/{group_id}/subgroups", groups.subgroups, requires=no_guest),
    post("/user_groups/{group_id}/subgroups", groups.change_subgroups, requires=no_guest),
    # the organization
    patch("/realm", realm.edit, requires=administrator),
    # oneself: settings, status, presence, typing
    get("/users/me", users.me),
    # users
    get("/users", users.everyone, access="spectator"),
    get("/users/{user_id}", users.by_id),
    get("/users/{email}", users.by_email),
    # bots
    # markup
]
