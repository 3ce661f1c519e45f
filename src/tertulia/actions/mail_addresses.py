"""Addresses for inbound mail: for replies to a notification, and for channels."""

from tertulia import domain, storage
from tertulia.actions.channels import lookups
from tertulia.database.tx import Tx
from tertulia.domain.channels.channel import Channel
from tertulia.domain.inbound_mail import REPLY_SECONDS, ChannelAddress, MailAddress, ReplyAddress
from tertulia.domain.messages.message import Message
from tertulia.domain.people.keys import Vault
from tertulia.domain.people.user import User


def for_reply(tx: Tx, pattern: str, user: User, message: Message) -> str:
    """A new address for replies to a message."""
    token = domain.inbound_mail.new_token()
    storage.inbound_mail.insert_reply_address(
        tx, domain.inbound_mail.hashed(token), user.id, message, tx.now + REPLY_SECONDS
    )
    return domain.inbound_mail.reply_address(pattern, token)


def for_channel(
    tx: Tx, vault: Vault, pattern: str, channel: Channel, maker: User, sender_id: int | None
) -> str:
    """A user's address for a channel; the same until the addresses of the channel are renewed."""
    renewal = storage.inbound_mail.renewals(tx, channel.id)
    signed = f"mail {tx.realm_id} {channel.id} {sender_id or 0} {maker.id}"
    token = vault.signature(f"{signed} {renewal}" if renewal else signed)[:32]
    hash = domain.inbound_mail.hashed(token)
    storage.inbound_mail.store_channel_address(tx, hash, channel.id, sender_id, maker.id, renewal)
    return domain.inbound_mail.channel_address(pattern, channel.name, token)


def renew(tx: Tx, vault: Vault, pattern: str, channel_id: int, user: User) -> str:
    """Make all addresses of a channel invalid, and return the user's new one."""
    lookups.readable_by(tx, user, channel_id)
    channel = lookups.administered_by(tx, user, channel_id)
    storage.inbound_mail.end_channel_addresses(tx, channel.id)
    return for_channel(tx, vault, pattern, channel, user, None)


def find(tx: Tx, address: MailAddress) -> ReplyAddress | ChannelAddress | None:
    """The target of an address, in any organization."""
    if address.is_reply:
        return storage.inbound_mail.find_reply_address(tx, address.hash)
    return storage.inbound_mail.find_channel_address(tx, address.hash)
