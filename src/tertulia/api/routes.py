"""The whole API, one line per route."""

from tertulia.api import (
    events,
    login,
    messages,
    reminders,
    scheduled_messages,
    server,
    subscriptions,
    users,
)
from tertulia.api.call import no_guest
from tertulia.http.routing import delete, get, patch, post

ROUTES = [
    # the server and logging in
    get("/server_settings", server.settings, access="public"),
    post("/fetch_api_key", login.fetch_api_key, access="public"),
    # events
    post("/register", events.register),
    get("/events", events.poll, long_poll=True),
    delete("/events", events.unregister),
    # messages
    get("/messages", messages.fetch_messages),
    post("/messages", messages.send_message, webhook_bots=True),
    get("/messages/{message_id}", messages.fetch_message),
    # flags and reading
    # reactions and emoji
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
    # subscriptions
    get("/users/me/subscriptions", subscriptions.mine),
    post("/users/me/subscriptions", subscriptions.subscribe, requires=no_guest),
    delete("/users/me/subscriptions", subscriptions.unsubscribe),
    # channel folders
    # groups
    # the organization
    # oneself: settings, status, presence, typing
    get("/users/me", users.me),
    # users
    get("/users", users.everyone, access="spectator"),
    get("/users/{user_id}", users.by_id),
    get("/users/{email}", users.by_email),
    # bots
    # markup
]
