"""Channels, folders and subscriptions."""

from tertulia.errors import ClientError
from tertulia.errors.http import RateLimited


class ChannelNotFound(ClientError):
    """By name. The name is escaped, because old clients insert it as HTML."""

    code = "STREAM_DOES_NOT_EXIST"
    message = "Channel '{stream}' does not exist"
    problem = "not-found"
    keys = ("stream", "hint")
    reports_absence = True


class ChannelIdNotFound(ClientError):
    code = "STREAM_DOES_NOT_EXIST"
    message = "Channel with ID '{stream_id}' does not exist"
    problem = "not-found"
    keys = ("stream_id",)
    reports_absence = True


class ChannelNotAccessible(ClientError):
    message = "Invalid channel ID"
    problem = "invalid-channel-id"
    reports_absence = True


class FolderNotFound(ClientError):
    message = "Invalid channel folder ID"
    problem = "invalid-channel-folder-id"


class ChannelNameTaken(ClientError):
    status = 409
    code = "CHANNEL_ALREADY_EXISTS"
    message = "Channel '{channel_name}' already exists"
    keys = ("channel_name",)


class ChannelNameNotFound(ClientError):
    message = "Invalid channel name '{name}'"
    problem = "invalid-channel-name"
    reports_absence = True


class ChannelIsArchived(ClientError):
    message = "Subscriptions in an archived channel cannot be changed."
    problem = "channel-archived"


class DefaultChannelIsPrivate(ClientError):
    message = "A default channel cannot be private."
    problem = "default-channel-private"


class ContradictoryPrivacy(ClientError):
    """A channel cannot be private and web-public, or public with protected history."""

    message = "Invalid parameters"


class NamedTopicsExist(ClientError):
    message = (
        "To enable this configuration, all messages in this channel must be in the"
        " {empty_topic_display_name} topic. Consider renaming or deleting other topics."
    )
    problem = "named-topics-exist"
    keys = ("empty_topic_display_name",)


class SlowMode(RateLimited):
    """The sender has to wait between two messages in this channel."""

    message = "This channel is in slow mode: one message every {seconds} seconds."
    problem = "slow-mode"
