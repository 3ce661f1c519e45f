"""Notifications of missed messages: the first matching setting of the user decides."""

from typing import Literal

import msgspec

from tertulia import domain
from tertulia.domain.channels.channel import Subscription
from tertulia.domain.emails import INDENT, LINE_BREAK
from tertulia.domain.messages.message import Message
from tertulia.domain.people.user import User
from tertulia.domain.personal.topic_policies import TopicPolicy

Medium = Literal["email", "push"]
Reason = Literal[
    "direct_message",
    "mentioned",
    "topic_wildcard_mentioned_in_followed_topic",
    "stream_wildcard_mentioned_in_followed_topic",
    "topic_wildcard_mentioned",
    "stream_wildcard_mentioned",
    "followed_topic",
    "stream",
]

CALLS: frozenset[str] = frozenset(
    {
        "mentioned",
        "topic_wildcard_mentioned_in_followed_topic",
        "stream_wildcard_mentioned_in_followed_topic",
        "topic_wildcard_mentioned",
        "stream_wildcard_mentioned",
    }
)

PRESENT_SECONDS = 200  # a user who was active so recently sees new messages
LISTENING_SECONDS = 600  # if one of their clients has polled so recently
RECHECK_SECONDS = 60.0  # for users who are connected but have not read a message
MAX_MESSAGES = 20  # of one conversation in a mail
CONTEXT_MESSAGES = 3  # before a mention, that a mail shows too
NAMED_AS_NEEDED, NAMED_ALWAYS = 1, 2  # when the subject of a mail names the organization
EXCERPT = 1000  # characters of a message in the text of a mail


class NotificationInterest(msgspec.Struct, frozen=True):
    """How a message concerns one of its recipients."""

    is_direct: bool = False
    is_edit: bool = False  # only what the edit adds counts
    is_mentioned: bool = False
    in_topic_wildcard: bool = False
    in_channel_wildcard: bool = False
    policy: TopicPolicy = TopicPolicy.NONE
    subscription: Subscription | None = None

    @property
    def is_muted(self) -> bool:
        """Whether the topic is muted, or the channel is and the topic is not unmuted."""
        if self.policy == TopicPolicy.MUTED:
            return True
        in_muted_channel = self.subscription is not None and self.subscription.is_muted
        return in_muted_channel and self.policy not in (TopicPolicy.UNMUTED, TopicPolicy.FOLLOWED)


def reason(user: User, about: NotificationInterest, medium: Medium) -> Reason | None:
    """Why a user is notified in this way; None if they are not."""
    if about.is_muted or user.is_bot or not user.is_active:
        return None
    if user.prefers(f"enable_offline_{medium}_notifications"):
        found = _mention_reason(user, about)
        if found is not None:
            return found
    if about.is_edit:
        return None
    is_followed = about.policy == TopicPolicy.FOLLOWED
    if is_followed and user.prefers(f"enable_followed_topic_{medium}_notifications"):
        return "followed_topic"
    chosen = (
        None
        if about.subscription is None
        else getattr(about.subscription, f"{medium}_notifications")
    )
    if about.subscription is not None and (
        user.prefers(f"enable_stream_{medium}_notifications") if chosen is None else chosen
    ):
        return "stream"
    return None


def _mention_reason(user: User, about: NotificationInterest) -> Reason | None:
    if about.is_direct:
        return "direct_message"
    if about.is_mentioned:
        return "mentioned"
    if about.policy == TopicPolicy.FOLLOWED and user.prefers(
        "enable_followed_topic_wildcard_mentions_notify"
    ):
        if about.in_topic_wildcard:
            return "topic_wildcard_mentioned_in_followed_topic"
        if about.in_channel_wildcard:
            return "stream_wildcard_mentioned_in_followed_topic"
    subscription = about.subscription
    chosen = None if subscription is None else subscription.wildcard_mentions_notify
    if user.prefers("wildcard_mentions_notify") if chosen is None else chosen:
        if about.in_topic_wildcard:
            return "topic_wildcard_mentioned"
        if about.in_channel_wildcard:
            return "stream_wildcard_mentioned"
    return None


def in_a_line(name: str, message: Message) -> str:
    """The sender and the start of a message in one line, without the content of spoilers."""
    text = domain.messages.notification_text.mail_text(message.rendered)
    return f"{name}: {_excerpt(' '.join(text.split()))}"


def in_lines(name: str, message: Message) -> str:
    """The same with its line breaks and indents, in the characters of `domain.emails`."""
    text = _excerpt(domain.messages.notification_text.mail_text(message.rendered))
    lines = []
    for line in text.split("\n"):
        words = line.lstrip(" ")
        lines.append(INDENT * (len(line) - len(words)) + words)
    return f"{name}: {LINE_BREAK.join(lines)}"


def _excerpt(text: str) -> str:
    return text if len(text) <= EXCERPT else f"{text[: EXCERPT - 1]}…"
