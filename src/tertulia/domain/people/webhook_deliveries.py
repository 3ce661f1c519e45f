"""Deliveries of outgoing webhooks: triggers, retries, and notices of failures."""

from typing import Literal

import msgspec

Reason = Literal["mention", "direct_message"]

SECONDS = 10
MAX_RESPONSE_BYTES = 1 << 20
SHOWN_ANSWER = 1000  # characters of a response that the owner is shown

GENERIC = 1
SLACK = 2


class Trouble(msgspec.Struct, frozen=True):
    """A failure, in texts for the conversation and for the owner."""

    in_conversation: str
    to_owner: str
    answer: str = ""
    may_pass: bool = False  # whether another try may succeed
    is_timeout: bool = False


def timed_out() -> Trouble:
    words = f"Request timed out after {SECONDS} seconds."
    return Trouble("Bot is unavailable", words, may_pass=True, is_timeout=True)


def not_reached() -> Trouble:
    words = "A connection error occurred. Is my bot server down?"
    return Trouble("Bot is unavailable", words, may_pass=True)


def not_allowed() -> Trouble:
    words = "The URL configured for the webhook is for a private or disallowed network."
    return Trouble("Third party responded with 407", words)


def bad_status(status: int, answer: str) -> Trouble:
    return Trouble(
        f"Third party responded with {status}",
        f"The webhook got a response with status code *{status}*.",
        answer,
        may_pass=status >= 500,
    )


def bad_answer(why: str, answer: str) -> Trouble:
    return Trouble(why, f"The webhook's answer could not be used: {why}.", answer)


def too_long_answer() -> Trouble:
    words = f"The webhook's answer was larger than {MAX_RESPONSE_BYTES} bytes."
    return Trouble("Invalid response format", words)


def no_direct_messages() -> Trouble:
    words = "Slack outgoing webhooks don't support direct messages."
    return Trouble(words, words)


def refused(why: str) -> Trouble:
    """The response is valid, but the bot may not post it."""
    return Trouble("Bot may not answer here", f"The bot could not post its answer: {why}")


def notice(bot_name: str, bot_id: int, link: str, trouble: Trouble) -> str:
    """The notice to the owner."""
    text = (
        f"[A message]({link}) to your bot @_**{bot_name}|{bot_id}** triggered an outgoing webhook."
        f"\n{trouble.to_owner}"
    )
    if trouble.answer.strip():
        shown = trouble.answer.strip()[:SHOWN_ANSWER].replace("\0", "").replace("`", "'")
        text += f"\n```\n{shown}\n```"
    return text
