"""Uptime Kuma: https://github.com/louislam/uptime-kuma/wiki/Notification-Methods"""

from tertulia.integrations.payload import Hook
from tertulia.integrations.phrases import line, link, said
from tertulia.integrations.rejections import NotAsDocumented
from tertulia.integrations.webhook_message import Report

STATES = {
    0: (":alert: {name} is down", "down"),
    1: (":squared_ok: {name} is up", "up"),
    2: (":time_ticking: {name} is pending", "pending"),
    3: (":construction: {name} is under maintenance", "maintenance"),
}


def report(hook: Hook) -> Report | None:
    payload = hook.payload
    if not payload.find("heartbeat"):  # a test, or that a certificate is about to expire
        return Report("message", "Uptime Kuma", line(payload.text("msg"), 1000))
    state = payload.number("heartbeat.status")
    if state not in STATES:
        raise NotAsDocumented("heartbeat.status")
    headline, event = STATES[state]
    name = payload.text("monitor.name")
    named = link(name, payload.words("monitor.url"))
    return Report(
        event, line(name), said(headline.format(name=named), payload.words("heartbeat.msg"))
    )
