"""Rollbar: https://docs.rollbar.com/docs/webhooks"""

from tertulia.integrations.payload import Payload, WebhookRequest
from tertulia.integrations.phrases import (
    code,
    fact_list,
    humanize,
    line,
    link,
    quote_url,
    strong,
    with_quote,
)
from tertulia.integrations.rejections import UnknownEvent
from tertulia.integrations.webhook_message import WebhookMessage

ITEM_EVENTS = {
    "new_item": ":alert: New item {item}",
    "occurrence": "{item} occurred",
    "exp_repeat_item": ":alert: {item} occurred {count} times",
    "item_velocity": ":alert: {item} occurs often",
    "reactivated_item": ":alert: {item} occurred again",
    "reopened_item": ":alert: {item} was reopened",
    "resolved_item": ":squared_ok: {item} was resolved",
}
EVENT_NAMES = [*ITEM_EVENTS, "deploy", "test"]
LEVELS = {"50": "critical", "40": "error", "30": "warning", "20": "info", "10": "debug"}


def to_message(request: WebhookRequest) -> WebhookMessage | None:
    payload = request.payload
    event, data = payload.text("event_name"), payload.find("data")
    if event == "test":
        text = with_quote("Rollbar's webhook has been set up", data.words("message"))
        return WebhookMessage(event, "Rollbar", text)
    if event == "deploy":
        return WebhookMessage(event, *_deploy(data.get("deploy")))
    if event not in ITEM_EVENTS:
        raise UnknownEvent(event)
    item = data.get("item")
    title = item.text("title")
    counter = item.words("counter")
    name = f"#{counter} {title}" if counter else title
    named = link(name, _address(data, item))
    times = data.words("occurrences") or item.words("total_occurrences") or "many"
    level = item.words("last_occurrence.level") or data.words("occurrence.level")
    level = level or LEVELS.get(item.words("level"), item.words("level"))
    about = fact_list(
        [
            ("Environment", line(item.words("environment"))),
            ("Level", line(level)),
            ("Occurrences", line(item.words("total_occurrences"))),
        ]
    )
    headline = ITEM_EVENTS[event].format(item=named, count=line(times))
    return WebhookMessage(event, line(name), f"{headline}.\n\n{about}".rstrip())


def _address(data: Payload, item: Payload) -> str:
    number = item.words("id")
    link_to = data.words("url")
    return link_to or (f"https://rollbar.com/item/{quote_url(number)}/" if number else "")


def _deploy(deploy: Payload) -> tuple[str, str]:
    where = line(deploy.words("environment") or "an environment")
    revision = deploy.words("revision")
    what = f" {code(revision[:11])}" if revision else " a revision"
    who = line(deploy.words("local_username") or "Somebody")
    text = with_quote(f"{who} deployed{what} to {strong(where)}", deploy.words("comment"))
    return f"deploys / {humanize(where)}", text
