"""Netlify: https://docs.netlify.com/site-deploys/notifications/ and
https://docs.netlify.com/manage/forms/notifications/"""

from tertulia.integrations.payload import Payload, WebhookRequest
from tertulia.integrations.phrases import code, fact_list, line, link, with_quote
from tertulia.integrations.rejections import UnknownEvent
from tertulia.integrations.webhook_message import WebhookMessage

EVENTS = {
    "deploy_building": ":time_ticking: {deploy} started",
    "deploy_created": ":check: {deploy} succeeded",
    "deploy_succeeded": ":check: {deploy} succeeded",
    "deploy_failed": ":cross_mark: {deploy} failed",
    "deploy_deleted": "{deploy} was deleted",
    "deploy_locked": ":locked: {deploy} was locked",
    "deploy_unlocked": ":unlocked: {deploy} was unlocked",
    "deploy_restored": "{deploy} was published again",
    "deploy_request_pending": "{deploy} waits for approval",
    "deploy_request_accepted": "{deploy} was approved",
    "deploy_request_rejected": "{deploy} was rejected",
}
EVENT_NAMES = [*EVENTS, "submission_created"]


def to_message(request: WebhookRequest) -> WebhookMessage | None:
    event = request.header("X-Netlify-Event")
    if event == "submission_created":
        return WebhookMessage(event, *_submission(request.payload))
    if event not in EVENTS:
        raise UnknownEvent(event)
    payload = request.payload
    name, branch = payload.text("name"), payload.words("branch")
    address = payload.words("deploy_ssl_url", "deploy_url", "ssl_url", "url")
    where = f" of {code(branch)}" if branch else ""
    named = f"{link(f'Deploy to {name}', address)}{where}"
    words = payload.words("error_message") or payload.words("title")
    text = with_quote(EVENTS[event].format(deploy=named), words)
    return WebhookMessage(event, line(branch or name), text, branch=branch or None)


def _submission(payload: Payload) -> tuple[str, str]:
    form = line(payload.words("form_name") or "form")
    who = line(payload.words("name", "email") or "Somebody")
    fields = [(line(name, 60), line(value)) for name, value in payload.pairs("data").items()]
    topic = f"{line(payload.words('site_name', 'site_url') or 'Netlify')} / {form}"
    return topic, f"{who} submitted the form {code(form)}.\n\n{fact_list(fields)}".rstrip()
