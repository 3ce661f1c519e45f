"""Reports of messages to the moderators."""

from tertulia import domain
from tertulia.domain.messages.quotations import Quotation
from tertulia.domain.people.user import User
from tertulia.errors import BadRequest

REASONS = {
    "spam": "Spam",
    "harassment": "Harassment",
    "inappropriate": "Inappropriate content",
    "norms": "Violates community norms",
    "other": "Other reason",
}


def check(reason: str, description: str) -> None:
    if reason not in REASONS:
        raise BadRequest("Invalid report_type")
    if reason == "other" and not description:
        raise BadRequest("For 'other' a description is needed.")


def topic_about(sender: User) -> str:
    return f"Reports about {sender.full_name}"[: domain.limits.MAX_TOPIC_LENGTH]


def report_text(
    reporter: User, reason: str, description: str, quotation: Quotation, site: str
) -> str:
    text = (
        f"{domain.messages.quotations.mention(reporter)} reported a message: **{REASONS[reason]}**."
    )
    if description:
        text += "\n" + "\n".join(f"> {line}" for line in description.splitlines())
    return domain.messages.quotations.quoted(text, quotation, site)
