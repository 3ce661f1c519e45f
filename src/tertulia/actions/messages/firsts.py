"""The first message of a channel, which clients are told so that they can stop scrolling."""

from tertulia.domain.channels import Channel
from tertulia.events.audience import Watchers
from tertulia.events.log import announce
from tertulia.events.types.edits import FirstMessageChanged
from tertulia.storage import channels, messages
from tertulia.storage.tx import Tx


def refresh(tx: Tx, channel: Channel) -> None:
    """Look again, after messages went or came, and tell if it is another one."""
    first = messages.oldest_in_channel(tx, channel.id)
    if first != channel.first_message_id:
        channels.set_first_message(tx, channel.id, first)
        announce(tx, FirstMessageChanged(channel.id, first), to=Watchers(channel.id))
