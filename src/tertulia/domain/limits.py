"""Limits of the API. Clients get some of them at register."""

MESSAGE_LENGTH = 10_000
TOPIC_LENGTH = 60
CHANNEL_NAME_LENGTH = 60
CHANNEL_DESCRIPTION_LENGTH = 1024
FOLDER_NAME_LENGTH = 60
FOLDER_DESCRIPTION_LENGTH = 1024
FULL_NAME_LENGTH = 100
REMINDER_NOTE_LENGTH = 1000
REPORT_LENGTH = 1000
PASSWORD_LENGTH = 100
PASSWORD_SHORTEST = 8
SEND_KEY_LENGTH = 200
MAX_UNRESTRICTED_WILDCARD_RECIPIENTS = (
    15  # channels with more members need a permission for wildcard mentions
)
MESSAGES_PER_FETCH = 5000
WORDS_PER_SEARCH = 100
NEW_SUBSCRIPTION_NOTICES = 100
RECIPIENTS_PER_MESSAGE = 1000
REACTIONS_PER_MESSAGE = 100  # by one user
EDITS_PER_MESSAGE = 200  # the newest; older ones are deleted
EDITED_LENGTH = 1_000_000  # characters of all edits, as text and as HTML
EMOJI_NAME_LENGTH = 100
EMOJI_BYTES = 5 << 20
EDIT_GRACE_SECONDS = 20  # an edit that began in time may arrive later
DELETE_BATCH = 500
STATUS_LENGTH = 60
SNIPPET_TITLE_LENGTH = 60
NAVIGATION_FRAGMENT_LENGTH = 1000
NAVIGATION_NAME_LENGTH = 60
ALERT_WORD_LENGTH = 100
WEB_ADDRESS_LENGTH = 2000
BOT_MEMORY_KEY_LENGTH = 255
BOT_MEMORY_KEYS_PER_CALL = 1000
BOT_CONFIG_ENTRIES = 100
BOT_CONFIG_LENGTH = 1000  # of a key and of a value
AVATAR_BYTES = 5 << 20
REALM_PICTURE_BYTES = 5 << 20
PROFILE_LABEL_LENGTH = 40
PROFILE_HINT_LENGTH = 80
PROFILE_TEXT_LENGTH = 50
PROFILE_LONG_TEXT_LENGTH = 500
PROFILE_URL_LENGTH = 2000

# Limits per user.
TOPIC_POLICIES = 50_000
MUTED_TOPICS = 2000  # sent as a whole whenever one changes
DRAFTS = 1000  # all of them are in the register response
SNIPPETS = 1000
SCHEDULED_MESSAGES = 20_000
REMINDERS = 20_000
# Characters of all scheduled messages, and of all reminders, as text and as HTML: all of them are
# in the register response. The first ones are not counted: that takes as long as reading them.
LATER_LENGTH = 10_000_000
LATER_UNCOUNTED = 500
MUTED_USERS = 2000
BOTS = 200  # including deactivated ones
BOT_MEMORY = 1_000_000  # characters, including keys
ALERT_WORDS = 500
NAVIGATION_VIEWS = 200
PUSH_SUBSCRIPTIONS = 20  # one more replaces the oldest
DEVICES = 20  # one more replaces the oldest
PASSKEYS = 20
PASSKEY_NAME_LENGTH = 60
SESSIONS = 100  # one more replaces the least recently used

# Limits per user, with their bots, of things that all others receive.
CHANNELS = 5000  # including archived ones
GROUPS = 1000
EMOJI = 500
NEW_CHANNELS_PER_CALL = 100
SUBSCRIPTIONS_PER_CALL = 10_000  # channels times users

FOLDERS = 1000  # per organization

# Limits per organization.
PROFILE_FIELDS = 100  # all of them are sent whenever one changes
PROFILE_FIELDS_IN_SUMMARY = 2
PROFILE_CHOICES = 100
PROFILE_USERS = 100

LARGEST_ID = 2**63 - 1  # maximum of a database integer
MAX_ID_DIGITS = 18  # as many always fit into one

TYPING_SUBSCRIBERS = 100  # no typing notices in larger channels
PRESENCE_USERS = 100  # no events when a user becomes active in larger organizations
