"""The mistakes we report to a client, in one catalogue.

An error is raised where the truth is known, in `domain` and `actions`, and turned into JSON in
one place, `http/replies.py`. The words are part of the API: clients compare them. What is raised
in several places, or has a code or keys of its own, is a class here; what is wrong with one value
in one place is a `BadRequest` with its words right there.
"""

from typing import Any, ClassVar


class ClientError(Exception):
    """Something the caller did that cannot be done.

    `message` may hold `{name}` fields, filled from the keyword arguments. Those named in `keys`
    also travel beside `msg` in the answer.
    """

    status: ClassVar[int] = 400
    code: ClassVar[str] = "BAD_REQUEST"
    message: ClassVar[str] = "Bad request"
    keys: ClassVar[tuple[str, ...]] = ()
    headers: ClassVar[dict[str, str]] = {}

    def __init__(self, **values: Any) -> None:
        self.values = values
        self.msg = self.message.format(**values) if values else self.message
        super().__init__(self.msg)

    def extra(self) -> dict[str, Any]:
        """The keys that stand beside `result`, `msg` and `code`."""
        return {key: self.values[key] for key in self.keys if key in self.values}

    def reply_headers(self) -> dict[str, str]:
        return self.headers


class BadRequest(ClientError):
    """A plain refusal whose words are its only content: `raise BadRequest("Invalid anchor")`."""

    def __init__(self, msg: str, **extra: Any) -> None:
        self.values = extra
        self.msg = msg
        Exception.__init__(self, msg)

    def extra(self) -> dict[str, Any]:
        return self.values


class CannotStart(Exception):
    """What keeps a server or a command from its work, in words for whoever runs it."""


# --- HTTP -------------------------------------------------------------------------------------


class NotFound(ClientError):
    status = 404
    code = "NOT_FOUND"
    message = "Not found"


class NotOffered(NotFound):
    """Clients know the address, but there is nothing of the kind here."""

    message = "This server does not offer {what}."


class MethodNotAllowed(ClientError):
    status = 405
    code = "METHOD_NOT_ALLOWED"
    message = "Method Not Allowed"
    keys = ("allowed_methods",)

    def reply_headers(self) -> dict[str, str]:
        return {"Allow": ", ".join(self.values["allowed_methods"])}


class BodyTooLarge(ClientError):
    status = 413
    code = "REQUEST_ENTITY_TOO_LARGE"
    message = "The request is too large (limit: {limit} bytes)"


class HeadersTooLarge(ClientError):
    status = 431
    code = "REQUEST_HEADER_FIELDS_TOO_LARGE"
    message = "The request headers are too large"


class AddressTooLong(ClientError):
    status = 414
    code = "REQUEST_URI_TOO_LONG"
    message = "The request address is too long (limit: {limit} bytes)"


class RateLimited(ClientError):
    status = 429
    code = "RATE_LIMIT_HIT"
    message = "API usage exceeded rate limit"

    def extra(self) -> dict[str, Any]:
        return {"retry-after": self.values["retry_after"]}

    def reply_headers(self) -> dict[str, str]:
        return {"Retry-After": str(self.values["retry_after"])}


class InternalError(ClientError):
    status = 500
    code = "INTERNAL_SERVER_ERROR"
    message = "Internal server error"


class ServiceUnavailable(ClientError):
    """The disk is full or the database cannot be reached; the same request may succeed later."""

    status = 503
    code = "SERVICE_UNAVAILABLE"
    message = "The server cannot reach its data right now. Please try again in a moment."
    headers = {"Retry-After": "1"}


class ServerStopping(ServiceUnavailable):
    """The server was told to stop while it answered; whether the request was done is unknown."""

    message = "The server is stopping. Please try again in a moment."


# --- Parameters -------------------------------------------------------------------------------


class NotUtf8(ClientError):
    message = "The request is not valid UTF-8"


class MalformedForm(ClientError):
    message = "The form data cannot be read: {reason}"


class TooManyParameters(ClientError):
    message = "Too many parameters (limit: {limit})"


class NulInText(ClientError):
    """The one character that PostgreSQL cannot hold; so no database does."""

    message = "A text must not contain null bytes"


class MissingParameter(ClientError):
    message = "Missing '{name}' argument"


class ConfusingParameters(ClientError):
    message = "Can't decide between '{name}' and '{alias}' arguments"


class BadValue(ClientError):
    message = "Bad value for '{name}': {value}"


class NothingToDo(ClientError):
    message = "Nothing to do. Specify at least one of {names}."


class UnsupportedCombination(ClientError):
    message = "Unsupported parameter combination: {parameters}"
    keys = ("parameters",)


class ExpectationMismatch(ClientError):
    """Somebody else changed what the caller believed to be there."""

    code = "EXPECTATION_MISMATCH"
    message = "'{field_name}' value does not match the expected value."
    keys = ("field_name",)


# --- Who is asking ----------------------------------------------------------------------------


class Unauthorized(ClientError):
    status = 401
    code = "UNAUTHORIZED"
    headers = {"WWW-Authenticate": 'Basic realm="zulip"'}


class NotLoggedIn(Unauthorized):
    message = "Not logged in: API authentication or user session required"


class BadAuthorizationHeader(Unauthorized):
    message = "Invalid authorization header for basic auth"


class BasicAuthRequired(ClientError):
    message = "This endpoint requires HTTP basic authentication."


class MalformedKey(Unauthorized):
    message = "Malformed API key"


class InvalidKey(Unauthorized):
    message = "Invalid API key"


class AccountDeactivated(Unauthorized):
    message = "Account is deactivated"


class OrganizationDeactivated(Unauthorized):
    message = "This organization has been deactivated"


class WrongOrganization(Unauthorized):
    message = "Account is not associated with this subdomain"


class WebhookBotRefused(Unauthorized):
    message = "This API is not available to incoming webhook bots."


class LoginFailed(ClientError):
    status = 401
    code = "AUTHENTICATION_FAILED"
    message = "Your username or password is incorrect"


class LoginDeactivated(ClientError):
    status = 401
    code = "USER_DEACTIVATED"
    message = "Account is deactivated"


class LoginOrganizationDeactivated(ClientError):
    status = 401
    code = "REALM_DEACTIVATED"
    message = "This organization has been deactivated"


class PasswordLoginDisabled(ClientError):
    status = 401
    code = "PASSWORD_AUTH_DISABLED"
    message = "Password authentication is disabled in this organization"


class UnknownSubdomain(ClientError):
    status = 404
    code = "NONEXISTENT_SUBDOMAIN"
    message = "Invalid subdomain"


class AdministratorRequired(ClientError):
    code = "UNAUTHORIZED_PRINCIPAL"
    message = "Must be an organization administrator"


class OwnerRequired(ClientError):
    code = "UNAUTHORIZED_PRINCIPAL"
    message = "Must be an organization owner"


class GuestRefused(ClientError):
    message = "Not allowed for guest users"


class HumanRequired(ClientError):
    message = "This endpoint does not accept bot requests."


class BotRequired(ClientError):
    code = "PERMISSION_DENIED"
    message = "Must be a bot user"


class InsufficientPermission(ClientError):
    message = "Insufficient permission"


# --- Messages ---------------------------------------------------------------------------------


class ContentTooLong(ClientError):
    message = "Message is too long (limit: {limit} characters)"


class TopicTooLong(ClientError):
    message = "topic is too long (limit: {limit} characters)"


class InvalidMessage(ClientError):
    message = "Invalid message(s)"


class RecipientNotAccessible(ClientError):
    message = "You do not have permission to access some of the recipients."


class ChannelMissing(ClientError):
    message = "Missing channel"


class TopicMissing(ClientError):
    message = "Missing topic"


class RecipientsMissing(ClientError):
    message = "Message must have recipients"


class MalformedRecipients(ClientError):
    message = "Invalid data type for recipients"


class TooManyRecipients(ClientError):
    message = "Too many recipients (limit: {limit})"


class SendKeyReused(ClientError):
    message = "This key was already used for a different message"


class WildcardNotAllowedInChannel(ClientError):
    code = "STREAM_WILDCARD_MENTION_NOT_ALLOWED"
    message = "You do not have permission to use channel wildcard mentions in this channel."


class WildcardNotAllowedInTopic(ClientError):
    code = "TOPIC_WILDCARD_MENTION_NOT_ALLOWED"
    message = "You do not have permission to use topic wildcard mentions in this topic."


# --- Channels and folders ---------------------------------------------------------------------


class ChannelNotFound(ClientError):
    """By name. The name is escaped, since old clients show it as it comes."""

    code = "STREAM_DOES_NOT_EXIST"
    message = "Channel '{stream}' does not exist"
    keys = ("stream",)


class ChannelIdNotFound(ClientError):
    code = "STREAM_DOES_NOT_EXIST"
    message = "Channel with ID '{stream_id}' does not exist"
    keys = ("stream_id",)


class ChannelNotAccessible(ClientError):
    message = "Invalid channel ID"


class ChannelNameTaken(ClientError):
    status = 409
    code = "CHANNEL_ALREADY_EXISTS"
    message = "Channel '{channel_name}' already exists"
    keys = ("channel_name",)


class ChannelNameNotFound(ClientError):
    message = "Invalid channel name '{name}'"


class NotChannelAdministrator(ClientError):
    message = "You do not have permission to administer this channel."


class ContentAccessRequired(ClientError):
    message = "Channel content access is required."


class ChannelIsArchived(ClientError):
    message = "Subscriptions in an archived channel cannot be changed."


class DefaultChannelIsPrivate(ClientError):
    message = "A default channel cannot be private."


class ContradictoryOpenness(ClientError):
    """No channel is private and open to the internet, or public with a protected history."""

    message = "Invalid parameters"


class NotSubscribed(ClientError):
    message = "Not subscribed to channel ID {channel_id}"


class UnknownSubscriptionProperty(ClientError):
    message = "Unknown subscription property: {name}"


class NamedTopicsExist(ClientError):
    message = (
        "To enable this configuration, all messages in this channel must be in the"
        " {empty_topic_display_name} topic. Consider renaming or deleting other topics."
    )
    keys = ("empty_topic_display_name",)


class FolderNotFound(ClientError):
    message = "Invalid channel folder ID"


class FolderNameTaken(ClientError):
    message = "Channel folder name already in use"


class FolderNotEmpty(ClientError):
    message = "You need to remove all the channels from this folder to archive it."


class InvalidFolderOrder(ClientError):
    message = "Invalid order mapping."


# --- Groups -----------------------------------------------------------------------------------


class GroupNotFound(ClientError):
    message = "Invalid user group"


class SubgroupNotFound(ClientError):
    message = "Invalid user group ID: {group_id}"


class MemberNotFound(ClientError):
    message = "Invalid user ID: {user_id}"


class GroupIsDeactivated(ClientError):
    message = "User group is deactivated."


class GroupNameTaken(ClientError):
    message = "User group '{name}' already exists."


class GroupInUse(ClientError):
    code = "CANNOT_DEACTIVATE_GROUP_IN_USE"
    message = "Cannot deactivate user group in use."
    keys = ("objections",)


class SystemGroupRequired(ClientError):
    code = "SYSTEM_GROUP_REQUIRED"
    message = "'{setting_name}' must be a system user group."
    keys = ("setting_name",)


# --- Editing, reading, reactions, emoji -------------------------------------------------------


class NothingToChange(ClientError):
    message = "Nothing to change"


class MayNotEdit(ClientError):
    message = "You don't have permission to edit this message"


class MayNotMove(ClientError):
    message = "You don't have permission to move this message"


class MayNotResolve(ClientError):
    message = "You don't have permission to resolve topics in this channel."


class MayNotDelete(ClientError):
    message = "You don't have permission to delete this message"


class EditingDisabled(ClientError):
    message = "Your organization has turned off message editing"


class EditTooLate(ClientError):
    message = "The time limit for editing this message has passed"


class TopicEditTooLate(ClientError):
    message = "The time limit for editing this message's topic has passed."


class ChannelEditTooLate(ClientError):
    message = "The time limit for editing this message's channel has passed"


class DeleteTooLate(ClientError):
    message = "The time limit for deleting this message has passed"


class MoveTooLate(ClientError):
    message = "The time limit for moving this topic has passed."


class MoveOnlyTheNewest(ClientError):
    """A whole topic was to be moved, but some of it is too old."""

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


class EditHistoryDisabled(ClientError):
    message = "Message edit history is disabled in this organization"


class ReadReceiptsDisabled(ClientError):
    message = "Read receipts are disabled in this organization."


class ReactionAlreadyExists(ClientError):
    code = "REACTION_ALREADY_EXISTS"
    message = "Reaction already exists."


class ReactionNotFound(ClientError):
    code = "REACTION_DOES_NOT_EXIST"
    message = "Reaction doesn't exist."


class WidgetNotEditable(ClientError):
    message = "Widgets cannot be edited."


class NoWidget(ClientError):
    message = "You cannot attach a submessage to this message."


class SubmessageNotJson(ClientError):
    message = "Invalid json for submessage"


class BadSubmessage(ClientError):
    message = "Invalid submessage: {problem}"


class NotWidgetAuthor(ClientError):
    message = "Only the author of a widget may change what it is about."


class TooManySubmessages(ClientError):
    message = "Too many submessages (limit: {limit})"


class NobodyTakesReports(ClientError):
    message = "Moderation request channel must be specified to enable message reporting."


class UnknownReportType(ClientError):
    message = "Invalid report_type"


class ReportNeedsReason(ClientError):
    message = "For 'other' a description is needed."


class FileTooLarge(ClientError):
    message = "Uploaded file is larger than the allowed limit of {limit} MiB"


class BadImage(ClientError):
    code = "BAD_IMAGE"
    message = "{reason}"


class EmojiNotFound(ClientError):
    message = "Emoji '{name}' does not exist"


class CustomEmojiNotFound(EmojiNotFound):
    status = 404


# --- Uploads ----------------------------------------------------------------------------------


class NoFileGiven(ClientError):
    message = "You must specify a file to upload"


class SeveralFilesGiven(ClientError):
    message = "You may only upload one file at a time"


class UploadExpired(ClientError):
    message = "The upload has taken too long; please try again"


class InvalidAttachment(ClientError):
    message = "Invalid attachment"


class NoSuchFile(ClientError):
    status = 404
    code = "NOT_FOUND"
    message = "This file does not exist or has been deleted."


class MayNotReadFile(ClientError):
    status = 403
    code = "FORBIDDEN"
    message = "You are not authorized to view this file."


class LinkExpired(ClientError):
    status = 403
    code = "FORBIDDEN"
    message = "This link is no longer valid."


# --- Narrows and queues -----------------------------------------------------------------------


class BadNarrow(ClientError):
    code = "BAD_NARROW"
    message = "Invalid narrow operator: {desc}"
    keys = ("desc",)


class BadNarrowCombination(BadNarrow):
    message = "Invalid narrow operator combination: {desc}"


class BadQueue(ClientError):
    code = "BAD_EVENT_QUEUE_ID"
    message = "Bad event queue ID: {queue_id}"
    keys = ("queue_id",)


class EventPruned(ClientError):
    message = "An event newer than {event_id} has already been pruned!"


class EventNotInQueue(ClientError):
    message = "Event {event_id} was not in this queue"


# --- Personal things --------------------------------------------------------------------------


class TopicNotMuted(ClientError):
    message = "Topic is not muted"


class TooManyTopicPolicies(ClientError):
    message = "Too many topics muted, unmuted or followed (limit: {limit})"


class TooManyMutedTopics(ClientError):
    message = "Too many muted topics (limit: {limit})"


class StatusUnchanged(ClientError):
    message = "Client did not pass any new values."


class EmojiNameMissing(ClientError):
    message = "Client must pass emoji_name if they pass either emoji_code or reaction_type."


class DraftsNotSynchronized(ClientError):
    message = "User has disabled synchronizing drafts."


class DraftNotFound(ClientError):
    message = "Draft does not exist"


class TooManyDrafts(ClientError):
    message = "Too many drafts (limit: {limit})"


class SnippetNotFound(ClientError):
    status = 404
    message = "Saved snippet does not exist."


class TooManySnippets(ClientError):
    message = "Too many saved snippets (limit: {limit})"


class CannotMuteSelf(ClientError):
    message = "Cannot mute self"


class UserAlreadyMuted(ClientError):
    message = "User already muted"


class UserNotMuted(ClientError):
    message = "User is not muted"


class TooManyMutedUsers(ClientError):
    message = "Too many muted users (limit: {limit})"


class TooManyAlertWords(ClientError):
    message = "Too many alert words (limit: {limit})"


class TypingDisabledInChannels(ClientError):
    message = "User has disabled typing notifications for channel messages"


class TypingDisabledForDirect(ClientError):
    message = "User has disabled typing notifications for direct messages"


class NoPresenceForBots(ClientError):
    message = "Presence is not supported for bot users."


class NoPresence(ClientError):
    message = "No presence data for {who}"


# --- Accounts and bots ------------------------------------------------------------------------


class UserNotFound(ClientError):
    message = "No such user"


class UserIsDeactivated(ClientError):
    message = "User is deactivated"


class LastOwner(ClientError):
    code = "CANNOT_DEACTIVATE_LAST_USER"
    message = "Cannot deactivate the only {entity}."
    keys = ("is_last_owner", "entity")


class InvalidEmail(ClientError):
    message = "Enter a valid email address."


class EmailTaken(ClientError):
    message = "Email is already in use."


class WrongPassword(ClientError):
    message = "Wrong password!"


class WeakPassword(ClientError):
    message = "New password is too weak!"


class EmailChangesDisabled(ClientError):
    message = "Email address changes are disabled in this organization."


class NameInUse(ClientError):
    message = "Name is already in use."


class BotNotFound(ClientError):
    message = "No such bot"


class TooManyBots(ClientError):
    message = "Too many bots (limit: {limit})"


class NotAnOutgoingWebhook(ClientError):
    message = "Only outgoing webhook bots are called at an address."


class MemoryKeyNotFound(ClientError):
    message = "Key does not exist."


class BotMemoryFull(ClientError):
    message = "Bot storage is full (limit: {limit} characters)"


class MayNotCreateUsers(ClientError):
    message = "User not authorized to create users"


class MayNotChangeAddresses(ClientError):
    message = "User not authorized to change user emails"


class OnlyOwner(ClientError):
    message = "The owner permission cannot be removed from the only organization owner."


class NameNotUnique(ClientError):
    message = "Unique names required in this organization."


class InvalidMailDomain(ClientError):
    message = "Invalid domain: {reason}"


class DuplicateMailDomain(ClientError):
    message = "The domain {domain} is already a part of your organization."


class MailDomainNotFound(ClientError):
    message = "No entry found for domain {domain}."


class TooManyMailDomains(ClientError):
    message = "Too many domains (limit: {limit})"


class AddressNotWelcome(ClientError):
    message = "Email '{email}' not allowed in this organization"


# --- Markup and linkifiers --------------------------------------------------------------------


class CannotRender(ClientError):
    message = "Unable to render message"


class InvalidForm(ClientError):
    """Compat: clients show what stands under `errors`, by the field that is wrong."""

    wrong: ClassVar[str] = "__all__"

    def extra(self) -> dict[str, Any]:
        return {"errors": {self.wrong: [self.msg]}}


class BadPattern(InvalidForm):
    message = "Bad regular expression: {problem}"


class BadUrlTemplate(InvalidForm):
    message = "Invalid URL template."


class GroupMissingInPattern(InvalidForm):
    message = "Group '{name}' in URL template is not present in linkifier pattern."


class GroupMissingInTemplate(InvalidForm):
    message = "Group '{name}' in linkifier pattern is not present in URL template."


class DuplicateLinkifier(InvalidForm):
    message = "Realm filter with this Realm and Pattern already exists."


class TooManyLinkifiers(ClientError):
    message = "Too many linkifiers (limit: {limit})"


class LinkifierNotFound(ClientError):
    message = "Linkifier not found."


class IncompleteLinkifierOrder(ClientError):
    message = "The ordered list must enumerate all existing linkifiers exactly once"


class BadLanguage(ClientError):
    message = "Invalid character in language: {character}"


class BlankName(InvalidForm):
    message = "This field cannot be blank."
    wrong = "name"


class BlankLanguage(InvalidForm):
    message = "This field cannot be blank."
    wrong = "pygments_language"


class BadPlaygroundTemplate(InvalidForm):
    message = "Invalid URL template."
    wrong = "url_template"


class CodeMissingInTemplate(InvalidForm):
    message = 'Missing the required variable "code" in the URL template'


class DuplicatePlayground(InvalidForm):
    message = "Realm playground with this Realm, Pygments language and Name already exists."


class TooManyPlaygrounds(ClientError):
    message = "Too many playgrounds (limit: {limit})"


class PlaygroundNotFound(ClientError):
    message = "Invalid playground"


# --- Scheduled messages and reminders ---------------------------------------------------------


class ScheduledMessageNotFound(ClientError):
    message = "Scheduled message does not exist"


class ScheduledMessageSent(ClientError):
    message = "Scheduled message was already sent"


class TimeNotInFuture(ClientError):
    message = "Scheduled delivery time must be in the future."


class TooLateToDeliver(ClientError):
    message = "Message could not be sent at the scheduled time."


class ReminderNotFound(ClientError):
    status = 404
    message = "Reminder does not exist"


class TooManyScheduledMessages(ClientError):
    message = "Too many scheduled messages (limit: {limit})"


class TooManyReminders(ClientError):
    message = "Too many reminders (limit: {limit})"


class ReminderNoteTooLong(ClientError):
    message = "Maximum reminder note length: {limit} characters"


# --- Profiles ---------------------------------------------------------------------------------


class ProfileFieldNotFound(ClientError):
    message = "Field id {field_id} not found."


class ProfileFieldNameTaken(ClientError):
    message = "A field with that label already exists."


class ProfileFieldNotEditable(ClientError):
    message = "You are not allowed to change this field. Contact an administrator to update it."


class InvalidProfileFieldOrder(ClientError):
    message = "Invalid order mapping."


class TooManyProfileFields(ClientError):
    message = "Too many custom profile fields (limit: {limit})"


class TooManyInSummary(ClientError):
    message = "Only {limit} custom profile fields can be displayed in the profile summary."


class NoProfileOfBots(ClientError):
    message = "Bots have no custom profile fields."


class InvalidUserIds(ClientError):
    message = "Invalid user IDs: {ids}"


class AvatarChangesDisabled(ClientError):
    message = "Avatar changes are disabled in this organization."
