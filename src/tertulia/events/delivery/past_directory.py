"""The past directory: an organization as it was at an earlier event.

The state at the moment of an event decides who receives it and in which form: subscriptions,
groups, roles and access rules of channels. The log says how these changed. So a copy of the
directory is rewound to a queue's position and then follows the log. A client that reads late gets
the same events as one that was connected.

The events contain current data, so a client learns nothing that was hidden since: a channel that
its user no longer sees has no description, and a user whom they may no longer know has no name.
"""

from collections.abc import Sequence

from msgspec.structs import replace

from tertulia.domain.channels.channel import Channel
from tertulia.domain.people.known_people import UNKNOWN_NAME
from tertulia.domain.people.user import GRAVATAR, User
from tertulia.events.directory.organization import Organization
from tertulia.events.logged_event import LoggedEvent


class PastOrganization(Organization):
    """One organization as a user saw it. Changes stay in this copy."""

    def __init__(self, now: Organization, viewer_id: int) -> None:
        vars(self).update(vars(now))
        self._now, self._viewer_id = now, viewer_id
        self.version, self.load = -1, object()
        self.accounts = now.accounts.snapshot()
        self.users = self.accounts.by_id
        self.channels, self.partners = {**now.channels}, {**now.partners}
        self.user_groups = now.user_groups.copy(self.accounts)
        self.groups = self.user_groups.by_id
        self.subscriptions = now.subscriptions.copy(self.accounts)
        self.encoded = now.encoded.for_copy()

    @classmethod
    def before(
        cls, turns: Sequence[LoggedEvent], now: Organization, viewer_id: int
    ) -> "PastOrganization":
        """The state before some events, which must be all later events that affect delivery."""
        rewound = cls(now, viewer_id)
        for turn in reversed(turns):
            turn.event.undo(rewound)
        for channel in list(rewound.channels.values()):
            if not now.may_see(viewer_id, channel.id):
                rewound.set_channel(replace(channel, description="", rendered_description=""))
        return rewound

    @property
    def present(self) -> Organization:
        return self._now

    def shown_user(self, user_id: int) -> User:
        user, viewer = self.users[user_id], self._now.users[self._viewer_id]
        if self._now.may_know(viewer, self._now.users[user_id]):
            return user
        hidden = f"user{user_id}@{self.email_domain}"
        return replace(user, full_name=UNKNOWN_NAME, email=hidden, avatar_source=GRAVATAR)

    # State that only the present organization is asked for is not kept.

    def set_user(self, user: User, fingerprint: bytes | None) -> None:
        self.encoded.drop_user(user.id)
        if self.users[user.id].is_active != user.is_active:
            self.encoded.drop_channels()
        self.accounts.restore(user)

    def set_channel(self, channel: Channel) -> None:
        self.encoded.drop_channel(channel.id)
        self.channels[channel.id] = channel
