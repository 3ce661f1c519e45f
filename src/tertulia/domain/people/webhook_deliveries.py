"""Deliveries of outgoing webhooks: triggers, retries, and notices of failures."""

from typing import Literal

import msgspec

Reason = Literal["mention", "direct_message"]

SECONDS = 10
MAX_RESPONSE_BYTES = 1 << 20
MAX_SHOWN_RESPONSE_LENGTH = 1000  # characters of a response that the owner is shown

GENERIC = 1
SLACK = 2


class WebhookFailure(msgspec.Struct, frozen=True):
    """A failure, in texts for the conversation and for the owner."""

    in_conversation: str
    to_owner: str
    response: str = ""
    may_retry: bool = False  # whether another try may succeed
    is_timeout: bool = False


def timed_out() -> WebhookFailure:
    words = f"Request timed out after {SECONDS} seconds."
    return WebhookFailure("Bot is unavailable", words, may_retry=True, is_timeout=True)


def unreachable() -> WebhookFailure:
    words = "A connection error occurred. Is my bot server down?"
    return WebhookFailure("Bot is unavailable", words, may_retry=True)


def not_allowed() -> WebhookFailure:
    words = "The URL configured for the webhook is for a private or disallowed network."
    return WebhookFailure("Third party responded with 407", words)


def bad_status(status: int, response: str) -> WebhookFailure:
    return WebhookFailure(
        f"Third party responded with {status}",
        f"The webhook got a response with status code *{status}*.",
        response,
        may_retry=status >= 500,
    )


def invalid_response(why: str, response: str) -> WebhookFailure:
    return WebhookFailure(why, f"The webhook's answer could not be used: {why}.", response)


def response_too_large() -> WebhookFailure:
    words = f"The webhook's answer was larger than {MAX_RESPONSE_BYTES} bytes."
    return WebhookFailure("Invalid response format", words)


def no_direct_messages() -> WebhookFailure:
    words = "Slack outgoing webhooks don't support direct messages."
    return WebhookFailure(words, words)


def refused(why: str) -> WebhookFailure:
    """The response is valid, but the bot may not post it."""
    return WebhookFailure("Bot may not answer here", f"The bot could not post its answer: {why}")


def notice(bot_name: str, bot_id: int, link: str, failure: WebhookFailure) -> str:
    """The notice to the owner."""
    text = (
        f"[A message]({link}) to your bot @_**{bot_name}|{bot_id}** triggered an outgoing webhook."
        f"\n{failure.to_owner}"
    )
    if failure.response.strip():
        shown = (
            failure.response.strip()[:MAX_SHOWN_RESPONSE_LENGTH].replace("\0", "").replace("`", "'")
        )
        text += f"\n```\n{shown}\n```"
    return text
