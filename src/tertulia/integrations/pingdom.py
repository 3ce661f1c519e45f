"""Pingdom: https://www.pingdom.com/resources/webhooks/"""

from tertulia.integrations.payload import WebhookRequest
from tertulia.integrations.phrases import fact_list, humanize, line, link, with_quote
from tertulia.integrations.webhook_message import WebhookMessage

SIGNS = {
    "UP": ":squared_ok:",
    "SUCCESS": ":squared_ok:",
    "DOWN": ":alert:",
    "FAILING": ":alert:",
}


def to_message(request: WebhookRequest) -> WebhookMessage | None:
    payload = request.payload
    name = payload.words("check_name") or payload.text("check_id")
    state = payload.text("current_state").upper()
    before = payload.words("previous_state")
    named = link(name, payload.words("check_params.full_url", "check_params.url"))
    change = f"{humanize(before)} → {humanize(state)}" if before else humanize(state)
    words = payload.words("long_description", "description", "custom_message")
    about = fact_list(
        [
            ("Type", line(payload.words("check_type"))),
            ("Host", line(payload.words("check_params.hostname"))),
            ("Importance", humanize(payload.words("importance_level"))),
            ("Seen from", line(payload.words("first_probe.location"))),
        ]
    )
    text = with_quote(f"{SIGNS.get(state, ':information:')} {named}: {change}", words)
    return WebhookMessage(state.lower(), f"{line(name)} status.", f"{text}\n\n{about}".rstrip())
