"""Messages: sending, finding, editing and reactions."""

from tertulia.errors import ClientError, WordedError


class TopicTooLong(ClientError):
    message = "topic is too long (limit: {limit} characters)"
    problem = "text-too-long"


class InvalidMessage(ClientError):
    message = "Invalid message(s)"
    problem = "invalid-message"


class ChannelMissing(ClientError):
    message = "Missing channel"
    problem = "missing-channel"


class TopicMissing(ClientError):
    message = "Missing topic"
    problem = "missing-topic"


class RecipientsMissing(ClientError):
    message = "Message must have recipients"
    problem = "message-without-recipients"


class MalformedRecipients(ClientError):
    message = "Invalid data type for recipients"
    hint = "`to` of a direct message is a JSON list of user ids or email addresses, like [7, 9]."


class WildcardNotAllowedInChannel(ClientError):
    code = "STREAM_WILDCARD_MENTION_NOT_ALLOWED"
    message = "You do not have permission to use channel wildcard mentions in this channel."


class WildcardNotAllowedInTopic(ClientError):
    code = "TOPIC_WILDCARD_MENTION_NOT_ALLOWED"
    message = "You do not have permission to use topic wildcard mentions in this topic."


class NothingToChange(ClientError):
    message = "Nothing to change"
    problem = "nothing-change"


class EditNotAllowed(ClientError):
    message = "You don't have permission to edit this message"
    problem = "editing-not-allowed"


class TopicEditTooLate(ClientError):
    message = "The time limit for editing this message's topic has passed."
    problem = "topic-editing-time-passed"


class ChannelEditTooLate(ClientError):
    message = "The time limit for editing this message's channel has passed"
    problem = "channel-editing-time-passed"


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
    problem = "file-too-large"


class BadImage(WordedError):
    code = "BAD_IMAGE"


class EmojiNotFound(ClientError):
    message = "Emoji '{name}' does not exist"
    problem = "emoji-not-found"
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
    problem = "invalid-answer"
    reports_absence = True
