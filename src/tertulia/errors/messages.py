"""Messages: sending, finding, editing and reactions."""

from tertulia.errors import ClientError


class TopicTooLong(ClientError):
    message = "topic is too long (limit: {limit} characters)"


class InvalidMessage(ClientError):
    message = "Invalid message(s)"


class ChannelMissing(ClientError):
    message = "Missing channel"


class TopicMissing(ClientError):
    message = "Missing topic"


class RecipientsMissing(ClientError):
    message = "Message must have recipients"


class MalformedRecipients(ClientError):
    message = "Invalid data type for recipients"
    hint = "`to` of a direct message is a JSON list of user ids or email addresses, like [7, 9]."


class TooManyRecipients(ClientError):
    message = "Too many recipients (limit: {limit})"


class WildcardNotAllowedInChannel(ClientError):
    code = "STREAM_WILDCARD_MENTION_NOT_ALLOWED"
    message = "You do not have permission to use channel wildcard mentions in this channel."


class WildcardNotAllowedInTopic(ClientError):
    code = "TOPIC_WILDCARD_MENTION_NOT_ALLOWED"
    message = "You do not have permission to use topic wildcard mentions in this topic."


class NothingToChange(ClientError):
    message = "Nothing to change"


class EditNotAllowed(ClientError):
    message = "You don't have permission to edit this message"


class TopicEditTooLate(ClientError):
    message = "The time limit for editing this message's topic has passed."


class ChannelEditTooLate(ClientError):
    message = "The time limit for editing this message's channel has passed"


class MoveOnlyTheNewest(ClientError):
    """A whole topic should be moved, but some of its messages are too old."""

    code = "MOVE_MESSAGES_TIME_LIMIT_EXCEEDED"
    message = (
        "You only have permission to move the {total_messages_allowed_to_move}/"
        "{total_messages_in_topic} most recent messages in this topic."
    )
    keys = (
        "first_message_id_allowed_to_move",
        "total_messages_in_topic",
        "total_messages_allowed_to_move",
    )


class ReactionAlreadyExists(ClientError):
    code = "REACTION_ALREADY_EXISTS"
    message = "Reaction already exists."


class ReactionNotFound(ClientError):
    code = "REACTION_DOES_NOT_EXIST"
    message = "Reaction doesn't exist."


class FileTooLarge(ClientError):
    message = "Uploaded file is larger than the allowed limit of {limit} MiB"


class BadImage(ClientError):
    code = "BAD_IMAGE"
    message = "{reason}"


class EmojiNotFound(ClientError):
    message = "Emoji '{name}' does not exist"
    reports_absence = True


class CustomEmojiNotFound(EmojiNotFound):
    status = 404


class BadNarrow(ClientError):
    code = "BAD_NARROW"
    message = "Invalid narrow operator: {desc}"
    keys = ("desc",)


class BadNarrowCombination(BadNarrow):
    message = "Invalid narrow operator combination: {desc}"


class AnswerNotFound(ClientError):
    message = "Invalid answer"
    reports_absence = True
