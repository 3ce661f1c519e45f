"""Notion: https://developers.notion.com/reference/webhooks

An event names a page only by its id. Before the first event Notion sends a token that the user
pastes into Notion. Only the owner of the bot gets it, because Notion also signs with it.
"""

from tertulia.integrations.payload import WebhookRequest
from tertulia.integrations.phrases import code, humanize, line, link, quote_url
from tertulia.integrations.rejections import UnknownEvent
from tertulia.integrations.webhook_message import WebhookMessage

NAMES = {
    "page": "Page",
    "database": "Database",
    "data_source": "Data source",
    "comment": "Comment",
    "view": "View",
}


def to_message(request: WebhookRequest) -> WebhookMessage | None:
    payload = request.payload
    token = payload.words("verification_token")
    if token:
        text = (
            f"Notion's webhook has been set up. Its verification token is {code(token)}. Paste it"
            " in Notion, under Webhooks, Verify. With it as `webhook_secret` in the address, the"
            " server refuses everything that Notion did not sign."
        )
        return WebhookMessage("verification", "Notion", text, to_owner=True)
    event = payload.text("type")
    kind, _, verb = event.partition(".")
    if kind not in NAMES or not verb:
        raise UnknownEvent(event)
    entity = payload.get("entity")
    where = payload.words("data.page_id") if kind == "comment" else entity.text("id")
    address = f"https://www.notion.so/{quote_url(where.replace('-', ''))}"
    updated = payload.texts("data.updated_properties")
    what = f" ({len(updated)})" if updated else ""
    topic = line(payload.words("workspace_name")) or "Notion"
    return WebhookMessage(event, topic, f"{link(NAMES[kind], address)}: {humanize(verb)}{what}.")
