"""UptimeRobot: https://help.uptimerobot.com/en/articles/11361363-uptimerobot-alert-contacts-webhooks

It sends its variables in the body or in the URL.
"""

from tertulia.integrations.payload import WebhookRequest
from tertulia.integrations.phrases import fact_list, humanize, line, link, with_quote
from tertulia.integrations.rejections import UnexpectedPayload
from tertulia.integrations.webhook_message import WebhookMessage

STATES = {
    "1": ("down", ":alert: {name} is down"),
    "2": ("up", ":squared_ok: {name} is up"),
    "3": ("ssl_expiry", ":warning: The certificate of {name} expires soon"),
}
# In the template for Zulip, whose variables have other names.
ZULIP_KINDS = {"down": "1", "up": "2"}


def to_message(request: WebhookRequest) -> WebhookMessage | None:
    def value(name: str) -> str:
        return request.payload.words(name) or request.query.get(name, "").strip()

    kind = value("alertType") or ZULIP_KINDS.get(value("alert_type_friendly_name").lower(), "")
    if kind not in STATES:
        raise UnexpectedPayload("alertType")
    event, headline = STATES[kind]
    address = value("monitorURL") or value("monitor_url")
    name = value("monitorFriendlyName") or value("monitor_friendly_name") or address
    if not name:
        raise UnexpectedPayload("monitorFriendlyName")
    named = link(name, address)
    duration = value("alertDuration")
    about = fact_list(
        [
            (
                "Duration",
                f"{line(duration)} seconds"
                if duration.isdecimal()
                else line(value("alert_friendly_duration")),
            ),
            ("Expires", line(value("sslExpiryDate"))),
            ("State", "" if event != "ssl_expiry" else humanize(value("alertTypeFriendlyName"))),
        ]
    )
    text = with_quote(headline.format(name=named), value("alertDetails") or value("alert_details"))
    return WebhookMessage(event, line(name), f"{text}\n\n{about}".rstrip())
