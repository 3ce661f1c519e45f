"""SonarQube: https://docs.sonarsource.com/sonarqube-server/project-administration/webhooks"""

from tertulia.integrations.payload import Payload, WebhookRequest
from tertulia.integrations.phrases import bullets, code, humanize, line, link
from tertulia.integrations.webhook_message import WebhookMessage

GATES = {
    "OK": ":check: {project}{where} passed the quality gate",
    "ERROR": ":cross_mark: {project}{where} failed the quality gate",
    "WARN": ":warning: {project}{where} passed the quality gate with warnings",
}
OPERATORS = {"GREATER_THAN": ">", "LESS_THAN": "<"}


def to_message(request: WebhookRequest) -> WebhookMessage | None:
    payload = request.payload
    project = payload.get("project")
    name = project.words("name") or project.text("key")
    branch = payload.words("branch.name")
    named = link(name, payload.words("branch.url", "project.url"))
    topic = f"{line(name)} / {line(branch)}" if branch else line(name)
    where = f" on {code(branch)}" if branch else ""
    status = payload.text("status").upper()
    if status != "SUCCESS":
        text = f":cross_mark: The analysis of {named}{where}: {humanize(status)}."
        return WebhookMessage(f"analysis.{status.lower()}", topic, text, branch=branch or None)
    gate = payload.words("qualityGate.status").upper()
    if gate not in GATES:
        text = f"SonarQube analyzed {named}{where}; there is no quality gate."
        return WebhookMessage("analysis.success", topic, text, branch=branch or None)
    headline = GATES[gate].format(project=named, where=where)
    rule = line(payload.words("qualityGate.name"))
    headline += f" {rule}." if rule else "."
    failed = [
        _condition(each)
        for each in payload.each("qualityGate.conditions")
        if each.words("status").upper() in ("ERROR", "WARN")
    ]
    text = f"{headline}\n\n{bullets(failed)}".rstrip()
    return WebhookMessage(f"gate.{gate.lower()}", topic, text, branch=branch or None)


def _condition(condition: Payload) -> str:
    metric, value = humanize(condition.words("metric")), line(condition.words("value"))
    operator = OPERATORS.get(condition.words("operator"), line(condition.words("operator")))
    limit = line(condition.words("errorThreshold", "warningThreshold"))
    return f"{metric}: {value or 'no value'} ({code(f'{operator} {limit}')} fails)"
