"""Splunk: https://docs.splunk.com/Documentation/Splunk/latest/Alert/Webhooks"""

from tertulia.integrations.payload import WebhookRequest
from tertulia.integrations.phrases import code, fact_list, line, link
from tertulia.integrations.webhook_message import WebhookMessage

MAX_FIELDS = 15


def to_message(request: WebhookRequest) -> WebhookMessage | None:
    payload = request.payload
    name = payload.words("search_name") or payload.text("sid")
    named = link(name, payload.words("results_link"))
    fields = [
        (line(field, 60), code(value))
        for field, value in payload.pairs("result").items()
        if not field.startswith("_") or field == "_raw"  # fields of Splunk's own
    ]
    about = fact_list(
        [
            ("App", line(payload.words("app"))),
            ("Owner", line(payload.words("owner"))),
            *fields[:MAX_FIELDS],
        ]
    )
    return WebhookMessage(
        "alert", line(name), f":alert: {named} found results.\n\n{about}".rstrip()
    )
