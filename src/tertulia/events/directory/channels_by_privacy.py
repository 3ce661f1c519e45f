"""The channels of an organization, as one set of ids for each kind of privacy."""

from pyroaring import BitMap

from tertulia.domain.channels.channel import Channel
from tertulia.domain.people.user import User


class ChannelsByPrivacy:
    def __init__(self) -> None:
        self.all = BitMap()
        self.public = BitMap()
        self.web_public = BitMap()
        self.protected = BitMap()

    def set_channel(self, channel: Channel) -> None:
        self.all.add(channel.id)
        for kind, is_so in (
            (self.public, channel.is_public),
            (self.web_public, channel.is_web_public),
            (self.protected, not channel.history_public),
        ):
            (kind.add if is_so else kind.discard)(channel.id)

    def visible_to(self, user: User | None) -> BitMap:
        """Channels that a user may see without a subscription or a permission in them."""
        if user is None or user.is_guest:
            return self.web_public.copy()
        return self.all.copy() if user.is_admin else self.public | self.web_public

    def open_to(self, user: User) -> BitMap:
        """Channels that a user may read without a subscription or a permission in them."""
        return self.web_public if user.is_guest else self.public | self.web_public
