"""The past: the directory as it was at an event, for one who hears of it long after.

Who is to hear of an event, and what it tells them, is judged by what was true at that moment: who
was where, in which groups, with which role, and how channels were guarded. The log says how all of
that changed, so a copy of the directory is put back to where a queue stands, and goes along from
there. So a client hears from the log what it would have heard at once.

What is told are things as they are now, and so nobody hears here of what was changed behind their
back: a channel that they do not see any more has no description, somebody whom they do not know
any more has no name.
"""

from collections.abc import Sequence

from msgspec.structs import replace

from tertulia.domain.channels.channel import Channel
from tertulia.domain.people.known_people import UNKNOWN_NAME
from tertulia.domain.people.user import GRAVATAR, User
from tertulia.events.directory.organization import Organization
from tertulia.events.encoded_records import EncodedRecords
from tertulia.events.logged_event import LoggedEvent


class RewoundOrganization(Organization):
    """One organization as somebody saw it; what is put back here is put back nowhere else."""

    def __init__(self, now: Organization, viewer_id: int) -> None:
        vars(self).update(vars(now))
        self._now, self._viewer_id = now, viewer_id
        self.version, self.life = -1, object()
        self.accounts = now.accounts.remembered()
        self.users = self.accounts.by_id
        self.channels, self.groups = {**now.channels}, {**now.groups}
        self.subscribers, self.subscribed = {**now.subscribers}, {**now.subscribed}
        self.partners, self._listing = {**now.partners}, {**now._listing}
        self.kept = EncodedRecords()

    @classmethod
    def before(
        cls, turns: Sequence[LoggedEvent], now: Organization, viewer_id: int
    ) -> "RewoundOrganization":
        """As it was before some events, which are all that have turned anything since."""
        past = cls(now, viewer_id)
        for turn in reversed(turns):
            turn.event.rewind(past)
        for channel in list(past.channels.values()):
            if not now.may_see(viewer_id, channel.id):
                past.put_channel(replace(channel, description="", rendered_description=""))
        return past

    @property
    def present(self) -> Organization:
        return self._now

    def shown_user(self, user_id: int) -> User:
        user, viewer = self.users[user_id], self._now.users[self._viewer_id]
        if self._now.may_know(viewer, self._now.users[user_id]):
            return user
        hidden = f"user{user_id}@{self.email_domain}"
        return replace(user, full_name=UNKNOWN_NAME, email=hidden, avatar_source=GRAVATAR)

    # What is only asked of the present need not follow.

    def put_user(self, user: User, fingerprint: bytes | None) -> None:
        self.kept.drop_user(user.id)
        if self.users[user.id].is_active != user.is_active:
            self.kept.drop_channels()
        self.accounts.put_back(user)

    def put_channel(self, channel: Channel) -> None:
        self.kept.drop_channel(channel.id)
        self.channels[channel.id] = channel
