"""Outgoing webhook payloads in the API description.

`features/outgoing_webhooks.py` sends them; its tests check them against this.
"""

from typing import Any


def _text(words: str) -> dict[str, str]:
    return {"type": "string", "description": words}


SENT: dict[str, Any] = {
    "type": "object",
    "properties": {
        "data": _text("The text of the message, as it was typed."),
        "message": {
            "$ref": "#/components/schemas/MessageObject",
            "description": "The message, its text as it was typed; `rendered_content` is HTML.",
        },
        "bot_email": _text("The address of the bot."),
        "bot_full_name": _text("The name of the bot."),
        "token": _text("What proves that it is this server: compare it with the bot's own."),
        "trigger": {
            "enum": ["mention", "direct_message"],
            "description": "Whether a message mentions the bot, or was sent to it.",
        },
    },
    "required": ["data", "message", "bot_email", "bot_full_name", "token", "trigger"],
}
ANSWERED: dict[str, Any] = {
    "type": "object",
    "properties": {
        "content": _text("What the bot replies, in the same place; empty for nothing."),
        "response_not_required": {
            "type": "boolean",
            "description": "Whether the bot posts nothing, or has posted its reply itself.",
        },
    },
}
WEBHOOKS: dict[str, Any] = {
    "outgoing": {
        "post": {
            "operationId": "webhooks.outgoing",
            "summary": "What a bot of the type outgoing webhook is sent, and what it answers",
            "security": [],
            "requestBody": {
                "required": True,
                "content": {"application/json": {"schema": SENT}},
            },
            "responses": {
                "200": {
                    "description": "The bot's reply.",
                    "content": {"application/json": {"schema": ANSWERED}},
                }
            },
        }
    }
}
