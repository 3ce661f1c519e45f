"""Unsubscribe links in mails, which work without a login."""

from tertulia.domain.people.keys import Vault

PATH = "/accounts/unsubscribe"
SETTINGS = {  # the settings to turn off, by kind of mail
    "missed_messages": (
        "enable_offline_email_notifications",
        "enable_followed_topic_email_notifications",
        "enable_stream_email_notifications",
    ),
    "digest": ("enable_digest_emails",),
}
# Compat: keys of the first kind were signed before other kinds existed.
_SIGNED = {"missed_messages": "unsubscribe"}


def address(vault: Vault, site: str, kind: str, realm_id: int, user_id: int) -> str:
    return f"{site}{PATH}/{kind}/{key(vault, kind, realm_id, user_id)}"


def headers(address: str) -> dict[str, str]:
    """Headers for one-click unsubscribe (RFC 8058)."""
    return {
        "List-Unsubscribe": f"<{address}>",
        "List-Unsubscribe-Post": "List-Unsubscribe=One-Click",
    }


def key(vault: Vault, kind: str, realm_id: int, user_id: int) -> str:
    """A key that never expires."""
    signed_text = f"{_SIGNED.get(kind, f'unsubscribe {kind}')} {realm_id} {user_id}"
    return f"{user_id}-{vault.signature(signed_text)[:32]}"
